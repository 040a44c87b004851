"""What a paper's table sets off: the best and second best value of a column, and rows that differ from the reference.

Values are compared as printed, so that two equal cells look equal. Knows rows and columns; knows no output format.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from bench.report.columns import Column, format_value
from bench.report.row import Row
from bench.scoring.metric import Better, Metric

__all__ = ["SIGNIFICANCE", "Emphasis", "emphasise_values", "find_emphasis", "find_marks", "mark_significance"]

SIGNIFICANCE = (("‡", 0.01), ("†", 0.05))
"""The mark of a row whose adjusted p-value against the reference is below a level, the strictest first."""


class Emphasis(StrEnum):
    """How a cell is set."""

    NONE = ""
    BEST = "best"
    SECOND = "second"


def find_emphasis(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[tuple[Emphasis, ...], ...]:
    """Return how each cell is set, a line a row: the best value of a group of tasks, ties included, and the second.

    Rows that are not ranked (trials unscored, evidence given) do not compete.
    """
    found = [[Emphasis.NONE] * len(columns) for _ in rows]
    for place, column in enumerate(columns):
        if column.metric is None:
            continue
        for group in dict.fromkeys(row.group for row in rows):
            competing = [i for i, row in enumerate(rows) if row.group == group and row.ranked and not row.privileged]
            values = [rows[i].value(column.metric.name) for i in competing]
            for i, emphasis in zip(competing, emphasise_values(values, column.metric), strict=True):
                found[i][place] = emphasis
    return tuple(map(tuple, found))


def emphasise_values(values: Sequence[float | None], metric: Metric) -> tuple[Emphasis, ...]:
    """Return how each of the values that compete is set; plainly where one is alone, or no direction is better."""
    known = [value for value in values if value is not None]
    if len(known) < 2 or metric.better is Better.NEITHER:
        return (Emphasis.NONE,) * len(values)
    texts = list(dict.fromkeys(format_value(metric, v) for v in sorted(known, key=lambda v: -metric.sign * v)))
    # A second place says something where there is a third.
    named = {texts[0]: Emphasis.BEST} | ({texts[1]: Emphasis.SECOND} if len(texts) > 2 else {})
    return tuple(
        Emphasis.NONE if value is None else named.get(format_value(metric, value), Emphasis.NONE) for value in values
    )


def find_marks(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[tuple[str, ...], ...]:
    """Return the mark of each cell: beside the tested score where it is shown, else beside the strategy."""
    return tuple(tuple(_find_mark(row, column, columns) for column in columns) for row in rows)


def _find_mark(row: Row, column: Column, columns: Sequence[Column]) -> str:
    if row.test is None:
        return ""
    names = {one.metric.name for one in columns if one.metric}
    is_place = (
        column.metric is not None and column.metric.name == row.test.metric
        if row.test.metric in names
        else column.header == "strategy"
    )
    return mark_significance(row.test.p_adjusted) if is_place else ""


def mark_significance(p: float | None) -> str:
    """Return the mark of an adjusted p-value, empty if it is not small enough."""
    return next((mark for mark, level in SIGNIFICANCE if p is not None and p < level), "")
