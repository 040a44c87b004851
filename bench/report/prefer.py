"""Of a task that two runs hold for one strategy, the trials of a preferred run are taken.

So a row that was played anew, or a new row with its own reference row, joins results that exist."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

__all__ = ["join_preferred", "take_preferred"]

_PREFERRED = "preferred"


def join_preferred(others: pd.DataFrame, preferred: pd.DataFrame) -> pd.DataFrame:
    """Return the items of both, marked for ``take_preferred``."""
    marked = (others.assign(**{_PREFERRED: False}), preferred.assign(**{_PREFERRED: True}))
    return pd.concat([one for one in marked if len(one)], ignore_index=True)


def take_preferred(items: pd.DataFrame, trial: Sequence[str]) -> pd.DataFrame:
    """Return the items without those of a task that a preferred run holds too: with all its attempts, scored or not.

    ``trial``: the columns that say which trial an item is of. Items that nobody marked are returned as they are.
    """
    if _PREFERRED not in items.columns:
        return items
    keys = pd.MultiIndex.from_frame(items[[name for name in trial if name != "attempt"]])
    first = items[_PREFERRED].to_numpy(dtype=bool)
    return items[first | ~keys.isin(keys[first])].drop(columns=_PREFERRED).reset_index(drop=True)
