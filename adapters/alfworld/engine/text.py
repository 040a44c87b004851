"""A compiled text grammar: which alternative of a rule applies, and the text that it makes.

Source: ``textworld.envs.pddl.textgen`` of textworld 1.7.0. The first alternative whose condition has an answer is
taken; weights are ignored there and here. Knows queries and facts, no action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

from adapters.alfworld.engine.expression import Info, compile_expression, names_in
from adapters.alfworld.engine.query import Binding, Pattern, Source, answers, parse_query
from adapters.alfworld.engine.symbols import Expression, Given, Listing, Node, Symbol, Text, parse
from adapters.alfworld.engine.twl import Document, Rule, Wording, read_document
from bench.errors import DataError

__all__ = ["Grammar", "Reading", "Scene", "compile_grammar"]

_INTRO = "#intro#"
_LISTING = ("list_empty", "list_separator", "list_last_separator")


class Scene(Source, Protocol):
    """The facts, and what can be said of each entity."""

    @property
    def infos(self) -> Mapping[str, Info]: ...


Write: TypeAlias = "Callable[[Scene, Binding], str]"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text depends on: variables, predicates, and whether it binds entities of its own."""

    variables: frozenset[str]
    predicates: frozenset[str]
    closed: bool


class Grammar:
    """The rules of one document. Immutable and safe to share between threads."""

    def __init__(self, document: Document):
        self.wordings: Mapping[str, Wording] = document.wordings
        self._rules = {
            name: tuple((_query(rule), tuple(self._node(node) for node in parse(rule.text))) for rule in rules)
            for name, rules in document.rules.items()
        }
        self._nodes = {name: tuple(parse(rule.text) for rule in rules) for name, rules in document.rules.items()}
        texts = {_INTRO, *(text for w in document.wordings.values() for text in (w.template, w.feedback))}
        self._texts: dict[str, tuple[Write, ...]] = {
            text: tuple(self._node(node) for node in parse(text)) for text in texts
        }
        self._queries = {name: tuple(_query(rule) for rule in rules) for name, rules in document.rules.items()}

    def check(self, texts: Iterable[str], types: frozenset[str]) -> None:
        """Raise DataError when a text, or a rule behind it, names an unknown symbol or an unknown type."""
        for text in texts:
            for symbol, patterns in self._reach(parse(text)):
                if symbol is not None and not self._rules.get(symbol):
                    raise DataError(f"grammar: expected a rule for #{symbol}#, got none; fetch the game again")
                for pattern in patterns:
                    for _, kind in pattern.placeholders:
                        if kind not in types:
                            raise DataError(
                                f"grammar: expected a declared type, got {kind!r} in a query on {pattern.name}"
                            )

    def derive(self, text: str, scene: Scene, binding: Binding) -> str:
        """Return the text that ``text`` stands for. Raises DataError when no alternative of a rule applies."""
        try:
            writers = self._texts.get(text) or tuple(self._node(node) for node in parse(text))
            return "".join([write(scene, binding) for write in writers])
        except RecursionError:
            raise DataError(
                f"grammar: expected rules that end, got one that calls itself for ever from {text!r}"
            ) from None

    def reading(self, text: str) -> Reading:
        """Return what the text depends on."""
        variables: set[str] = set()
        predicates: set[str] = set()
        local: set[str] = set()
        for node in self._closure(parse(text)):
            if isinstance(node, Given) and isinstance(node.body, Expression):
                variables |= names_in(node.body.source)
        for _, patterns in self._reach(parse(text)):
            for pattern in patterns:
                predicates.add(pattern.name)
                local |= {name for name, _ in pattern.placeholders}
        return Reading(frozenset(variables | local), frozenset(predicates), closed=bool(local))

    def _closure(self, nodes: Iterable[Node]) -> Iterable[Node | Symbol | Expression]:
        """Yield every node that may be written from ``nodes``, once for each rule."""
        seen: set[str] = set()
        pending: list[Node | Symbol | Expression] = list(nodes)
        while pending:
            node = pending.pop()
            yield node
            if isinstance(node, Listing):
                pending.extend((node.item, *(Symbol(name) for name in _LISTING)))
            elif isinstance(node, Given):
                pending.append(node.body)
            elif isinstance(node, Symbol) and node.name not in seen:
                seen.add(node.name)
                pending.extend(inner for alternative in self._nodes.get(node.name, ()) for inner in alternative)

    def _reach(self, nodes: Iterable[Node]) -> Iterable[tuple[str | None, tuple[Pattern, ...]]]:
        """Yield each symbol that may be written with the conditions of its rule, and each query."""
        for node in self._closure(nodes):
            if isinstance(node, Symbol):
                yield node.name, tuple(pattern for query in self._queries.get(node.name, ()) for pattern in query)
            elif isinstance(node, Given) and node.query:
                yield None, parse_query(node.query)

    def _write(self, name: str, scene: Scene, binding: Binding) -> str:
        """Return the text of a rule."""
        for query, writers in self._rules.get(name, ()):
            if not query or next(answers(query, scene, binding), None) is not None:
                return "".join([write(scene, binding) for write in writers])
        raise DataError(f"grammar: expected an alternative of #{name}# whose condition holds, got none")

    def _node(self, node: Node) -> Write:
        if isinstance(node, Text):
            text = node.text
            return lambda _scene, _binding: text
        if isinstance(node, Symbol):
            name = node.name
            return lambda scene, binding: self._write(name, scene, binding)
        if isinstance(node, Given):
            each = self._given(node)
            return lambda scene, binding: "".join(each(scene, binding))
        items = self._given(node.item)
        return lambda scene, binding: self._enumerate(items(scene, binding), scene, binding)

    def _given(self, node: Given) -> Callable[[Scene, Binding], list[str]]:
        body: Write = _expression(node.body.source) if isinstance(node.body, Expression) else self._node(node.body)
        if not node.query:
            return lambda scene, binding: [body(scene, binding)]
        patterns = parse_query(node.query)
        return lambda scene, binding: [body(scene, answer) for answer in answers(patterns, scene, binding)]

    def _enumerate(self, items: list[str], scene: Scene, binding: Binding) -> str:
        if not items:
            return self._write("list_empty", scene, binding)
        if len(items) == 1:
            return items[0]
        comma = self._write("list_separator", scene, binding)
        last = self._write("list_last_separator", scene, binding)
        return f"{comma.join(items[:-1])}{last}{items[-1]}"


@lru_cache(maxsize=64)
def compile_grammar(text: str) -> Grammar:
    """Compile a document; equal texts are compiled once. Raises DataError naming what is not supported."""
    return Grammar(read_document(text))


def _query(rule: Rule) -> tuple[Pattern, ...]:
    return parse_query(rule.condition) if rule.condition else ()


def _expression(source: str) -> Write:
    compute = compile_expression(source)

    def write(scene: Scene, binding: Binding) -> str:
        def lookup(name: str) -> Info:
            found = None
            for (placeholder, _), entity in binding.items():
                if placeholder == name:
                    found = entity.id
            if found is None or found not in scene.infos:
                raise DataError(f"grammar: expected a bound variable with a name, got {name!r} in {source!r}")
            return scene.infos[found]

        return str(compute(lookup))

    return write
