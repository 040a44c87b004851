"""What the decisions of runs took, beside their items: one column of the frame that a table with times reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.store.read import reading_run
from bench.store.rows import KEY_COLUMNS

__all__ = ["LATENCIES", "add_latencies"]

LATENCIES = "latencies"
"""The column: at the first item of each trial a tuple of (recall, decision) in seconds, one for each decision."""
_TRIAL = ["run", *KEY_COLUMNS]

_Pairs = tuple[tuple[float, float], ...]


def add_latencies(items: pd.DataFrame, folders: Sequence[Path]) -> pd.DataFrame:
    """Return the items of runs with what the decisions of each trial took, unchanged where no run recorded that.

    Raises: StoreError.
    """
    found = {key: pairs for folder in folders for key, pairs in _read(Path(folder)).items()}
    if not found or items.empty:
        return items
    first = ~items.duplicated(_TRIAL)
    keys = zip(*(items[name].tolist() for name in _TRIAL), strict=True)
    values = [found.get(key) if at_first else None for key, at_first in zip(keys, first.tolist(), strict=True)]
    return items.assign(**{LATENCIES: pd.Series(values, index=items.index, dtype=object)})


def _read(folder: Path) -> dict[tuple[object, ...], _Pairs]:
    columns = ",".join(f"t.{name}" for name in KEY_COLUMNS)
    query = (
        f"SELECT {columns}, recall_s, decision_s FROM latencies l JOIN trials t ON t.id = l.trial "
        "WHERE t.attempt > 0 ORDER BY l.trial, l.step"
    )
    found: dict[tuple[object, ...], list[tuple[float, float]]] = {}
    with reading_run(folder) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'latencies'").fetchone():
            return {}
        for *key, recall_s, decision_s in db.execute(query):
            found.setdefault((folder.name, *key), []).append((float(recall_s), float(decision_s)))
    return {key: tuple(pairs) for key, pairs in found.items()}
