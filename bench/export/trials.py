"""The trials of runs one after the other, in the order of their keys, a few in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.store.read import read_trials, reading_run
from bench.store.rows import KEY_COLUMNS, PLANNED
from bench.types import Trial

__all__ = ["stream_trials"]

_AT_ONCE = 100


def stream_trials(folder: Path) -> Iterator[Trial]:
    """Yield the trials of an evaluation that have ended. Raises: StoreError."""
    with reading_run(folder) as db:
        found = db.execute(
            f"SELECT id FROM trials WHERE status != '{PLANNED}' AND attempt > 0 ORDER BY {','.join(KEY_COLUMNS)}"
        ).fetchall()
    ids = [str(row["id"]) for row in found]
    for start in range(0, len(ids), _AT_ONCE):
        # A stretch of the sorted ids: sorted by key again, it stays in its place.
        yield from read_trials(folder, where=f"id IN ({','.join(ids[start : start + _AT_ONCE])})")
