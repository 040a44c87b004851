"""What repeats and groups add to a row: how far its runs (seeds) lie apart, and means in which each group counts once.

Knows blocks and rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import pandas as pd

from bench.report.aggregate import average
from bench.report.items import Block
from bench.report.row import ALL, Row

__all__ = ["MACRO", "add_macro_means", "add_spread", "average_groups", "find_groups"]

MACRO = "macro_"
"""``macro_success`` is the mean over the groups of ``success``."""
_SUCCESS = "success"


def add_spread(rows: Sequence[Row], block: Block) -> tuple[Row, ...]:
    """Return the rows with the standard deviation (n - 1) of success between runs, where there are several.

    Each run's value is its mean over the tasks that it scored.
    """
    if _SUCCESS not in block.items.columns or all(row.runs < 2 for row in rows):
        return tuple(rows)
    return tuple(
        replace(row, values={**row.values, "success_spread": _measure_spread(_select(block, row))})
        if row.runs > 1
        else row
        for row in rows
    )


def _measure_spread(items: pd.DataFrame) -> float | None:
    scored = items[items["scored"]]
    means = scored[_SUCCESS].astype(float).groupby(scored["seed"]).mean().dropna()
    return float(means.std(ddof=1)) if len(means) > 1 else None


def add_macro_means(rows: Sequence[Row], block: Block, metrics: Collection[str]) -> tuple[Row, ...]:
    """Return the rows with the mean over groups of each of these scores, under ``macro_`` and the score's name."""
    groups = {f"{MACRO}{name}": (name, find_groups(block, name)) for name in metrics if name in block.items.columns}
    return tuple(
        replace(row, values={**row.values, **{key: _average(block, row, *of) for key, of in groups.items()}})
        for row in rows
    )


def _average(block: Block, row: Row, metric: str, groups: Sequence[str]) -> float | None:
    items = _select(block, row)
    mine = [group for group in groups if row.group in (ALL, group)]
    return average_groups([average(items[items["group"] == group], metric) for group in mine])


def find_groups(block: Block, metric: str) -> tuple[str, ...]:
    """Return the groups of tasks in which a score is known of anything: a refusal has no F1 in LoCoMo's category 5."""
    known = block.items[block.items[metric].notna()]
    return tuple(sorted({str(group) for group in known["group"]}))


def average_groups(values: Sequence[float | None]) -> float | None:
    """Return the mean of the groups' values; unknown if one is: a mean over the others is of other groups."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _select(block: Block, row: Row) -> pd.DataFrame:
    mine = block.of(row.strategy)
    return mine if row.group == ALL else mine[mine["group"] == row.group]
