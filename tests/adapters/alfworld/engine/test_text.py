from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from adapters.alfworld.engine.expression import Info, compile_expression, find_names
from adapters.alfworld.engine.facts import EMPTY, Relation
from adapters.alfworld.engine.query import Binding, Entity, Types, find_bindings, parse_query
from adapters.alfworld.engine.text import compile_grammar
from adapters.alfworld.engine.twl import read_document
from bench.errors import DataError

KINDS = {"m1": "mug", "m2": "mug", "c1": "cup", "s1": "shelf", "s2": "shelf"}
LIST_RULES = {"list_empty": "nothing", "list_separator": ", ", "list_last_separator": ", and "}


class Scene:
    """A shelf or two and what is on them."""

    def __init__(self, **relations: Sequence[tuple[str, ...]]):
        self.types = Types(
            {"object": (), "thing": ("object",), "mug": ("object", "thing"), "cup": ("thing",), "shelf": ()}
        )
        self.type_of: Mapping[str, str] = KINDS
        self.infos: Mapping[str, Info] = {name: Info(name, kind, f"{kind} {name[1]}") for name, kind in KINDS.items()}
        self._relations = {name: Relation(rows) for name, rows in relations.items()}

    def relation(self, name: str) -> Relation:
        return self._relations.get(name, EMPTY)


def find_ids(query: str, scene: Scene, binding: Binding | None = None) -> list[list[str]]:
    return [
        [entity.id for entity in answer.values()] for answer in find_bindings(parse_query(query), scene, binding or {})
    ]


def grammar(**rules: str | list[tuple[str, str]]) -> str:
    data = {
        name: [{"rhs": rhs} for rhs in [rule]]
        if isinstance(rule, str)
        else [{"condition": c, "rhs": r} for c, r in rule]
        for name, rule in {**LIST_RULES, **rules}.items()
    }
    return f'grammar :: """{json.dumps(data)}""";'


def test_find_bindings_sorts_by_ids() -> None:
    scene = Scene(on=[("m2", "s1"), ("m1", "s2"), ("m1", "s1")])
    assert find_ids("on(m:mug, s:shelf)", scene) == [["m1", "s1"], ["m1", "s2"], ["m2", "s1"]]
    here: Binding = {("s", "shelf"): Entity("s1", "shelf")}
    assert find_ids("on(m:mug, s:shelf)", scene, here) == [["s1", "m1"], ["s1", "m2"]]


def test_find_bindings_keeps_placeholders_distinct() -> None:
    scene = Scene(on=[("m1", "s1"), ("m2", "s1")])
    assert find_ids("on(a:mug, s:shelf) & on(b:mug, s:shelf)", scene) == [["m1", "s1", "m2"], ["m2", "s1", "m1"]]
    wrong: Binding = {("m", "mug"): Entity("m1", "thing")}
    assert find_ids("on(m:mug, s:shelf)", scene, wrong) == []


def test_signatures_repeat_subtypes_below_two_levels() -> None:
    scene = Scene(has=[("m1",), ("c1",)])
    assert find_ids("has(t:thing)", scene) == [["c1"], ["m1"]]
    assert find_ids("has(t:object)", scene) == [["m1"], ["c1"], ["m1"]]


@pytest.mark.parametrize("text", ["", "p", "p(a b)", "p(a:b) q(c:d)", "p(a:b) & p(a:c)", "p(a:b) &"])
def test_parse_query_rejects_other_text(text: str) -> None:
    with pytest.raises(DataError, match="grammar: expected"):
        parse_query(text)


def test_parse_query_reads_negation_and_bare_placeholders() -> None:
    (pattern,) = parse_query("!p(a)")
    assert (pattern.name, pattern.placeholders) == ("not_p", (("a", "a"),))
    assert parse_query("!not_p()")[0].name == "p"


def test_compile_expression_computes_values() -> None:
    infos = {"o": Info("o1", "mug", "mug 1"), "e": Info("e1", "mug", "")}
    results = {
        "o.indefinite + ' ' + o.name ": "a mug 1",
        "e.name or e.id": "e1",
        "o.name and o.type": "mug",
        "o": infos["o"],
        "'x'": "x",
        "o.noun": None,
    }
    for source, result in results.items():
        assert compile_expression(source)(infos.__getitem__) == result
    assert str(infos["o"]) == "mug 1"
    assert find_names("a.name or b.id") == {"a", "b"}
    with pytest.raises(DataError, match="two texts"):
        compile_expression("o + 'x'")(infos.__getitem__)


@pytest.mark.parametrize(
    "source", ["__import__('os')", "o.__class__", "1 + 1", "o.name[0]", "self.x", "context", "o name"]
)
def test_compile_expression_rejects_other_source(source: str) -> None:
    with pytest.raises(DataError, match="unsupported"):
        compile_expression(source)


def test_derive_writes_lists_and_alternatives() -> None:
    rules = grammar(
        all="[{m.name | on(m:mug, s:shelf)}]",
        full=[("on(m:mug, s:shelf) & hot(m:mug)", "hot"), ("on(m:mug, s:shelf)", "cold"), ("", "empty")],
    )
    text = compile_grammar(rules)
    one, two, three = [("m1", "s1")], [("m1", "s1"), ("m2", "s1")], [("m1", "s1"), ("m2", "s1"), ("m2", "s2")]
    assert [text.derive("#all#", Scene(on=rows), {}) for rows in ([], one, two, three)] == [
        "nothing",
        "mug 1",
        "mug 1, and mug 2",
        "mug 1, mug 2, and mug 2",
    ]
    assert text.derive("#full#", Scene(), {}) == "empty"
    assert text.derive("#full#", Scene(on=one), {}) == "cold"
    assert text.derive("#full#", Scene(on=two, hot=[("m2",)]), {}) == "hot"
    reading = text.analyse("{x.name} #all#")
    assert (reading.variables, reading.predicates, reading.closed) == (
        frozenset({"x", "m", "s"}),
        frozenset({"on"}),
        True,
    )


def test_derive_names_missing_rule() -> None:
    text = compile_grammar(
        grammar(none=[("hot(m:mug)", "hot")], loop="#loop#", bad="#gone#", kind="{x.name | p(x:ship)}")
    )
    for start, message in (
        ("#none#", "#none# whose condition"),
        ("#loop#", "calls itself"),
        ("{q.name}", "bound variable"),
    ):
        with pytest.raises(DataError, match=message):
            text.derive(start, Scene(), {})
    for start, message in (("#bad#", "#gone#"), ("#kind#", "'ship'")):
        with pytest.raises(DataError, match=message):
            text.check([start], frozenset({"mug"}))


def test_read_document_splits_actions_and_rules() -> None:
    document = read_document(
        '# words\naction Go_There { template :: "go; {x}"; feedback :: "two\nlines"; grammar :: """{\n # no\n}"""; }\n'
        'grammar :: """{"a": [{"rhs": "1"}]}"""; grammar :: """{"a": [{"rhs": "2", "weight": 3}]}""";'
    )
    assert document.wordings["go_there"].template == "go; {x}"
    assert document.wordings["go_there"].feedback == "two\nlines"
    assert [rule.text for rule in document.rules["a"]] == ["2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('action a { template :: "x"; }', "a template and a feedback"),
        ('action a { template :: "x"; template :: "x"; }', "each once"),
        ('action a { sound :: "x"; }', "each once"),
        ('action a { template :: "x', "a quoted text"),
        ("\n\nverb a {}", "line 3: expected 'action'"),
        ('grammar :: """{"a": [""";', "JSON object"),
        ('grammar :: """{"a": [{"lhs": "x"}]}""";', "'rhs'"),
    ],
)
def test_read_document_names_error(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_document(text)
