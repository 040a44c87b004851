"""Strategies by groups of tasks, one metric: the table that papers print of task types, domains or question categories.

A line has the value in each group, their mean with each group counted once, and the value over all tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench.errors import UsageError, unknown_name
from bench.report.aggregate import MAIN_METRICS, build_rows
from bench.report.choose import choose_rows, choose_strategies
from bench.report.columns import find_column, format_value
from bench.report.emphasis import Emphasis, emphasise_values, mark_significance
from bench.report.formats import Grid, Section, to_csv, to_json, to_markdown, to_rich
from bench.report.items import Block, find_strategy, prepare, score_names, split_blocks
from bench.report.latex import to_latex
from bench.report.latex_caption import describe_emphasis, describe_marks, describe_outsiders
from bench.report.notes import write_legend
from bench.report.paired_tests import add_tests
from bench.report.repeats import average_groups, find_groups
from bench.report.row import ALL, Row
from bench.scoring.metric import Aggregate, Metric

__all__ = ["Pivot", "build_pivot", "render_pivot"]

_HEADER = 14
"""Most characters of a line of a header."""
_MACRO, _OVERALL = "macro mean", "all tasks"


@dataclass(frozen=True, slots=True)
class PivotLine:
    """One strategy."""

    row: Row
    """Over all tasks, with its test against the reference."""
    values: tuple[float | None, ...]
    """In each group; then the mean of these; then over all tasks."""


@dataclass(frozen=True, slots=True)
class PivotSection:
    """One block; ``groups`` are names and how many tasks or questions they have."""

    title: str
    groups: tuple[tuple[str, int], ...]
    lines: tuple[PivotLine, ...]


@dataclass(frozen=True, slots=True)
class Pivot:
    """The sections that have a value of the metric."""

    metric: Metric
    sections: tuple[PivotSection, ...]
    legend: tuple[str, ...]

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """One object a line; the groups under their names."""
        return tuple(_to_record(self.metric, section, line) for section in self.sections for line in section.lines)


def build_pivot(
    frame: pd.DataFrame, *, metric: str = "", rows: Sequence[str] = (), reference: str | None = None
) -> Pivot:
    """Return the pivot of the items of runs on one metric (default: each row's main score, the same for all).

    Raises: UsageError for an unknown metric, row or reference, or a metric without values.
    """
    items = prepare(frame)
    against = find_strategy(reference, items) if reference else None
    entry = _find_metric(metric, items)
    shown = choose_strategies(rows, items)
    sections = [one for block in split_blocks(items) if (one := _pivot(block, entry, shown, against)).lines]
    if not sections or not any(line.values[-1] is not None for one in sections for line in one.lines):
        raise UsageError(
            f"table: expected values of {entry.name} in groups of tasks, got none; name another metric with --columns"
        )
    every = [line.row for section in sections for line in section.lines]
    return Pivot(entry, tuple(sections), (_describe(entry), *write_legend(every, ())[1:]))


def _find_metric(name: str, items: pd.DataFrame) -> Metric:
    scores = score_names(items)
    main = next((one for one in MAIN_METRICS if one in scores and items[one].notna().any()), MAIN_METRICS[0])
    found = find_column(name or main, scores).metric
    if found is None or found.aggregate is Aggregate.OF_ROW:
        raise unknown_name("table --pivot", "a metric that each group has", name, scores)
    return found


def _pivot(block: Block, metric: Metric, shown: Sequence[str], reference: str | None) -> PivotSection:
    rows = build_rows(block, by_group=True)
    whole = tuple(row for row in rows if row.group == ALL)
    tested = {row.strategy: row for row in (add_tests(whole, block, reference) if reference else whole)}
    order = [row.strategy for row in choose_rows(whole, shown)]
    values = {(row.strategy, row.group): row.value(metric.name) for row in rows}
    # Groups without the metric are of another kind, such as questions that only a refusal answers.
    names = find_groups(block, metric.name) if metric.name in block.items.columns else ()
    sizes = block.items.drop_duplicates(["task", "item"])["group"].value_counts()
    lines = []
    for name in order:
        found = [values.get((name, group)) for group in names]
        lines.append(PivotLine(tested[name], (*found, average_groups(found), values[name, ALL])))
    return PivotSection(block.name, tuple((group, int(sizes[group])) for group in names), tuple(lines))


def _to_record(metric: Metric, section: PivotSection, line: PivotLine) -> dict[str, Any]:
    row = line.row
    about = {"suite": row.suite, "split": row.split, "model": row.model, "strategy": row.strategy}
    counts = {"metric": metric.name, "n": row.n, "n_total": row.n_total, "runs": row.runs}
    groups = {f"group: {name}": value for (name, _), value in zip(section.groups, line.values, strict=False)}
    p = row.test.p_adjusted if row.test else None
    return about | counts | groups | {"macro_mean": line.values[-2], "overall": line.values[-1], "p_adjusted": p}


def _describe(metric: Metric) -> str:
    name = f"{metric.header[:1].upper()}{metric.header[1:]}"
    means = f"{_MACRO}: each group counts once; {_OVERALL}: each task does"
    return f"{name} in each group of tasks (how many), repeats averaged first; {means}."


def render_pivot(pivot: Pivot, style: str = "rich", *, width: int = 120, color: bool = False) -> str:
    """Return a pivot as text: rich, md, csv, latex or json. Raises: UsageError for an unknown format."""
    if style == "json":
        return to_json(pivot.records)
    if style == "csv":
        return to_csv(pivot.records, timing=True)
    last = len(pivot.sections) - 1
    grids = [_build_grid(pivot, one, pivot.legend if i == last else ()) for i, one in enumerate(pivot.sections)]
    if style == "latex":
        return to_latex(grids)
    if style == "md":
        return "\n".join(map(to_markdown, grids))
    if style == "rich":
        return "".join(to_rich(grid, width=width, color=color) for grid in grids)
    raise unknown_name("table", "a format", style, ("rich", "md", "csv", "latex", "json"))


def _build_grid(pivot: Pivot, section: PivotSection, notes: tuple[str, ...]) -> Grid:
    """Return the grid of one section: its groups are columns, so each has a grid of its own."""
    metric, rows = pivot.metric, [line.row for line in section.lines]
    header = ("strategy", *(f"{name} ({n:,})" for name, n in section.groups), _MACRO, _OVERALL)
    emphasis = _find_emphasis(pivot, section)
    marks = tuple(_find_marks(row, metric, len(header)) for row in rows)
    shown = {mark for line in marks for mark in line}
    caption = [
        pivot.legend[0],
        describe_emphasis({one for line in emphasis for one in line}),
        describe_marks(rows, shown),
        *describe_outsiders(rows),
    ]
    part = Section(
        section.title,
        tuple((line.row.strategy, *(format_value(metric, value) for value in line.values)) for line in section.lines),
        tuple(not row.ranked for row in rows),
        tuple(row.rank == 1 for row in rows),
        emphasis,
        marks,
        " ".join(filter(None, caption)),
    )
    plain = (False,) * (len(header) - 1)
    return Grid(header, (True, *plain), (0,) * len(header), (part,), notes, whole=True, header_width=_HEADER)


def _find_emphasis(pivot: Pivot, section: PivotSection) -> tuple[tuple[Emphasis, ...], ...]:
    competing = [i for i, line in enumerate(section.lines) if line.row.ranked and not line.row.privileged]
    found = [[Emphasis.NONE] * (len(section.groups) + 3) for _ in section.lines]
    for place in range(len(section.groups) + 2):
        values = [section.lines[i].values[place] for i in competing]
        for i, emphasis in zip(competing, emphasise_values(values, pivot.metric), strict=True):
            found[i][place + 1] = emphasis
    return tuple(map(tuple, found))


def _find_marks(row: Row, metric: Metric, width: int) -> tuple[str, ...]:
    """Return the mark of significance beside the value over all tasks, or beside the name where another was tested."""
    mark = mark_significance(row.test.p_adjusted) if row.test else ""
    place = width - 1 if row.test and row.test.metric == metric.name else 0
    return tuple(mark if i == place else "" for i in range(width))
