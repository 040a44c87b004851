"""The frontier of tokens against success as numbers: the table twin that every figure is drawn from.

Knows items and statistics; draws nothing (``figure.py`` does).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from bench.errors import unknown_name
from bench.report.aggregate import PRIVILEGED, TASK, mean_of
from bench.report.columns import BLANK
from bench.report.formats import Grid, Section, rounded, to_latex, to_markdown, to_rich
from bench.report.items import Block, blocks, prepare, score_names
from bench.scoring.metric_names import resolve_metric
from bench.stats.bootstrap import FEW_CLUSTERS
from bench.stats.interval import seed_of
from bench.stats.pareto import TOLERANCE, Cloud, Point, hull, resample, staircase

__all__ = ["FRONTIER_FORMATS", "Frontier", "Spot", "frontier", "render_frontier"]

FRONTIER_FORMATS = ("rich", "md", "csv", "latex", "json")


@dataclass(frozen=True, slots=True)
class Spot:
    """One strategy on the plane of cost and value. Intervals are None where the row could not be resampled."""

    strategy: str
    n: int
    n_total: int
    cost: float | None
    """None = not told for some call."""
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
    """Some of its tokens were estimated, not told by a provider."""
    privileged: bool = False
    """It was told the evidence: drawn, never on the frontier."""

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


def frontier(frame: pd.DataFrame, *, x: str = "tokens_total", y: str = "success") -> tuple[Frontier, ...]:
    """Return the frontier of each block of runs: less of ``x`` and more of ``y`` is better.

    Rows with unscored trials or missing tokens are shown and cannot be on it.
    Raises: UsageError for an unknown metric.
    """
    items = prepare(frame)
    known = score_names(items)
    x, y = (resolve_metric("frontier", given, known).name for given in (x, y))
    return tuple(_of_block(block, x, y) for block in blocks(items))


def _of_block(block: Block, x: str, y: str) -> Frontier:
    bare = [_bare(block, name, x, y) for name in block.strategies]
    solid = [spot.strategy for spot in bare if spot.solid]
    shared = _shared(block, solid, x, y)
    points = [Point(n, float(shared[x][n].mean()), float(shared[y][n].mean())) for n in solid] if len(shared) else []
    on, hulled = {p.name for p in staircase(points)}, {p.name for p in hull(points)}
    units = _units(block, shared)
    clouds = {cloud.name: cloud for cloud in _clouds(block, solid, shared, x, y)}
    means = {point.name: point for point in points}
    spots = [
        _placed(spot, means[spot.strategy], clouds[spot.strategy], spot.strategy in on, spot.strategy in hulled)
        if spot.strategy in means
        else spot
        for spot in bare
    ]
    spots.sort(key=lambda s: (s.cost is None, s.cost or 0.0, -(s.value or 0.0), s.strategy))
    n_units = len(set(units))
    unit = "task" if n_units == len(shared) else "cluster"
    item = "question" if bool((block.items["item"] != block.items["task"]).any()) else "task"
    return Frontier(block.name, block.offline, x, y, len(shared), unit, n_units, tuple(spots), item)


def _bare(block: Block, strategy: str, x: str, y: str) -> Spot:
    """The means of one row over its own tasks, nothing resampled."""
    items = block.of(strategy)
    estimated = "estimated_calls" in items.columns and bool((items["estimated_calls"] > 0).any())
    scored = bool(items["scored"].any())
    # A mean over the tasks that happen to have a number would be no frontier: all or nothing, on both axes. A question
    # that no row can have the score of (it takes a judge, say) is none of them.
    whole = {x: _whole(items[items["scored"]], x), y: _whole(_with_value(block, items[items["scored"]], y), y)}
    cost, value = (mean_of(items, name) if scored and whole[name] else None for name in (x, y))
    n = int(items["scored"].sum())
    privileged = bool(items["fingerprint"].str.contains(PRIVILEGED, regex=False).any())
    return Spot(strategy, n, len(items), cost, None, None, value, None, None, False, False, None, estimated, privileged)


def _whole(items: pd.DataFrame, metric: str) -> bool:
    return bool(items[metric].notna().all())


def _with_value(block: Block, items: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return those items of a row that some row of the block has the score of."""
    somewhere = block.items.loc[block.items[metric].notna(), TASK].drop_duplicates()
    return items.merge(somewhere, on=TASK)


def _placed(spot: Spot, point: Point, cloud: Cloud, on: bool, on_hull: bool) -> Spot:
    return Spot(
        spot.strategy, spot.n, spot.n_total, point.cost, cloud.cost.low, cloud.cost.high, point.value,
        cloud.value.low, cloud.value.high, on, on_hull, cloud.membership, spot.estimated, spot.privileged,
    )  # fmt: skip


def _shared(block: Block, strategies: Sequence[str], x: str, y: str) -> pd.DataFrame:
    """Both metrics of the tasks scored for all the strategies: columns (metric, strategy), repeats averaged."""
    part = block.items[block.items["strategy"].isin(strategies) & block.items["scored"]]
    part = part.assign(**{x: part[x].astype(float), y: part[y].astype(float)})
    wide = part.pivot_table(index=TASK, columns="strategy", values=list(dict.fromkeys((x, y))), aggfunc="mean")
    return wide.dropna()


def _units(block: Block, shared: pd.DataFrame) -> list[str]:
    """Name what each task is resampled with: its cluster, or itself where clusters are too few to resample."""
    cluster = block.items.drop_duplicates(TASK).set_index(TASK)["cluster"]
    names = [str(cluster.loc[unit]) for unit in shared.index]
    return names if len(set(names)) >= FEW_CLUSTERS else ["\x1f".join(map(str, unit)) for unit in shared.index]


def _clouds(block: Block, strategies: Sequence[str], shared: pd.DataFrame, x: str, y: str) -> tuple[Cloud, ...]:
    if not len(shared):
        return ()
    seed = seed_of(block.suite, block.split, block.model, str(block.attempt), x, y, "frontier")
    costs, values = (
        np.column_stack([shared[axis][n].to_numpy(dtype=np.float64) for n in strategies]) for axis in (x, y)
    )
    return resample(list(strategies), costs, values, _units(block, shared), seed=seed)


def render_frontier(
    found: Sequence[Frontier], style: str = "rich", *, width: int = 120, color: bool = False, hulls: bool = False
) -> str:
    """Return the numbers of frontiers as text: rich, md, csv, latex or json.

    Raises: UsageError for an unknown format.
    """
    if style == "json":
        return json.dumps([rounded(asdict(one)) for one in found], indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if style == "csv":
        return _csv(found)
    if style not in FRONTIER_FORMATS:
        raise unknown_name("frontier", f"--format {'|'.join(FRONTIER_FORMATS)}", style, FRONTIER_FORMATS)
    axes = found[0] if found else Frontier("", False, "tokens_total", "success", 0, "task", 0, ())
    header = ("strategy", "n", axes.x, "[95 %]", axes.y, "[95 %]", "hull" if hulls else "frontier", "membership")
    sections = []
    for one in found:
        lines = tuple(_line(spot, hulls) for spot in one.spots)
        chosen = tuple(spot.on_hull if hulls else spot.on_frontier for spot in one.spots)
        sections.append(Section(one.title, lines, tuple(not spot.solid for spot in one.spots), chosen))
    left = (True, False, False, False, False, False, True, False)
    grid = Grid(header, left, (0, 0, 0, 2, 0, 1, 0, 0), tuple(sections), _notes(found, hulls))
    if style == "rich":
        return to_rich(grid, width=width, color=color)
    return to_markdown(grid) if style == "md" else to_latex(grid)


def _line(spot: Spot, hulls: bool) -> tuple[str, ...]:
    chosen = spot.on_hull if hulls else spot.on_frontier
    return (
        spot.strategy,
        f"{spot.n}/{spot.n_total}",
        ("~" if spot.estimated and spot.cost is not None else "") + _cost(spot.cost),
        BLANK if spot.cost_low is None else f"[{_cost(spot.cost_low)}, {_cost(spot.cost_high)}]",
        BLANK if spot.value is None else f"{spot.value:.3f}",
        BLANK if spot.value_low is None else f"[{spot.value_low:.3f}, {spot.value_high:.3f}]",
        "yes" if chosen else _why_not(spot),
        BLANK if spot.membership is None else f"{100 * spot.membership:.0f} %",
    )


def _why_not(spot: Spot) -> str:
    if spot.solid:
        return "no"
    if spot.privileged or not spot.ranked:
        return "told the evidence" if spot.privileged else "not ranked"
    return "tokens not told" if spot.cost is None else "score missing"


def _cost(value: float | None) -> str:
    return BLANK if value is None else f"{value:,.0f}" if abs(value) >= 10 or value == 0 else f"{value:.4g}"


def _notes(found: Sequence[Frontier], hulls: bool) -> tuple[str, ...]:
    shared = sorted({one.n_shared for one in found})
    units = sorted({f"{one.n_units} {one.unit}s" for one in found})
    items = "s or ".join(sorted({one.item for one in found}, reverse=True)) + "s"
    out = [
        f"Frontier: rows that no other row of their suite dominates (no worse on both means and better on one by more "
        f"than {TOLERANCE:g}); ties are kept.",
        f"Means over the {' or '.join(map(str, shared))} {items} scored for every complete row; [95 % percentile "
        f"bootstrap], all rows resampled together over {' or '.join(units)} (over {items} where there are fewer than "
        f"{FEW_CLUSTERS} clusters); membership: share of resamples in which a row is on the frontier.",
    ]
    if hulls:
        out.insert(1, "HAL hull: the upper convex hull of the means without its dominated points.")
    if any(spot.estimated for one in found for spot in one.spots):
        out.append("~ some tokens were estimated by a tokenizer, not told by the provider.")
    if any(not spot.ranked for one in found for spot in one.spots):
        out.append("Rows with unscored trials stand apart: means over their own tasks, not ranked.")
    if any(one.offline for one in found):
        out.append("offline (rule-based): a fixed program read the prompts, not a language model.")
    return tuple(out)


def _csv(found: Sequence[Frontier]) -> str:
    records = [
        rounded({"block": one.title, "x": one.x, "y": one.y, "n_shared": one.n_shared} | asdict(spot))
        for one in found
        for spot in one.spots
    ]
    out = io.StringIO()
    if records:
        writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    return out.getvalue()
