"""Which trials a run has, by key alone: what a name or a part of one is looked up in without reading any trial."""

from __future__ import annotations

from pathlib import Path

from bench.store.printing import format_trial
from bench.store.read import reading_run
from bench.store.rows import KEY_COLUMNS, PLANNED, read_key
from bench.types import TrialKey

__all__ = ["list_keys", "name_trial"]


def list_keys(folder: Path) -> list[TrialKey]:
    """Return the keys of the trials that have ended, sorted; those of a learning stage left out. Raises: StoreError."""
    columns = ",".join(KEY_COLUMNS)
    query = f"SELECT {columns} FROM trials WHERE status != '{PLANNED}' AND attempt > 0 ORDER BY {columns}"
    with reading_run(folder) as db:
        return [read_key(row) for row in db.execute(query)]


def name_trial(key: TrialKey) -> str:
    """Return the name of a trial that ``bench show`` takes."""
    return format_trial(key.strategy, key.task, key.seed, key.attempt)
