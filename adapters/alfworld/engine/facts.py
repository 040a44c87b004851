"""Ground facts: immutable relations, indexed on demand, and the step from one set of relations to the next.

A world is a mapping of predicate to relation. A change makes a new mapping that shares every unchanged relation, so
that copies cost nothing and threads may read one world at once. Knows no action and no text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["EMPTY", "Fact", "Relation", "Row", "World", "changed"]

Row: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True, order=True, slots=True)
class Fact:
    """One ground fact, with the ids of the game file."""

    name: str
    arguments: Row


class Relation:
    """The rows that hold for one predicate. Immutable; the indexes are built on first use."""

    __slots__ = ("_index", "_ordered", "rows")

    def __init__(self, rows: Iterable[Row] = ()):
        self.rows: Final = frozenset(rows)
        self._ordered: tuple[Row, ...] | None = None
        self._index: dict[int, dict[str, tuple[Row, ...]]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ordered(self) -> tuple[Row, ...]:
        """All rows, sorted."""
        if self._ordered is None:
            self._ordered = tuple(sorted(self.rows))
        return self._ordered

    def by(self, position: int) -> Mapping[str, tuple[Row, ...]]:
        """Return the rows by what stands at a position, each group sorted."""
        index = self._index.get(position)
        if index is None:
            groups: dict[str, list[Row]] = {}
            for row in self.ordered:
                groups.setdefault(row[position], []).append(row)
            index = {name: tuple(rows) for name, rows in groups.items()}
            self._index[position] = index
        return index


EMPTY: Final = Relation()

World: TypeAlias = "Mapping[str, Relation]"


def changed(world: World, dropped: Iterable[Fact], added: Iterable[Fact]) -> World:
    """Return the world after dropping, then adding facts; ``world`` itself when nothing changes."""
    rows: dict[str, set[Row]] = {}
    for fact in dropped:
        relation = world.get(fact.name, EMPTY)
        if fact.arguments in rows.get(fact.name, relation.rows):
            rows.setdefault(fact.name, set(relation.rows)).discard(fact.arguments)
    for fact in added:
        relation = world.get(fact.name, EMPTY)
        if fact.arguments not in rows.get(fact.name, relation.rows):
            rows.setdefault(fact.name, set(relation.rows)).add(fact.arguments)
    if not rows:
        return world
    return {**world, **{name: Relation(new) for name, new in rows.items()}}
