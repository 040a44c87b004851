"""The frontiers that the page can draw: each cost that the runs have against each score, as in ``bench frontier``."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bench.errors import UsageError
from bench.report.aggregate import MAIN_METRICS
from bench.report.frontier import Frontier, Spot, find_frontiers
from bench.report.table import Table

__all__ = ["describe_planes"]

_COSTS = ("tokens_total", "context_tokens_mean", "tokens_with_build", "query_tokens", "cost_usd", "calls", "steps")
_SCORES = (MAIN_METRICS[0], "progress", *MAIN_METRICS[1:])


def describe_planes(frame: pd.DataFrame, table: Table, *, most: int = 12) -> list[dict[str, Any]]:
    """Return the frontiers of each pair of a cost and a score with a column in the table, ``most`` pairs at most (each
    is a bootstrap of its own)."""
    names = {column.metric.name for column in table.columns if column.metric}
    nonzero = {name for row in table.rows for name, value in row.values.items() if value}
    pairs = [(x, y) for y in _SCORES if y in names for x in _COSTS if x in names & nonzero]
    return [plane for x, y in pairs[:most] for plane in _describe_pair(frame, x, y)]


def _describe_pair(frame: pd.DataFrame, x: str, y: str) -> list[dict[str, Any]]:
    try:
        return [_describe_frontier(one) for one in find_frontiers(frame, x=x, y=y) if _has_spots(one)]
    except UsageError:  # no trial has a score yet
        return []


def _has_spots(frontier: Frontier) -> bool:
    return any(spot.cost is not None and spot.value is not None for spot in frontier.spots)


def _describe_frontier(one: Frontier) -> dict[str, Any]:
    spots = [{name: getattr(spot, name) for name in Spot.__slots__} for spot in one.spots]
    fields = {name: getattr(one, name) for name in ("title", "x", "y", "n_shared", "unit", "n_units", "item", "notes")}
    return fields | {"spots": spots}
