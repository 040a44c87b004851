"""The leaderboards of the page: rows, the text of every cell, definitions, tests and notes. Computes no number.

What stands in a cell is what ``bench table`` prints; beside it stands the number that the page sorts by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.report.columns import Column, format_value, visible_columns
from bench.report.notes import write_notes
from bench.report.row import ALL, Row
from bench.report.table import Table
from bench.scoring.metric import Metric
from bench.scoring.metric_names import find_metric

__all__ = ["describe_metrics", "describe_sections"]

Record = dict[str, Any]

_OWN = {
    "#": "rank by the main score; rows with equal scores share one, incomplete rows have none.",
    "strategy": "the strategy, with the parameters that differ from the defaults.",
    "n": "scored and planned tasks or questions, repeats counted.",
    "p": "p-value of a two-sided paired test against the reference row.",
    "p adj.": "the same, Holm-adjusted over the strategies of this table.",
    "effect r": "matched-pairs rank-biserial correlation; positive = better than the reference.",
    "ends": "how the trials ended, the most frequent first.",
}
"""What the columns mean that are no metrics, by title."""


def describe_metrics(table: Table) -> dict[str, Record]:
    """Return what the catalogue says of every metric that some row has a value of, in the catalogue's order."""
    names = dict.fromkeys(name for row in table.rows for name, value in row.values.items() if value is not None)
    shown = [column.metric.name for column in _list_columns(table.rows) if column.metric]
    found = {name: metric for name in dict.fromkeys((*shown, *sorted(names))) if (metric := find_metric(name))}
    return {name: _describe_metric(metric) for name, metric in found.items()}


def _describe_metric(metric: Metric) -> Record:
    return {
        "header": metric.header or metric.name,
        "topic": metric.topic.value,
        "unit": metric.unit.value,
        "better": metric.better.value,
        "definition": metric.definition,
        "axis": metric.axis or metric.header.removesuffix(" %") or metric.name,
        "digits": metric.digits,
    }


def describe_sections(table: Table) -> list[Record]:
    """Return the sections of a table, each with its rows, the columns it shows at first and its notes."""
    return [_describe_section(section.title, section.rows) for section in table.sections]


def _describe_section(title: str, rows: Sequence[Row]) -> Record:
    columns = visible_columns(rows, timing=False)
    whole = [row for row in rows if row.group == ALL]
    first = rows[0]
    return {
        "title": title,
        "suite": first.suite,
        "split": first.split,
        "model": first.model,
        "offline": first.offline,
        "groups": sorted({row.group for row in rows} - {ALL}),
        "columns": [column.metric.name if column.metric else column.header for column in columns],
        "own": {column.header: _OWN.get(column.header, "") for column in columns if column.metric is None},
        "rows": [_describe_row(row, columns) for row in rows],
        "notes": write_notes(whole, [column for column in columns if column.header != "group"]),
    }


def _describe_row(row: Row, columns: Sequence[Column]) -> Record:
    cells = {column.header: [column.cell(row), _sort_key(column, row)] for column in columns if column.metric is None}
    return {
        "strategy": row.strategy,
        "group": row.group,
        "rank": row.rank,
        "apart": _say_why_apart(row),
        "cells": cells | {name: cell for name in row.values if (cell := _describe_cell(row, name))},
        "statuses": {count.name: count.n for count in row.statuses},
        "ends": {count.name: count.n for count in row.ends},
        "learned": row.learned,
        "test": _describe_test(row),
    }


def _describe_cell(row: Row, name: str) -> list[Any] | None:
    """Return a value's text, the number, and the texts of its interval; None without a value."""
    metric, value = find_metric(name), row.value(name)
    if metric is None or value is None:
        return None
    mark = "~" if metric.estimable and row.value("estimated_calls") else ""
    interval = row.intervals.get(name)
    ends = [format_value(metric, interval.low), format_value(metric, interval.high)] if interval else []
    return [mark + format_value(metric, value), value, *ends]


def _sort_key(column: Column, row: Row) -> float | str | None:
    test = row.test
    keys: dict[str, float | str | None] = {
        "#": row.rank,
        "n": row.n,
        "p": test.p_value if test else None,
        "p adj.": test.p_adjusted if test else None,
        "effect r": test.effect_size if test else None,
    }
    return keys[column.header] if column.header in keys else column.cell(row)


def _say_why_apart(row: Row) -> str:
    """Return why a row stands below the others: it is a check on them, or it is not complete."""
    if row.privileged:
        return "sees the evidence of each question"
    if not row.ranked:
        return f"{row.n_total - row.n} of {row.n_total} have no score"
    if row.marks:
        return ", ".join(row.marks)
    return "calls no model" if row.value("calls") == 0 else ""


def _describe_test(row: Row) -> Record | None:
    test = row.test
    if test is None:
        return None
    return {name: getattr(test, name) for name in type(test).__slots__}


def _list_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    return visible_columns(rows, timing=True)
