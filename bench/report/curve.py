"""A learning curve as numbers: the score of each learner by the number of tasks it learned from.

Knows items and rows; ``curve_text.py`` writes the numbers, ``figures/curve.py`` draws them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from bench.report.aggregate import build_rows, compute_interval
from bench.report.items import Block, prepare, score_names, split_blocks
from bench.report.row import Row
from bench.report.row_names import LEARNED_TASKS, name_learner, name_rows
from bench.scoring.metric import Metric
from bench.scoring.metric_names import resolve_metric

__all__ = ["Curve", "Point", "find_curves"]


@dataclass(frozen=True, slots=True)
class Point:
    """One learner after a number of training tasks, or a strategy that learns nothing (``tasks`` 0)."""

    strategy: str
    tasks: int
    n: int
    n_total: int
    value: float | None
    low: float | None = None
    """Of the 95 % interval; None where there is none."""
    high: float | None = None
    memory_tokens: float | None = None
    tokens: float | None = None
    build_tokens: float | None = None
    """Gathering and learning, per evaluated task: what this point alone would have taken."""


@dataclass(frozen=True, slots=True)
class Curve:
    """All points of one suite, split and model: by strategy, then by number of tasks; what learns nothing first."""

    title: str
    y: str
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()
    """A sentence for each row with models of its own for some roles."""


def find_curves(frame: pd.DataFrame, y: str = "success") -> tuple[Curve, ...]:
    """Return the curves of the items of runs that learned from more and more tasks.

    Raises: UsageError for an unknown metric, or one that the runs have no values for.
    """
    items = prepare(frame)
    metric = resolve_metric("curve", y, score_names(items))
    learners = _find_learners(frame)
    return tuple(_find_in_block(block, metric, learners) for block in split_blocks(items))


def _find_learners(frame: pd.DataFrame) -> Mapping[str, tuple[str, int]]:
    """Return the learner and the number of tasks behind the name of each row that learned."""
    found: dict[str, tuple[str, int]] = {}
    texts = frame["fingerprint"].astype(str)
    for name, strategy, text in zip(name_rows(frame)["strategy"], frame["strategy"], texts, strict=True):
        if name not in found and LEARNED_TASKS in text:
            fields: dict[str, str] = json.loads(text)
            found[str(name)] = (name_learner(str(strategy), fields), int(fields[LEARNED_TASKS]))
    return found


def _find_in_block(block: Block, metric: Metric, learners: Mapping[str, tuple[str, int]]) -> Curve:
    rows = build_rows(block)
    points = [_find_point(row, block, metric, *learners.get(row.strategy, (row.strategy, 0))) for row in rows]
    order = {point.strategy: bool(point.tasks) for point in points}
    points.sort(key=lambda point: (order[point.strategy], point.strategy, point.tasks))
    return Curve(block.name, metric.name, tuple(points), block.role_notes)


def _find_point(row: Row, block: Block, metric: Metric, strategy: str, tasks: int) -> Point:
    items = block.of(row.strategy)
    value = row.value(metric.name)
    found = None if value is None else compute_interval(row, metric, items[items["scored"]])
    return Point(
        strategy,
        tasks,
        row.n,
        row.n_total,
        value,
        found.low if found else None,
        found.high if found else None,
        row.value("memory_tokens"),
        row.value("tokens_total"),
        row.value("tokens_build") if tasks else None,
    )
