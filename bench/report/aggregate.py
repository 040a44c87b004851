"""Items to rows: repeats averaged per task first, then means and intervals over tasks. Knows no test and no format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from bench.report.items import Block, score_names
from bench.report.role_models import find_role_models
from bench.report.row import ALL, Count, Row
from bench.report.row_names import read_marks
from bench.scoring.attribution import Cause, name_error
from bench.scoring.metric import Aggregate, Metric
from bench.scoring.metric_names import find_metric, list_metrics
from bench.stats.bootstrap import cluster_interval, mean_interval
from bench.stats.interval import Interval, seed_of
from bench.stats.wilson import wilson
from bench.types import NOTICES

__all__ = [
    "MAIN_METRICS",
    "PRIVILEGED",
    "TASK",
    "average",
    "build_rows",
    "compute_interval",
    "has_several_questions",
    "number",
]

TASK = ["task", "item"]
"""What repeats are averaged over."""

MAIN_METRICS = ("success", "judge_accuracy", "f1")
"""A row is ranked by the first of these that it has."""

PRIVILEGED = "row.privileged"
"""The field of a fingerprint that marks a strategy that gets the evidence."""

_FEWEST_CLUSTERS = 2
_FIRST_ERROR = name_error(Cause.CONSTRUCTION)
"""An item has a cause of failure, or none of them has a value."""


def build_rows(block: Block, *, by_group: bool = False) -> tuple[Row, ...]:
    """Return the rows of a block: all tasks first, then each group; best first inside, the unranked last."""
    groups = [ALL, *(sorted({str(g) for g in block.items["group"] if g}) if by_group else [])]
    rows: list[Row] = []
    for group in groups:
        part = block.items if group == ALL else block.items[block.items["group"] == group]
        part_rows = [_build_row(block, group, str(name), items) for name, items in part.groupby("strategy", sort=True)]
        rows += _rank(part_rows)
    return tuple(rows)


def average(items: pd.DataFrame, metric: str) -> float | None:
    """Return the mean of a score over tasks, repeats averaged first; None if it cannot be known."""
    return _average_all(items[items["scored"]], [metric])[metric]


def _average_all(scored: pd.DataFrame, metrics: Sequence[str]) -> dict[str, float | None]:
    """The same for many scores at once."""
    values = scored[list(metrics)].astype(float)
    gaps = values.isna().any()
    means = values.groupby([scored[name] for name in TASK], sort=True).mean().mean()
    found: dict[str, float | None] = {}
    for metric in metrics:
        unknown = bool(gaps[metric]) and find_aggregate(metric) is Aggregate.STRICT_MEAN
        found[metric] = None if unknown or pd.isna(means[metric]) else float(means[metric])
    return found


def _average_repeats(scored: pd.DataFrame, metric: str) -> pd.Series[float]:
    return scored[[*TASK, metric]].astype({metric: float}).groupby(TASK, sort=True)[metric].mean().dropna()


def find_aggregate(metric: str) -> Aggregate:
    """Return how a score is averaged; one that no entry describes, plainly."""
    entry = find_metric(metric)
    return entry.aggregate if entry else Aggregate.MEAN


def _build_row(block: Block, group: str, strategy: str, items: pd.DataFrame) -> Row:
    scored = items[items["scored"]]
    row = Row(
        suite=block.suite,
        split=block.split,
        group=group,
        strategy=strategy,
        model=block.model,
        attempt=block.attempt,
        offline=bool(items["offline"].any()),
        role_models=find_role_models(items) or None,
        runs=int(items["seed"].nunique()),
        n=len(scored),
        n_total=len(items),
        n_tasks=len(scored[TASK].drop_duplicates()),
        ends=_count(scored["end"]),
        statuses=_count(items["status"]),
        values={},
        intervals={},
    )
    if scored.empty:
        return row
    timings = [one.name for one in list_metrics() if not one.stable and one.header and one.name in items.columns]
    row = replace(row, values=_aggregate(scored, [*score_names(items), *timings]))
    return _add_intervals(_describe(row, scored), scored)


def _aggregate(scored: pd.DataFrame, names: Sequence[str]) -> dict[str, float | None]:
    """Return the value of each score over the scored items of a row, as the catalogue says."""
    means = _average_all(scored, names)
    for name in names:
        if find_aggregate(name) is Aggregate.MAXIMUM and means[name] is not None:
            means[name] = float(scored[name].astype(float).max())
    return means | _average_carried(scored, [name for name in names if find_aggregate(name) is Aggregate.CARRIED_MEAN])


def _describe(row: Row, scored: pd.DataFrame) -> Row:
    """Add who judged, by what, how far that can be believed, and what the strategy was given."""
    fields: dict[str, str] = {}
    for text in scored["fingerprint"].unique():
        fields |= json.loads(text) if text else {}
    return replace(
        row,
        embedder=fields.get("row.embedder") if row.value("embed_calls") else None,
        evidence=fields.get("env.synthetic_evidence"),
        notices=tuple(fields.get(NOTICES, "").splitlines()),
        judge=fields.get("env.judge"),
        rubrics=fields.get("env.rubrics"),
        judge_probes=fields.get("row.judge_probes"),
        privileged=PRIVILEGED in fields,
        learned=fields.get("row.learned"),
        artifact=fields.get("row.artifact"),
        pool=fields.get("row.pool"),
        marks=read_marks(fields),
        values={**row.values, **_read_amounts(fields)},
    )


def _read_amounts(fields: Mapping[str, str]) -> dict[str, float]:
    """Return the settings of a row that are numbers, under the names of their metrics."""
    found = {name: fields.get(f"row.{name}", "") for name in ("budget_tokens", "memory_tokens")}
    return {name: int(text) for name, text in found.items() if text.isdecimal()}


def _average_carried(scored: pd.DataFrame, names: Sequence[str]) -> dict[str, float | None]:
    """Progress curves of trials that ended early go on at their last value."""
    if not names or "progress" not in scored.columns:
        return {}
    filled = scored.assign(**{name: scored[name].astype(float).fillna(scored["progress"]) for name in names})
    return _average_all(filled, names)


def _add_intervals(row: Row, scored: pd.DataFrame) -> Row:
    if has_several_questions(scored):
        row = replace(row, clusters=int(scored["cluster"].nunique()))
    if row.value("success") is not None:
        row = replace(row, n_graded=len(_average_repeats(scored, "success")))
    if row.value(_FIRST_ERROR) is not None:
        row = replace(row, n_attributed=len(_average_repeats(scored, _FIRST_ERROR)))
    found = {one.name: compute_interval(row, one, scored) for one in list_metrics() if _has_interval(one, row)}
    return replace(row, intervals={name: interval for name, interval in found.items() if interval})


def _has_interval(metric: Metric, row: Row) -> bool:
    return bool(metric.interval) and row.value(metric.name) is not None


def has_several_questions(items: pd.DataFrame) -> bool:
    """True if a task holds several items: questions about one conversation are no independent sample."""
    return bool(items.drop_duplicates(TASK)["task"].duplicated().any())


def compute_interval(row: Row, entry: Metric, scored: pd.DataFrame) -> Interval | None:
    """Return the interval of a mean over a row's scored items; None for one cluster: it says nothing about others."""
    metric = entry.name
    values = _average_repeats(scored, metric)
    if entry.graded:
        return _bootstrap(row, metric, values)
    if row.clusters is not None:
        if row.clusters < _FEWEST_CLUSTERS:
            return None
        return _compute_cluster_interval(row, metric, scored, values)
    total = float(values.sum())
    # A graded success (a conversation's main score) is a mean, not a rate.
    graded = not set(scored[metric].dropna().astype(float)) <= {0.0, 1.0}
    return _bootstrap(row, metric, values) if graded else wilson(min(total, len(values)), len(values))


def _compute_cluster_interval(row: Row, metric: str, scored: pd.DataFrame, values: pd.Series[float]) -> Interval | None:
    cluster = scored.drop_duplicates(TASK).set_index(TASK)["cluster"].astype(str)
    names = cluster.loc[values.index].tolist()
    found = cluster_interval(values.tolist(), names, seed=_derive_seed(row, metric))
    if found.method != "degenerate":
        return found
    # No conversation differs from another: a width of nothing would claim that none ever could.
    rate, n = float(values.mean()), len(set(names))
    return wilson(rate * n, n) if rate in (0.0, 1.0) else None


def _bootstrap(row: Row, metric: str, values: pd.Series[float]) -> Interval:
    return mean_interval(values.tolist(), seed=_derive_seed(row, metric))


def _derive_seed(row: Row, metric: str) -> int:
    return seed_of(row.suite, row.split, row.group, row.model, str(row.attempt), metric)


def _count(values: pd.Series[str]) -> tuple[Count, ...]:
    counts = values.value_counts()
    return tuple(Count(str(name), int(counts[name])) for name in sorted(counts.index, key=lambda n: (-counts[n], n)))


def _rank(rows: Sequence[Row]) -> list[Row]:
    """Order and number the rows by their main metric; equal values share a rank, incomplete rows have none."""

    return number(
        sorted(rows, key=lambda r: (not r.ranked, -_find_main(r), r.value("tokens_total") or 0.0, r.strategy))
    )


def number(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of one group in their order, with their rank among each other."""
    values = sorted((_find_main(row) for row in rows if _competes(row)), reverse=True)
    return [replace(row, rank=values.index(_find_main(row)) + 1) if _competes(row) else row for row in rows]


def _find_main(row: Row) -> float:
    values = (row.value(name) for name in MAIN_METRICS)
    return next((value for value in values if value is not None), -1.0)


def _competes(row: Row) -> bool:
    return row.ranked and not row.privileged
