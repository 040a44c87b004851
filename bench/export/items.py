"""The items of runs as a data frame with the columns that are exported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.report.row import is_stable
from bench.report.row_names import name_rows
from bench.scoring.metric_names import resolve_metric
from bench.store.dataframe import read_items

__all__ = ["KEY", "select_columns", "select_items"]

KEY = ["suite", "split", "task", "item", "strategy", "model", "seed", "attempt", "group", "cluster", "status", "end"]
"""The columns that are no score; rows are in their order."""


def select_items(folders: Sequence[Path], columns: Sequence[str] = (), *, timing: bool = False) -> pd.DataFrame:
    """Return the items of runs, by key; ``columns`` are the scores to keep (all if empty), short names allowed.

    Wall times differ from run to run and are left out unless named or ``timing``. Raises: UsageError for an unknown
    column, or one that the runs have no values for.
    """
    return select_columns(name_rows(read_items(folders)), columns, timing=timing)


def select_columns(frame: pd.DataFrame, columns: Sequence[str] = (), *, timing: bool = False) -> pd.DataFrame:
    """Return the columns of named items that ``select_items`` would return, sorted by key."""
    known = [name for name in frame.columns if name not in KEY and name != "run"]
    chosen = [name if name in known else resolve_metric("export", name, known).name for name in columns]
    chosen = chosen or [name for name in known if timing or is_stable(name)]
    return frame[KEY + chosen].sort_values(KEY, kind="stable").reset_index(drop=True)
