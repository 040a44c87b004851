"""What the order of a stream does: success among the first and the last tasks of each order, and how far orders differ.

An order is the unit here, not a task: trials of one order depend on those before them. Every row of a block plays the
same orders, so what the tasks at the end of an order are worth by themselves is seen in a row that learns nothing.
Knows blocks and rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from bench.report.items import Block
from bench.report.row import ALL, Row
from bench.scoring.metric import Values

__all__ = ["PLACE", "add_order_effect"]

PLACE = "place"
"""The column with the place of a task in the order of its seed, counted from 1."""
_ORDER = ["run", "seed"]


def add_order_effect(rows: Sequence[Row], block: Block) -> tuple[Row, ...]:
    """Return the rows with the scores of the first and the last third; unchanged where the block is no stream."""
    if PLACE not in block.items.columns or block.items[PLACE].isna().all() or "success" not in block.items.columns:
        return tuple(rows)
    length = block.items.groupby(_ORDER)[PLACE].transform("max")
    third = np.ceil(length / 3)
    items = block.items.assign(first=block.items[PLACE] <= third, last=block.items[PLACE] > length - third)
    return tuple(replace(row, values={**row.values, **_measure(_select(items, row))}) for row in rows)


def _select(items: pd.DataFrame, row: Row) -> pd.DataFrame:
    mine = items[items["strategy"] == row.strategy]
    return mine if row.group == ALL else mine[mine["group"] == row.group]


def _measure(items: pd.DataFrame) -> Values:
    first, last = (_average_orders(items[items[part]]) for part in ("first", "last"))
    found: dict[str, float | None] = {"success_first_third": None, "success_last_third": None}
    if first:
        found["success_first_third"] = sum(first) / len(first)
    if last:
        found["success_last_third"] = sum(last) / len(last)
    if len(last) > 1:
        found |= {"last_third_lowest": min(last), "last_third_highest": max(last)}
    return found


def _average_orders(items: pd.DataFrame) -> list[float]:
    """Return the mean success in each order; none as long as a trial has no score."""
    if not items["scored"].all():
        return []
    return items.groupby(_ORDER)["success"].apply(lambda values: values.astype(float).mean()).dropna().tolist()
