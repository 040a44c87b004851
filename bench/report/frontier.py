"""The frontier of tokens against success as numbers: the table twin that every figure is drawn from.

Knows items and statistics; ``frontier_text.py`` writes the numbers, ``figures/frontier.py`` draws them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bench.report.aggregate import PRIVILEGED, TASK, average
from bench.report.frontier_axes import (
    Axis,
    Plane,
    add_learning,
    build_cost_axis,
    choose_plane,
    find_main_score,
    name_axis,
)
from bench.report.items import Block, prepare, split_blocks
from bench.scoring.metric import Aggregate
from bench.scoring.metric_names import resolve_metric
from bench.stats.bootstrap import FEW_CLUSTERS
from bench.stats.interval import seed_of
from bench.stats.pareto import Cloud, Point, hull, resample, staircase

__all__ = ["SANITY", "Frontier", "Spot", "find_frontiers"]

SANITY = ("no-memory", "always-refuse")
"""Rows that show what a score is worth and compete with nobody; those that were given the evidence are others."""


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
    """It was given the evidence."""
    sanity: bool = False
    """It shows what a score is worth, as a floor or a ceiling: drawn apart, never on the frontier."""

    @property
    def ranked(self) -> bool:
        return self.n == self.n_total

    @property
    def solid(self) -> bool:
        """Complete and measured, its evidence not given."""
        return self.ranked and not self.privileged and self.cost is not None and self.value is not None

    @property
    def competes(self) -> bool:
        """May be on the frontier."""
        return self.solid and not self.sanity


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
    main: str = ""
    """The metric that is the main score of the block's questions; empty for episodes."""
    learning: str = ""
    """Whether x holds what learning took: ``included``, ``left out``, or empty where nothing was learned."""
    undirected: tuple[str, ...] = ()
    """Those of the two metrics of which neither more nor less is better: with one there is no frontier."""
    run: str = ""
    """The folder, where two runs of one block are told apart."""

    @property
    def suite(self) -> str:
        return self.title.partition(" · ")[0]

    @property
    def x_axis(self) -> Axis:
        return build_cost_axis(resolve_metric("frontier", self.x, (self.x,)), self.learning)

    @property
    def x_name(self) -> str:
        """The short name of the cost."""
        return _shorten_header(self.x_axis, self.main)

    @property
    def y_name(self) -> str:
        return _shorten_header(self.y_axis, self.main)

    @property
    def y_axis(self) -> Axis:
        metric = resolve_metric("frontier", self.y, (self.y,))
        return Axis(metric, metric.sign)


def _shorten_header(axis: Axis, main: str) -> str:
    metric = name_axis(axis, main)
    return (metric.header or metric.name.replace("_", " ")).removesuffix(" %")


def find_frontiers(
    frame: pd.DataFrame, *, x: str = "tokens_total", y: str = "success", learning: bool | None = None, run: str = ""
) -> tuple[Frontier, ...]:
    """Return the frontier of each block of runs; which way is better, the catalogue says for both axes.

    Rows with unscored trials or missing tokens are shown and cannot be on it; nor can rows that compete with nobody
    (``SANITY``, and those given the evidence). ``learning``: whether x, tokens or cost, holds what learning took.
    Raises: UsageError for an unknown metric, or one that the runs have no values for.
    """
    items = prepare(frame)
    plane = choose_plane(items, x, y, learning)
    return tuple(_find_in_block(block, plane, run) for block in split_blocks(add_learning(items, plane)))


def _find_in_block(block: Block, plane: Plane, run: str) -> Frontier:
    bare = [_average(block, name, plane) for name in block.strategies]
    solid = [spot.strategy for spot in bare if spot.solid]
    rivals = [spot.strategy for spot in bare if spot.competes]
    shared = _pivot_shared(block, solid, plane)
    means = {name: _average_shared(shared, name, plane) for name in (solid if len(shared) else ())}
    points = [] if plane.undirected else [means[name] for name in rivals if name in means]
    on, on_hull = {p.name for p in staircase(points)}, {p.name for p in hull(points)}
    units = _name_units(block, shared)
    clouds = {cloud.name: cloud for cloud in _resample_block(block, solid, shared, plane)}
    clouds |= {cloud.name: cloud for cloud in _resample_block(block, rivals, shared, plane)}
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
        block.name, block.offline, plane.x.metric.name, plane.y.metric.name, len(shared), unit, n_units, tuple(spots),
        item, block.role_notes, find_main_score(block), plane.x.learning, plane.undirected, run,
    )  # fmt: skip


def _average(block: Block, strategy: str, plane: Plane) -> Spot:
    """Return the means of one row over its own tasks, nothing resampled."""
    items, x, y = block.of(strategy), plane.x.metric.name, plane.y.metric.name
    estimated = "estimated_calls" in items.columns and bool((items["estimated_calls"] > 0).any())
    scored = items[items["scored"]]
    cost, value = (average(items, name) if _is_complete(block, scored, name) else None for name in (x, y))
    privileged = bool(items["fingerprint"].str.contains(PRIVILEGED, regex=False).any())
    return Spot(
        strategy, len(scored), len(items), cost, None, None, value, None, None, False, False, None, estimated,
        privileged, privileged or strategy in SANITY,
    )  # fmt: skip


def _average_shared(shared: pd.DataFrame, name: str, plane: Plane) -> Point:
    cost, value = (one.sign * float(shared[one.metric.name][name].mean()) for one in (plane.x, plane.y))
    return Point(name, cost, value)


def _is_complete(block: Block, scored: pd.DataFrame, name: str) -> bool:
    """True if a row's mean is over everything: one over the tasks that happen to have a number would be no frontier.

    A question that no row can have the score of (it takes a judge, say, or rests on no evidence) is no part of that;
    usage that every row lacks is.
    """
    metric = resolve_metric("frontier", name, (name,))
    if metric.aggregate is not Aggregate.STRICT_MEAN:
        somewhere = block.items.loc[block.items[name].notna(), TASK].drop_duplicates()
        scored = scored.merge(somewhere, on=TASK)
    return len(scored) > 0 and bool(scored[name].notna().all())


def _place(spot: Spot, point: Point, cloud: Cloud, plane: Plane) -> Spot:
    """Return the spot with the means and bars of the shared tasks, in the metrics' own direction."""
    x, y = plane.x.sign, plane.y.sign
    cost_low, cost_high = sorted((x * cloud.cost.low, x * cloud.cost.high))
    value_low, value_high = sorted((y * cloud.value.low, y * cloud.value.high))
    return replace(
        spot, cost=x * point.cost, cost_low=cost_low, cost_high=cost_high, value=y * point.value, value_low=value_low,
        value_high=value_high, membership=None if spot.sanity or plane.undirected else cloud.membership,
    )  # fmt: skip


def _pivot_shared(block: Block, strategies: Sequence[str], plane: Plane) -> pd.DataFrame:
    """Both metrics of the tasks scored for all the strategies: columns (metric, strategy), repeats averaged."""
    part = block.items[block.items["strategy"].isin(strategies) & block.items["scored"]]
    x, y = plane.x.metric.name, plane.y.metric.name
    part = part.assign(**{x: part[x].astype(float), y: part[y].astype(float)})
    wide = part.pivot_table(index=TASK, columns="strategy", values=list(dict.fromkeys((x, y))), aggfunc="mean")
    return wide.dropna()


def _name_units(block: Block, shared: pd.DataFrame) -> list[str]:
    """Name what each task is resampled with: its cluster, or itself where clusters are too few to resample."""
    cluster = block.items.drop_duplicates(TASK).set_index(TASK)["cluster"]
    names = [str(cluster.loc[unit]) for unit in shared.index]
    return names if len(set(names)) >= FEW_CLUSTERS else ["\x1f".join(map(str, unit)) for unit in shared.index]


def _resample_block(block: Block, strategies: Sequence[str], shared: pd.DataFrame, plane: Plane) -> tuple[Cloud, ...]:
    if not len(shared) or not strategies:
        return ()
    x, y = plane.x.metric.name, plane.y.metric.name
    seed = seed_of(block.suite, block.split, block.model, str(block.attempt), x, y, "frontier")
    costs, values = (
        one.sign * np.column_stack([shared[one.metric.name][n].to_numpy(dtype=np.float64) for n in strategies])
        for one in (plane.x, plane.y)
    )
    return resample(list(strategies), costs, values, _name_units(block, shared), seed=seed)
