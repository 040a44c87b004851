"""Texts as a database can hold them: half a surrogate pair is no UTF-8, and models, worlds and errors may hold one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.store.rows import Value

__all__ = ["make_storable"]


def make_storable(rows: Iterable[tuple[Value, ...]]) -> Iterator[tuple[Value, ...]]:
    """Yield rows with a ? in the place of each half of a surrogate pair."""
    for row in rows:
        yield tuple(one.encode(errors="replace").decode() if isinstance(one, str) else one for one in row)
