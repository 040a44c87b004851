"""What a printed table shows: its columns in order, and how each cell is written. Knows rows; knows no output format.

The columns of metrics are the catalogue's; only what names a row, its tests and its ends are columns of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bench.errors import unknown_name
from bench.report.repeats import MACRO
from bench.report.row import ALL, Row
from bench.scoring.metric import Better, Metric, Topic, Unit
from bench.scoring.metric_names import find_metric, list_metrics

__all__ = ["BLANK", "STRATEGY", "Column", "choose_columns", "format_p", "format_value", "visible_columns"]

BLANK = "–"


@dataclass(frozen=True)
class Column:
    """One printed column. ``weight``: what is left out first where the terminal is narrow (0 = never)."""

    header: str
    cell: Callable[[Row], str]
    weight: int = 0
    left: bool = False
    metric: Metric | None = None
    keys: tuple[str, ...] = ()
    """What a record calls the same, for a column without a metric."""

    @property
    def record_keys(self) -> tuple[str, ...]:
        if self.metric is None:
            return self.keys
        ends = [f"{self.metric.interval}_{end}" for end in ("low", "high")] if self.metric.interval else []
        return (self.metric.record_key, *ends)


def format_p(p: float | None) -> str:
    """Return a p-value as printed: three decimals, ``<0.001`` below."""
    return BLANK if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def format_value(metric: Metric, value: float | None) -> str:
    """Return a value of a metric as printed."""
    if value is None or metric.unit is Unit.P_VALUE:
        return format_p(value)
    return f"{100 * value:.1f}" if metric.is_share else f"{value:,.{metric.digits}f}"


def _format_metric(metric: Metric, row: Row) -> str:
    text = format_value(metric, row.value(metric.name))
    if interval := row.intervals.get(metric.name):
        return f"{text} [{format_value(metric, interval.low)}, {format_value(metric, interval.high)}]"
    return f"~{text}" if metric.estimable and row.value("estimated_calls") and text != BLANK else text


def _build_column(metric: Metric) -> Column:
    return Column(metric.header, partial(_format_metric, metric), metric.weight, metric=metric)


def _format_effect(row: Row) -> str:
    if row.test is None or row.test.effect_size is None:
        return "ref." if row.test and row.test.reference == row.strategy else BLANK
    return f"{row.test.effect_size:+.2f}"


def _format_ends(row: Row) -> str:
    return ", ".join(f"{end.name} {end.n}" for end in row.ends) or BLANK


def _format_n(row: Row) -> str:
    """Return scored/planned, and of what that is made where tasks were played several times."""
    return f"{row.n}/{row.n_total}" + (f" ({row.n_tasks} × {row.runs})" if row.runs > 1 else "")


STRATEGY = Column("strategy", lambda row: row.strategy, left=True, keys=("strategy",))
_GROUP = Column("group", lambda row: row.group, left=True, keys=("group",))
_N = Column("n", _format_n, keys=("n", "n_total"))
_FIRST = (Column("#", lambda row: str(row.rank) if row.rank else BLANK, keys=("rank",)), STRATEGY, _GROUP, _N)
_LAST = (
    Column("p", lambda row: format_p(row.test.p_value if row.test else None), 5, keys=("p_value",)),
    Column("p adj.", lambda row: format_p(row.test.p_adjusted if row.test else None), 2, keys=("p_adjusted",)),
    Column("effect r", _format_effect, 3, keys=("effect_size",)),
    Column("ends", _format_ends, 10, left=True, keys=("ends",)),
)
_RUNS = Column("runs", lambda row: str(row.runs), keys=("runs",))
_NAMED = {name.lower(): one for one in (*_FIRST, *_LAST, _RUNS) for name in (one.header, *one.keys[:1])}


def visible_columns(rows: Sequence[Row], *, timing: bool) -> tuple[Column, ...]:
    """Return the columns that have something to say about these rows."""
    metrics = [metric for metric in list_metrics() if metric.header]
    stable = (_build_column(metric) for metric in metrics if metric.stable)
    # They were asked for, so no terminal leaves them out.
    walls = (replace(_build_column(metric), weight=0) for metric in metrics if not metric.stable and timing)
    return tuple(column for column in (*_FIRST, *stable, *_LAST, *walls) if _is_visible(column, rows))


def _is_visible(column: Column, rows: Sequence[Row]) -> bool:
    if column is _GROUP:
        return any(row.group != ALL for row in rows)
    if column.metric is not None:
        return column.metric.show(column.metric.name, [row.values for row in rows])
    return any(column.cell(row) not in (BLANK, "") for row in rows)


def choose_columns(names: Sequence[str], rows: Sequence[Row], scores: Collection[str] = ()) -> tuple[Column, ...]:
    """Return the columns that a user names, as they were named and all of them, after the one of the strategies.

    A name is that of a metric, a short name, a key of the JSON, or a header with or without its ``%``. Beside them
    stand the group, where rows are of several, and ``n``, where a row is incomplete. ``scores``: what the items have.
    Raises: UsageError with the nearest names.
    """
    chosen = [replace(find_column(name, scores), weight=0) for name in names]
    headers = {column.header for column in chosen}
    lead = [
        one for one in (STRATEGY, _GROUP) if one.header not in headers and (one is STRATEGY or _is_visible(one, rows))
    ]
    n = [_N] if any(not row.ranked for row in rows) and _N.header not in headers else []
    return (*lead, *n, *chosen)


def find_column(name: str, scores: Collection[str] = ()) -> Column:
    """Return the column of a name. Raises: UsageError with the nearest names."""
    if name.lower() in _NAMED:
        return _NAMED[name.lower()]
    if name.startswith(MACRO) and (base := find_column(name.removeprefix(MACRO), scores).metric):
        entry = find_metric(f"{MACRO}{base.name}")
        definition = entry.definition if entry else base.definition
        return _build_column(
            replace(base, name=f"{MACRO}{base.name}", key="", header=f"macro {base.header}", interval="",
                    estimable=False, definition=definition)
        )  # fmt: skip
    titles = {
        title.lower(): one
        for one in list_metrics()
        if one.header
        for title in (one.header, one.header.removesuffix(" %"))
    }
    metric = find_metric(name) or titles.get(name.lower())
    if metric is None and name in scores:
        metric = Metric(
            name=name, topic=Topic.OUTCOME, unit=Unit.COUNT, better=Better.NEITHER, digits=3,
            definition=f"{name}: a score that no entry of the catalogue describes.",
        )  # fmt: skip
    if metric is None or "{" in metric.name:
        known = {one.name for one in list_metrics() if "{" not in one.name} | {*_NAMED, *titles, *scores}
        raise unknown_name("table", "a column", name, known)
    return _build_column(metric if metric.header else replace(metric, header=_write_header(metric)))


def _write_header(metric: Metric) -> str:
    """Return a header for a metric whose entry has none."""
    return metric.name.replace("_", " ") + (" %" if metric.is_share else "")
