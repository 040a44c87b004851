"""The frontier of tokens against success as numbers: the table twin that every figure is drawn from.

Knows items and statistics; ``frontier_text.py`` writes the numbers, ``figures/frontier.py`` draws them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bench.report.aggregate import PRIVILEGED, TASK, average
from bench.report.items import Block, prepare, score_names, split_blocks
from bench.scoring.metric import Better, Metric
from bench.scoring.metric_names import resolve_metric
from bench.stats.bootstrap import FEW_CLUSTERS
from bench.stats.interval import seed_of
from bench.stats.pareto import Cloud, Point, hull, resample, staircase

__all__ = ["Frontier", "Spot", "cost_sign", "find_frontiers"]


@dataclass(frozen=True, slots=True)
class Spot:
    """One strategy on the plane of cost and value. Intervals are None where the row could not be resampled."""

    strategy: str
    n: int
    n_total: int
    cost: float | None
    """None = missing for some call."""
    cost_low: float | None
    cost_high: float | None
    value: float | None
    value_low: float | None
    value_high: float | None
    on_frontier: bool
    on_hull: bool
    membership: float | None
    """Share of bootstrap resamples in which the row is on the frontier."""
    estimated: bool
    """Some of its tokens were estimated, not reported by a provider."""
    privileged: bool = False
    """It was given the evidence: drawn, never on the frontier."""

    @property
    def ranked(self) -> bool:
        return self.n == self.n_total

    @property
    def solid(self) -> bool:
        """Complete and measured: may be on the frontier."""
        return self.ranked and not self.privileged and self.cost is not None and self.value is not None


@dataclass(frozen=True, slots=True)
class Frontier:
    """All strategies of one suite, split, model and attempt."""

    title: str
    offline: bool
    x: str
    y: str
    n_shared: int
    """Tasks that the intervals and memberships rest on: those scored for every complete row."""
    unit: str
    """What was resampled: ``task`` or ``cluster``."""
    n_units: int
    spots: tuple[Spot, ...]
    item: str = "task"
    """What a mean is over: ``task``, or ``question``."""
    notes: tuple[str, ...] = ()
    """A sentence for each row with models of its own for some roles."""


@dataclass(frozen=True, slots=True)
class _Plane:
    """The two metrics, turned so that less of x and more of y is better, as the statistics have it."""

    x: str
    y: str
    x_sign: int
    y_sign: int


def cost_sign(metric: Metric) -> int:
    """Return -1 for a metric on the cost axis of which more is better, else 1."""
    return -1 if metric.better is Better.HIGHER else 1


def find_frontiers(frame: pd.DataFrame, *, x: str = "tokens_total", y: str = "success") -> tuple[Frontier, ...]:
    """Return the frontier of each block of runs; which way is better, the catalogue says for both axes.

    Rows with unscored trials or missing tokens are shown and cannot be on it.
    Raises: UsageError for an unknown metric, or one that the runs have no values for.
    """
    items = prepare(frame)
    known = score_names(items)
    cost, value = (resolve_metric("frontier", name, known) for name in (x, y))
    plane = _Plane(cost.name, value.name, cost_sign(cost), value.sign)
    return tuple(_find_in_block(block, plane) for block in split_blocks(items))


def _find_in_block(block: Block, plane: _Plane) -> Frontier:
    bare = [_average(block, name, plane.x, plane.y) for name in block.strategies]
    solid = [spot.strategy for spot in bare if spot.solid]
    shared = _pivot_shared(block, solid, plane)
    means = {name: _average_shared(shared, name, plane) for name in (solid if len(shared) else ())}
    points = list(means.values())
    on, on_hull = {p.name for p in staircase(points)}, {p.name for p in hull(points)}
    units = _name_units(block, shared)
    clouds = {cloud.name: cloud for cloud in _resample_block(block, solid, shared, plane)}
    spots = [
        _place(replace(spot, on_frontier=name in on, on_hull=name in on_hull), means[name], clouds[name], plane)
        if (name := spot.strategy) in means
        else spot
        for spot in bare
    ]
    spots.sort(key=lambda s: (s.cost is None, s.cost or 0.0, -(s.value or 0.0), s.strategy))
    n_units = len(set(units))
    unit = "task" if n_units == len(shared) else "cluster"
    item = "question" if bool((block.items["item"] != block.items["task"]).any()) else "task"
    return Frontier(
        block.name, block.offline, plane.x, plane.y, len(shared), unit, n_units, tuple(spots), item, block.role_notes
    )


def _average(block: Block, strategy: str, x: str, y: str) -> Spot:
    """Return the means of one row over its own tasks, nothing resampled."""
    items = block.of(strategy)
    estimated = "estimated_calls" in items.columns and bool((items["estimated_calls"] > 0).any())
    scored = items[items["scored"]]
    # A mean over the tasks that happen to have a number would be no frontier: all or nothing, on both axes. A question
    # that no row can have the score of (it takes a judge, say) is none of them.
    cost = average(items, x) if len(scored) and _is_complete(scored, x) else None
    value = average(items, y) if len(scored) and _is_complete(_select_gradable(block, scored, y), y) else None
    privileged = bool(items["fingerprint"].str.contains(PRIVILEGED, regex=False).any())
    n = len(scored)
    return Spot(strategy, n, len(items), cost, None, None, value, None, None, False, False, None, estimated, privileged)


def _average_shared(shared: pd.DataFrame, name: str, plane: _Plane) -> Point:
    return Point(
        name, plane.x_sign * float(shared[plane.x][name].mean()), plane.y_sign * float(shared[plane.y][name].mean())
    )


def _is_complete(items: pd.DataFrame, metric: str) -> bool:
    return bool(items[metric].notna().all())


def _select_gradable(block: Block, items: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return those items of a row that some row of the block has the score of."""
    somewhere = block.items.loc[block.items[metric].notna(), TASK].drop_duplicates()
    return items.merge(somewhere, on=TASK)


def _place(spot: Spot, point: Point, cloud: Cloud, plane: _Plane) -> Spot:
    """Return the spot with the means and bars of the shared tasks, in the metrics' own direction."""
    cost_low, cost_high = sorted((plane.x_sign * cloud.cost.low, plane.x_sign * cloud.cost.high))
    value_low, value_high = sorted((plane.y_sign * cloud.value.low, plane.y_sign * cloud.value.high))
    return replace(
        spot,
        cost=plane.x_sign * point.cost,
        cost_low=cost_low,
        cost_high=cost_high,
        value=plane.y_sign * point.value,
        value_low=value_low,
        value_high=value_high,
        membership=cloud.membership,
    )


def _pivot_shared(block: Block, strategies: Sequence[str], plane: _Plane) -> pd.DataFrame:
    """Both metrics of the tasks scored for all the strategies: columns (metric, strategy), repeats averaged."""
    part = block.items[block.items["strategy"].isin(strategies) & block.items["scored"]]
    x, y = plane.x, plane.y
    part = part.assign(**{x: part[x].astype(float), y: part[y].astype(float)})
    wide = part.pivot_table(index=TASK, columns="strategy", values=list(dict.fromkeys((x, y))), aggfunc="mean")
    return wide.dropna()


def _name_units(block: Block, shared: pd.DataFrame) -> list[str]:
    """Name what each task is resampled with: its cluster, or itself where clusters are too few to resample."""
    cluster = block.items.drop_duplicates(TASK).set_index(TASK)["cluster"]
    names = [str(cluster.loc[unit]) for unit in shared.index]
    return names if len(set(names)) >= FEW_CLUSTERS else ["\x1f".join(map(str, unit)) for unit in shared.index]


def _resample_block(block: Block, strategies: Sequence[str], shared: pd.DataFrame, plane: _Plane) -> tuple[Cloud, ...]:
    if not len(shared):
        return ()
    seed = seed_of(block.suite, block.split, block.model, str(block.attempt), plane.x, plane.y, "frontier")
    costs, values = (
        sign * np.column_stack([shared[axis][n].to_numpy(dtype=np.float64) for n in strategies])
        for axis, sign in ((plane.x, plane.x_sign), (plane.y, plane.y_sign))
    )
    return resample(list(strategies), costs, values, _name_units(block, shared), seed=seed)
