"""What a printed table shows: its columns in order, and how each cell is written. Knows rows; knows no output format.

The columns of metrics are the catalogue's; only what names a row, its tests and its ends are columns of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from bench.report.row import ALL, Row
from bench.scoring.metric import Metric, Unit
from bench.scoring.metric_names import list_metrics

__all__ = ["BLANK", "Column", "format_p", "format_value", "visible_columns"]

BLANK = "–"


@dataclass(frozen=True)
class Column:
    """One printed column. ``weight``: what is left out first where the terminal is narrow (0 = never)."""

    header: str
    cell: Callable[[Row], str]
    weight: int = 0
    left: bool = False
    metric: Metric | None = None


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


_GROUP = Column("group", lambda row: row.group, left=True)
_FIRST = (
    Column("#", lambda row: str(row.rank) if row.rank else BLANK),
    Column("strategy", lambda row: row.strategy, left=True),
    _GROUP,
    Column("n", lambda row: f"{row.n}/{row.n_total}"),
)
_LAST = (
    Column("p", lambda row: format_p(row.test.p_value if row.test else None), 5),
    Column("p adj.", lambda row: format_p(row.test.p_adjusted if row.test else None), 2),
    Column("effect r", _format_effect, 3),
    Column("ends", _format_ends, 10, left=True),
)


def visible_columns(rows: Sequence[Row], *, timing: bool) -> tuple[Column, ...]:
    """Return the columns that have something to say about these rows."""
    metrics = [metric for metric in list_metrics() if metric.header]
    stable = (_build_column(metric) for metric in metrics if metric.stable)
    walls = (_build_column(metric) for metric in metrics if not metric.stable and timing)
    return tuple(column for column in (*_FIRST, *stable, *_LAST, *walls) if _is_visible(column, rows))


def _is_visible(column: Column, rows: Sequence[Row]) -> bool:
    if column is _GROUP:
        return any(row.group != ALL for row in rows)
    if column.metric is not None:
        return column.metric.show(column.metric.name, [row.values for row in rows])
    return any(column.cell(row) not in (BLANK, "") for row in rows)
