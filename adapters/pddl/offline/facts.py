"""A believed state, indexed for the policies. Results are sorted."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.pddl.domain import Atom

__all__ = ["Facts"]


class Facts:
    """An index of facts by predicate."""

    def __init__(self, atoms: Iterable[Atom]):
        self._rows: dict[str, list[tuple[str, ...]]] = {}
        for atom in sorted(atoms):
            self._rows.setdefault(atom.name, []).append(atom.args)
        self._all = {(name, *args) for name, rows in self._rows.items() for args in rows}

    def has(self, *fact: str) -> bool:
        """True if the fact (predicate, then arguments) holds."""
        return fact in self._all

    def firsts(self, name: str, second: str | None = None) -> list[str]:
        """Return the first arguments of a predicate, where the second is as given."""
        return [row[0] for row in self._rows.get(name, []) if second is None or row[1] == second]

    def seconds(self, name: str, first: str | None = None) -> list[str]:
        """Return the second arguments of a predicate, where the first is as given."""
        return [row[1] for row in self._rows.get(name, []) if first is None or row[0] == first]
