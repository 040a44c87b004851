"""Percentiles of what decisions took, over all decisions of a row: no mean of the means of its trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bench.report.items import Block
from bench.report.row import ALL, Row
from bench.store.latencies import LATENCIES

__all__ = ["add_latency"]

_PERCENTS = (50, 95)


def add_latency(rows: Sequence[Row], block: Block) -> tuple[Row, ...]:
    """Return the rows with ``recall_p50_s``, ``recall_p95_s`` and the same of the whole decision, thoughts included.

    Unchanged where nothing was measured, and for a group of the questions of conversations: which question a decision
    was about does not stand in the items.
    """
    if LATENCIES not in block.items.columns:
        return tuple(rows)
    return tuple(_measure(row, block) for row in rows)


def _measure(row: Row, block: Block) -> Row:
    items = block.of(row.strategy)
    if row.group != ALL:
        items = items[items["group"] == row.group]
    if row.clusters is not None and row.group != ALL:
        return row
    known = items[items["scored"] & items[LATENCIES].notna()][LATENCIES]
    pairs = np.array([pair for trial in known for pair in trial], dtype=np.float64).reshape(-1, 2)
    if not len(pairs):
        return row
    found = {
        f"{what}_p{percent}_s": float(np.percentile(pairs[:, side], percent))
        for side, what in enumerate(("recall", "decision"))
        for percent in _PERCENTS
    }
    return replace(row, values={**row.values, **found})
