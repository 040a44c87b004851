"""Attempts in a table: a row is about first attempts; what all attempts at a task came to stands in columns of its own.

Knows the data frame of items and the names of the metrics that it fills; averages nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["fold_attempts"]

_TASK = ["run", "suite", "split", "task", "strategy", "model", "seed", "item"]
_ROW = ["run", "suite", "split", "strategy", "model"]
_ALLOWED = r'"row\.attempts":\s*"(\d+)"'


def fold_attempts(items: pd.DataFrame) -> pd.DataFrame:
    """Return the first attempts alone, with ``success_at_n``, ``success_at_attempt_{k}``, ``attempts`` and
    ``tokens_at_n`` over all attempts at the task; unchanged where a run allowed only one.

    A value is unknown (NaN) where an attempt that it rests on has no score.
    """
    found = items["fingerprint"].astype(str).str.extract(_ALLOWED, expand=False).astype(float)
    allowed = found.groupby([items[name] for name in _ROW]).transform("max")
    if allowed.isna().all():
        return items
    first = items[items["attempt"] == 1].copy()
    first["attempts_allowed"] = allowed[first.index]
    several = items[allowed.notna()]
    # A trial that has no score is unknown; NaN + anything stays unknown, and a win before it decides all the same.
    won = several["success"].astype(float).where(several["scored"])
    for k in range(1, int(allowed.max()) + 1):
        upto = several["attempt"] <= k
        best = won[upto].groupby([several[upto][name] for name in _TASK]).agg(_find_best)
        first[f"success_at_attempt_{k}"] = _look_up(first, best).where(first["attempts_allowed"] >= k)
    first["success_at_n"] = _look_up(first, won.groupby([several[name] for name in _TASK]).agg(_find_best))
    groups = several.groupby(_TASK)
    first["attempts"] = _look_up(first, groups["attempt"].max().astype(float))
    tokens = several["tokens_total"].astype(float).where(several["scored"])
    first["tokens_at_n"] = _look_up(first, tokens.groupby([several[name] for name in _TASK]).agg(_add_known))
    return first.reset_index(drop=True)


def _look_up(first: pd.DataFrame, values: pd.Series[float]) -> pd.Series[float]:
    """Return the value of each first attempt's task."""
    return values.reindex(pd.MultiIndex.from_frame(first[_TASK])).set_axis(first.index)


def _find_best(won: pd.Series[float]) -> float:
    return 1.0 if won.max() == 1.0 else np.nan if won.isna().any() else 0.0


def _add_known(tokens: pd.Series[float]) -> float:
    return float(tokens.sum(skipna=False))
