"""Our number for a cell of a paper's table: from the items of recorded runs, in the unit that the paper prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from bench.errors import UsageError
from bench.papers.matching import Cell
from bench.registry import resolve_strategy, resolve_suite
from bench.report.aggregate import build_rows, compute_interval, has_several_questions
from bench.report.items import Block, prepare
from bench.report.paired_tests import pair
from bench.report.row import Row
from bench.scoring.metric import Aggregate, Metric
from bench.scoring.metric_names import find_metric
from bench.stats.interval import Interval, seed_of
from bench.stats.ratio import ratio_interval
from bench.stats.wilcoxon import signed_rank

__all__ = ["Measured", "RunItems"]

_PAIR = ["task", "item"]
_NOT_PLAYED = "no such task was played, or the strategy was left out"


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of ours, or why there is none."""

    value: float | None
    """Shares as percent, ratios of two strategies as percent, all else as recorded."""
    n: int
    """Scored items that it rests on; of a paired test the pairs, those without a difference counted."""
    n_planned: int
    low: float | None = None
    high: float | None = None
    """The 95 % interval, where there is one."""
    n_nonzero: int | None = None
    """Of a paired test: the pairs with a difference, which its rank sum rests on."""
    model: str = ""
    suite: str = ""
    split: str = ""
    why: str = ""


@dataclass
class RunItems:
    """The items of the runs of a recipe, by the name of the run; a run that is not there was not played."""

    frames: Mapping[str, pd.DataFrame]
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Why a run was not played."""
    _prepared: dict[str, pd.DataFrame] = field(default_factory=dict)
    _rows: dict[tuple[object, ...], Row] = field(default_factory=dict)

    def measure(self, cell: Cell) -> Measured:
        """Return the number of a cell. Raises: UsageError for a run that mixes environments."""
        items = self._select(cell, cell.strategy.ours)
        if items is None or items.empty:
            return Measured(None, 0, 0, why=self.skipped.get(cell.run, _NOT_PLAYED))
        first = items.iloc[0]
        scored = items[items["scored"]]
        n, n_planned = len(scored), len(items)
        about = Measured(None, n, n_planned, model=first["model"], suite=first["suite"], split=first["split"])
        if scored.empty:
            return replace(about, why="no task of it was scored")
        name = cell.metric.ours
        if name not in scored.columns or scored[name].isna().all():
            why = "no judge: add --judge" if name.startswith("judge_") else f"no {name} was recorded"
            return replace(about, why=why)
        if _find_metric(name).aggregate is not Aggregate.CARRIED_MEAN:
            n = int(scored[name].notna().sum())
        if cell.metric.statistic.startswith("wilcoxon"):
            return self._test(cell, items, about)
        value, interval = self._compute(cell, items)
        if value is None:
            return replace(about, n=n, why=f"{name} cannot be known: nothing to compare with, or gaps")
        scale = _find_scale(cell)
        # Equal values, or one task, have no spread, which is not the same as a certain value.
        known = interval if interval and interval.units > 1 and interval.low < interval.high else None
        ends = (known.low * scale, known.high * scale) if known else (None, None)
        return replace(about, value=value * scale, n=n, low=ends[0], high=ends[1])

    def _select(self, cell: Cell, label: str) -> pd.DataFrame | None:
        """Return the items of a strategy on the tasks of a cell."""
        items = self._prepare(cell.run)
        subset = cell.subset
        if items is None:
            return None
        label = resolve_strategy(label).label
        # A row that is marked (learned from evaluated tasks, edited) is the same strategy.
        chosen = (items["strategy"] == label) | items["strategy"].str.startswith(f"{label} (")
        if subset.suite:
            chosen &= items["suite"] == resolve_suite(subset.suite).label
        if subset.groups:
            chosen &= items["group"].isin(subset.groups)
        return _fill(items[chosen], cell.metric.ours, cell.metric.or_else)

    def _prepare(self, run: str) -> pd.DataFrame | None:
        if run not in self._prepared and run in self.frames:
            self._prepared[run] = prepare(self.frames[run])
        return self._prepared.get(run)

    def _compute(self, cell: Cell, items: pd.DataFrame) -> tuple[float | None, Interval | None]:
        metric, statistic = _find_metric(cell.metric.ours), cell.metric.statistic
        if statistic == "mean" and cell.subset.average == "tasks":
            row = self._build_row(cell, items)
            value, found = row.value(metric.name), row.intervals.get(metric.name)
            if found is None and value is not None:
                found = compute_interval(row, metric, items[items["scored"]])
            return value, found
        if statistic == "mean":
            return _average_groups(cell, items, metric)
        others = (self._find_other(cell, name) for name in cell.metric.against)
        found_shares = (_divide(items, other, metric.name, cell) for other in others if other is not None)
        shares = [share for share in found_shares if share is not None]
        if not shares:
            return None, None
        pick = max if statistic == "highest" else min
        return pick(shares, key=lambda share: share[0])

    def _test(self, cell: Cell, items: pd.DataFrame, about: Measured) -> Measured:
        """Return the smaller rank sum, or the two-sided p, of Wilcoxon's signed-rank test over tasks."""
        other = self._find_other(cell, cell.metric.against[0])
        pairs = pair(items, other, cell.metric.ours) if other is not None else None
        if pairs is None or not pairs.tasks:
            return replace(about, n=0, why="no task was scored for both")
        found = signed_rank(pairs.differences)
        value = found.statistic if cell.metric.statistic == "wilcoxon-w" else found.p
        return replace(about, value=value, n=found.n, n_nonzero=found.n_nonzero)

    def _find_other(self, cell: Cell, label: str) -> pd.DataFrame | None:
        """Return the items of the strategy to compare with: of the same run, else of another that played it."""
        for run in dict.fromkeys((cell.run, *self.frames)):
            found = self._select(Cell(run, cell.strategy, cell.subset, cell.metric), label)
            if found is not None and not found.empty:
                return found
        return None

    def _build_row(self, cell: Cell, items: pd.DataFrame) -> Row:
        key = (cell.run, cell.strategy.ours, cell.subset.suite, cell.subset.groups, cell.metric.or_else)
        if key not in self._rows:
            first = items.iloc[0]
            label = str(first["strategy"])
            one = items.assign(strategy=label)
            block = Block(str(first["suite"]), str(first["split"]), str(first["model"]), 1, False, one)
            self._rows[key] = build_rows(block)[0]
        return self._rows[key]


def _find_metric(name: str) -> Metric:
    metric = find_metric(name)
    if metric is None:
        raise UsageError(f"recipe: expected a metric of docs/metrics.md, got {name!r}; mend metrics.ours")
    return metric


def _fill(items: pd.DataFrame, name: str, other: str) -> pd.DataFrame:
    """Return the items with the value of another metric where the first has none."""
    if not other or other not in items.columns:
        return items
    return items.assign(**{name: items[name].fillna(items[other]) if name in items.columns else items[other]})


def _find_scale(cell: Cell) -> float:
    if cell.metric.statistic == "mean":
        return 100.0 if _find_metric(cell.metric.ours).is_share else 1.0
    return 100.0


def _split_groups(cell: Cell, items: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the items group by group where a cell averages groups; a group without any is left out."""
    if cell.subset.average == "tasks":
        return [items]
    return [part for _, part in items.groupby("group", sort=True)]


def _average_groups(cell: Cell, items: pd.DataFrame, metric: Metric) -> tuple[float | None, Interval | None]:
    """Return the plain mean of the groups' means."""
    strata = []
    for part in _split_groups(cell, items[items["scored"]]):
        values = _average_repeats(part, metric.name)
        if not values.empty:
            strata.append([(value, 1.0) for value in values])
    if not strata:
        return None, None
    means = [sum(value for value, _ in stratum) / len(stratum) for stratum in strata]
    return sum(means) / len(means), ratio_interval(strata, seed=_derive_seed(cell))


def _average_repeats(items: pd.DataFrame, name: str) -> pd.Series[float]:
    values = items[[*_PAIR, name]].astype({name: float}).dropna(subset=[name])
    return values.groupby(_PAIR, sort=True)[name].mean()


def _divide(items: pd.DataFrame, other: pd.DataFrame, name: str, cell: Cell) -> tuple[float, Interval | None] | None:
    """Return what one strategy takes as a share of another, on the tasks scored for both; groups averaged plainly."""
    shares, strata = [], []
    for part in _split_groups(cell, items):
        rest = other[other["group"].isin(part["group"].unique())] if cell.subset.average == "groups" else other
        pairs = pair(part, rest, name)
        below = sum(pairs.second)
        if not pairs.tasks or below <= 0:
            continue
        shares.append(sum(pairs.first) / below)
        values = list(zip(pairs.first, pairs.second, strict=True))
        strata.append(_add_clusters(pairs.clusters, values) if has_several_questions(part) else values)
    if not shares:
        return None
    return sum(shares) / len(shares), ratio_interval(strata, seed=_derive_seed(cell))


def _add_clusters(clusters: Sequence[str], values: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the sums of each cluster: questions about one conversation are no independent sample."""
    sums: dict[str, tuple[float, float]] = {}
    for cluster, (a, b) in zip(clusters, values, strict=True):
        above, below = sums.get(cluster, (0.0, 0.0))
        sums[cluster] = (above + a, below + b)
    return [sums[name] for name in sorted(sums)]


def _derive_seed(cell: Cell) -> int:
    return seed_of(cell.run, cell.strategy.ours, cell.subset.name, cell.metric.ours, cell.metric.statistic)
