"""A compiled text grammar: it selects the alternative of a rule that applies and writes its text.

Source: ``textworld.envs.pddl.textgen`` of textworld 1.7.0. The first alternative whose condition has an answer is
taken; weights are ignored there and here. Knows queries and facts, no action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

from adapters.alfworld.engine.expression import Info, compile_expression, find_names
from adapters.alfworld.engine.query import Binding, Pattern, Source, find_bindings, parse_query
from adapters.alfworld.engine.symbols import Expression, Listing, Node, Substitution, Symbol, Text, parse
from adapters.alfworld.engine.twl import Document, Rule, Wording, read_document
from bench.errors import DataError

__all__ = ["Dependencies", "Grammar", "Scene", "compile_grammar"]

_INTRO = "#intro#"
_LISTING = ("list_empty", "list_separator", "list_last_separator")


class Scene(Source, Protocol):
    """The facts, and the names of the entities."""

    @property
    def infos(self) -> Mapping[str, Info]: ...


Write: TypeAlias = "Callable[[Scene, Binding], str]"


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What a text depends on: variables, predicates, and whether it binds entities itself (``closed``)."""

    variables: frozenset[str]
    predicates: frozenset[str]
    closed: bool


class Grammar:
    """The rules of one document. Immutable and safe to share between threads."""

    def __init__(self, document: Document):
        self.wordings: Mapping[str, Wording] = document.wordings
        self._rules = {
            name: tuple(
                (_parse_condition(rule), tuple(self._compile_node(node) for node in parse(rule.text))) for rule in rules
            )
            for name, rules in document.rules.items()
        }
        self._nodes = {name: tuple(parse(rule.text) for rule in rules) for name, rules in document.rules.items()}
        texts = {_INTRO, *(text for w in document.wordings.values() for text in (w.template, w.feedback))}
        self._texts: dict[str, tuple[Write, ...]] = {
            text: tuple(self._compile_node(node) for node in parse(text)) for text in texts
        }
        self._queries = {
            name: tuple(_parse_condition(rule) for rule in rules) for name, rules in document.rules.items()
        }

    def check(self, texts: Iterable[str], types: frozenset[str]) -> None:
        """Raise DataError when a text, or a rule behind it, names an unknown symbol or an unknown type."""
        for text in texts:
            for symbol, patterns in self._list_rules(parse(text)):
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
            writers = self._texts.get(text) or tuple(self._compile_node(node) for node in parse(text))
            return "".join([write(scene, binding) for write in writers])
        except RecursionError:
            raise DataError(
                f"grammar: expected rules that end, got one that calls itself for ever from {text!r}"
            ) from None

    def analyse(self, text: str) -> Dependencies:
        """Return what a text depends on."""
        variables: set[str] = set()
        predicates: set[str] = set()
        local: set[str] = set()
        for node in self._list_nodes(parse(text)):
            if isinstance(node, Substitution) and isinstance(node.body, Expression):
                variables |= find_names(node.body.source)
        for _, patterns in self._list_rules(parse(text)):
            for pattern in patterns:
                predicates.add(pattern.name)
                local |= {name for name, _ in pattern.placeholders}
        return Dependencies(frozenset(variables | local), frozenset(predicates), closed=bool(local))

    def _list_nodes(self, nodes: Iterable[Node]) -> Iterable[Node | Symbol | Expression]:
        """Yield every node that may be written from ``nodes``, once for each rule."""
        seen: set[str] = set()
        pending: list[Node | Symbol | Expression] = list(nodes)
        while pending:
            node = pending.pop()
            yield node
            if isinstance(node, Listing):
                pending.extend((node.item, *(Symbol(name) for name in _LISTING)))
            elif isinstance(node, Substitution):
                pending.append(node.body)
            elif isinstance(node, Symbol) and node.name not in seen:
                seen.add(node.name)
                pending.extend(inner for alternative in self._nodes.get(node.name, ()) for inner in alternative)

    def _list_rules(self, nodes: Iterable[Node]) -> Iterable[tuple[str | None, tuple[Pattern, ...]]]:
        """Yield each symbol that may be written with the conditions of its rule, and each query."""
        for node in self._list_nodes(nodes):
            if isinstance(node, Symbol):
                yield node.name, tuple(pattern for query in self._queries.get(node.name, ()) for pattern in query)
            elif isinstance(node, Substitution) and node.query:
                yield None, parse_query(node.query)

    def _write(self, name: str, scene: Scene, binding: Binding) -> str:
        """Return the text of a rule."""
        for query, writers in self._rules.get(name, ()):
            if not query or next(find_bindings(query, scene, binding), None) is not None:
                return "".join([write(scene, binding) for write in writers])
        raise DataError(f"grammar: expected an alternative of #{name}# whose condition holds, got none")

    def _compile_node(self, node: Node) -> Write:
        if isinstance(node, Text):
            text = node.text
            return lambda _scene, _binding: text
        if isinstance(node, Symbol):
            name = node.name
            return lambda scene, binding: self._write(name, scene, binding)
        if isinstance(node, Substitution):
            each = self._compile_substitution(node)
            return lambda scene, binding: "".join(each(scene, binding))
        items = self._compile_substitution(node.item)
        return lambda scene, binding: self._enumerate(items(scene, binding), scene, binding)

    def _compile_substitution(self, node: Substitution) -> Callable[[Scene, Binding], list[str]]:
        body: Write = (
            _write_expression(node.body.source) if isinstance(node.body, Expression) else self._compile_node(node.body)
        )
        if not node.query:
            return lambda scene, binding: [body(scene, binding)]
        patterns = parse_query(node.query)
        return lambda scene, binding: [body(scene, answer) for answer in find_bindings(patterns, scene, binding)]

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


def _parse_condition(rule: Rule) -> tuple[Pattern, ...]:
    return parse_query(rule.condition) if rule.condition else ()


def _write_expression(source: str) -> Write:
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
