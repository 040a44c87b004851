"""Conjunctive queries of the text grammar over the facts, with answers in the official order.

Source: ``textworld.logic`` 1.7.0, rebuilt from its behaviour: answers are sorted by the ids of the first predicate,
then of the second and so on; two placeholders never stand for one entity; subtypes follow their type, and come more
than once in hierarchies deeper than two levels. Knows no grammar rule and no action.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

from adapters.alfworld.engine.facts import Relation, Row
from bench.errors import DataError

__all__ = ["Binding", "Entity", "Pattern", "Placeholder", "Source", "Types", "find_bindings", "parse_query"]

_PREDICATE = re.compile(r"\s*(!?[\w/]+)\s*\(([^()]*)\)\s*(&|$)")
_PLACEHOLDER = re.compile(r"\s*([\w']+)\s*(?::\s*([\w/-]+)\s*)?$")

Placeholder: TypeAlias = "tuple[str, str]"
"""Name and type."""


@dataclass(frozen=True, slots=True)
class Entity:
    """An object under the type by which it was bound."""

    id: str
    type: str


Binding: TypeAlias = "dict[Placeholder, Entity]"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A predicate over placeholders."""

    name: str
    placeholders: tuple[Placeholder, ...]

    @property
    def types(self) -> Row:
        return tuple(kind for _, kind in self.placeholders)


class Types:
    """The type hierarchy as the official text engine walks it. Immutable."""

    def __init__(self, supertypes: Mapping[str, Row]):
        self.names = frozenset(supertypes)
        self._below: dict[str, list[str]] = {name: [] for name in supertypes}
        for name, above in sorted(supertypes.items()):
            for parent in above:
                self._below[parent].append(name)
        self._cache: dict[Row, tuple[Row, ...]] = {}

    def signatures(self, types: Row) -> tuple[Row, ...]:
        """Return the argument types that a predicate over ``types`` takes, in the order in which they are tried."""
        if types not in self._cache:
            self._cache[types] = (types, *self._walk(types))
        return self._cache[types]

    def _walk(self, types: Row) -> Iterator[Row]:
        seen: set[Row] = set()
        queue = deque(self._expand(types))
        while queue:
            current = queue.popleft()
            yield current
            for lower in self._expand(current):
                if lower not in seen:
                    seen.add(lower)
                    queue.append(lower)

    def _expand(self, types: Row) -> Iterator[Row]:
        for at, kind in enumerate(types):
            for lower in self._below[kind]:
                yield (*types[:at], lower, *types[at + 1 :])


class Source(Protocol):
    """What a query needs: the facts and the declared types of one game."""

    @property
    def types(self) -> Types: ...

    @property
    def type_of(self) -> Mapping[str, str]: ...

    def relation(self, name: str) -> Relation: ...


@lru_cache(maxsize=1024)
def parse_query(text: str) -> tuple[Pattern, ...]:
    """Read ``holds(a:agent, o:object) & ...``. Raises DataError for anything else."""
    patterns: list[Pattern] = []
    at, kinds = 0, dict[str, str]()
    while True:
        found = _PREDICATE.match(text, at)
        if found is None:
            raise DataError(f"grammar: expected a query like holds(a:agent, o:object) & ..., got {text!r}; unsupported")
        name, inner, more = found.groups()
        placeholders = []
        for part in inner.split(",") if inner.strip() else []:
            ph = _PLACEHOLDER.match(part)
            if ph is None or kinds.setdefault(ph[1], ph[2] or ph[1]) != (ph[2] or ph[1]):
                raise DataError(
                    f"grammar: expected name:type, one type per name, got {part!r} in {text!r}; unsupported"
                )
            placeholders.append((ph[1], ph[2] or ph[1]))
        bare = name.lstrip("!")
        patterns.append(Pattern(_negate(bare) if name.startswith("!") else bare, tuple(placeholders)))
        at = found.end()
        if not more:
            return tuple(patterns)


def _negate(name: str) -> str:
    return name.removeprefix("not_") if name.startswith("not_") else f"not_{name}"


def find_bindings(patterns: tuple[Pattern, ...], source: Source, binding: Binding) -> Iterator[Binding]:
    """Yield every extension of ``binding`` under which all patterns hold."""
    return _extend(patterns, 0, source, dict(binding), set(binding.values()))


def _extend(
    patterns: tuple[Pattern, ...], depth: int, source: Source, binding: Binding, used: set[Entity]
) -> Iterator[Binding]:
    if depth == len(patterns):
        yield dict(binding)
        return
    pattern = patterns[depth]
    type_of = source.type_of
    for row in _rows(pattern, source, binding):
        fresh: list[Placeholder] = []
        for placeholder, name in zip(pattern.placeholders, row, strict=False):
            entity = Entity(name, type_of[name])
            bound = binding.get(placeholder)
            if bound is None:
                if entity in used:
                    break
                binding[placeholder] = entity
                used.add(entity)
                fresh.append(placeholder)
            elif bound != entity:
                break
        else:
            yield from _extend(patterns, depth + 1, source, binding, used)
        for placeholder in fresh:
            used.discard(binding.pop(placeholder))


def _rows(pattern: Pattern, source: Source, binding: Binding) -> Iterator[Row]:
    """Yield the rows that may match, in the official order."""
    relation = source.relation(pattern.name)
    rows = relation.sorted_rows
    for at, placeholder in enumerate(pattern.placeholders):
        if rows and placeholder in binding:
            rows = relation.by(at).get(binding[placeholder].id, ())
            break
    type_of, signatures = source.type_of, source.types.signatures(pattern.types)
    if len(signatures) == 1:
        (expected,) = signatures
        for row in rows:
            if tuple([type_of[name] for name in row]) == expected:
                yield row
        return
    groups: dict[Row, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple([type_of[name] for name in row]), []).append(row)
    for signature in signatures:
        yield from groups.get(signature, ())
