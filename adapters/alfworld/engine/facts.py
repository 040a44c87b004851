"""Ground facts: immutable relations, indexed on demand, and changes of a world.

A world maps predicates to relations. A change returns a new mapping that shares every unchanged relation, so that
copies are cheap and several threads may read one world. Knows no action and no text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["EMPTY", "Fact", "Relation", "Row", "World", "apply_changes"]

Row: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True, order=True, slots=True)
class Fact:
    """One ground fact, with the ids of the game file."""

    name: str
    arguments: Row


class Relation:
    """The rows that hold for one predicate. Immutable; the indexes are built on first use."""

    __slots__ = ("_index", "_sorted_rows", "rows")

    def __init__(self, rows: Iterable[Row] = ()):
        self.rows: Final = frozenset(rows)
        self._sorted_rows: tuple[Row, ...] | None = None
        self._index: dict[int, dict[str, tuple[Row, ...]]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def sorted_rows(self) -> tuple[Row, ...]:
        """All rows, sorted."""
        if self._sorted_rows is None:
            self._sorted_rows = tuple(sorted(self.rows))
        return self._sorted_rows

    def by(self, position: int) -> Mapping[str, tuple[Row, ...]]:
        """Return the rows grouped by the name at a position, each group sorted."""
        index = self._index.get(position)
        if index is None:
            groups: dict[str, list[Row]] = {}
            for row in self.sorted_rows:
                groups.setdefault(row[position], []).append(row)
            index = {name: tuple(rows) for name, rows in groups.items()}
            self._index[position] = index
        return index


EMPTY: Final = Relation()

World: TypeAlias = "Mapping[str, Relation]"


def apply_changes(world: World, dropped: Iterable[Fact], added: Iterable[Fact]) -> World:
    """Return the world after dropping, then adding facts; ``world`` itself if nothing changes."""
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
