"""The two axes of a frontier: which metric, which way is better, with or without what learning took, and its name.

Knows the catalogue and items; no statistic and no picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from bench.errors import UsageError
from bench.report.items import Block, score_names
from bench.scoring.metric import Better, Metric, Topic
from bench.scoring.metric_names import find_metric, list_metrics, resolve_metric

__all__ = [
    "Axis",
    "Plane",
    "add_learning",
    "build_cost_axis",
    "choose_plane",
    "describe_axis",
    "find_main_score",
    "name_axis",
]

_MAIN = "success"
"""Of a question it is its suite's main score, which has a name of its own."""
_PARTS = ("success_sound", "judge_sound")
"""Another score over a part of the questions, which may happen to be all of them."""
_BUILD = {"tokens_total": ("tokens_with_build", "tokens_build"), "cost_usd": ("", "build_cost_usd")}
"""What can hold the cost of learning: the metric that has it, and the column to add where there is none."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis. ``sign`` turns it as the statistics have it: less cost and more value are better."""

    metric: Metric
    sign: int
    learning: str = ""
    """Where rows learned something: ``included``, or ``left out``."""


@dataclass(frozen=True, slots=True)
class Plane:
    """Both axes."""

    x: Axis
    y: Axis

    @property
    def undirected(self) -> tuple[str, ...]:
        """The metrics of which neither more nor less is better: with one, no row dominates another."""
        return tuple(one.metric.name for one in (self.x, self.y) if one.metric.better is Better.NEITHER)


def choose_plane(items: pd.DataFrame, x: str, y: str, learning: bool | None) -> Plane:
    """Return the axes that a user means. ``learning``: whether x holds what learning took; None = as ``x`` says.

    Raises: UsageError for an unknown metric, one that the runs have no values for, or one that learning is no part of.
    """
    known = score_names(items)
    cost, value = (resolve_metric("frontier", name, known) for name in (x, y))
    said = ""
    if learning and cost.name not in (*_BUILD, *(whole for whole, _ in _BUILD.values())):
        raise UsageError(
            f"frontier: expected an x that learning is a part of, got {x!r} with --build-cost on; write -x tokens "
            "or -x cost"
        )
    if cost.name in _BUILD and "tokens_build" in items.columns:
        said = "included" if learning else "left out"
        whole = _BUILD[cost.name][0]
        if learning and whole:
            cost = resolve_metric("frontier", whole, known)
    return Plane(build_cost_axis(cost, said), Axis(value, value.sign))


def build_cost_axis(metric: Metric, learning: str = "") -> Axis:
    """Return the axis of which less is better, unless more is."""
    return Axis(metric, -1 if metric.better is Better.HIGHER else 1, learning)


def add_learning(items: pd.DataFrame, plane: Plane) -> pd.DataFrame:
    """Return the items with the cost of learning in the column of x, where no metric of its own holds it."""
    name = plane.x.metric.name
    whole, part = _BUILD.get(name, ("", ""))
    if plane.x.learning != "included" or whole or part not in items.columns:
        return items
    learned = items[part].astype(float).where(items["tokens_build"].astype(float) != 0, 0.0)
    return items.assign(**{name: items[name].astype(float) + learned})


def find_main_score(block: Block) -> str:
    """Return the metric of answers that is the main score of a block of questions (LoCoMo's is F1), by its values:
    the first of the catalogue that equals it on every question. Empty for episodes, and where none does."""
    items = block.items[block.items["scored"]]
    if _MAIN not in items or not bool((items["item"] != items["task"]).any()):
        return ""
    main = items[_MAIN].astype(float)
    for metric in list_metrics():
        whole = metric.topic is Topic.ANSWERS and metric.is_share and metric.name not in _PARTS
        if whole and metric.name in items and main.notna().any():
            own = items[metric.name].astype(float)
            if bool(((own - main).abs() <= 1e-12)[main.notna()].all()):
                return metric.name
    return ""


def name_axis(axis: Axis, main: str) -> Metric:
    """Return the metric that an axis is named for; ``main``: that of the main score, where the axis has it."""
    found = find_metric(main) if main and axis.metric.name == _MAIN else None
    return found or axis.metric


def describe_axis(axis: Axis, main: str, item: str, *, cost: bool) -> str:
    """Return what an axis shows, in words, and which way is better where a reader would not expect it."""
    metric = name_axis(axis, main)
    words = metric.axis.format(item=item) or (metric.header or metric.name.replace("_", " ")).removesuffix(" %")
    if axis.learning and "learning" not in words:
        words += f", learning {axis.learning}"
    if axis.metric.better is Better.NEITHER:
        return f"{words} (neither way better)"
    expected = Better.LOWER if cost else Better.HIGHER
    return words if axis.metric.better is expected else f"{words} ({'more' if cost else 'less'} is better)"
