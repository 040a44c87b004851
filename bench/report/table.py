"""A result table: the one way from the items of runs to rows with tests, and to the text of any format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench.errors import unknown_name
from bench.report.aggregate import build_rows
from bench.report.choose import choose_rows, choose_strategies, list_macro_scores
from bench.report.columns import Column, choose_columns, visible_columns
from bench.report.emphasis import find_emphasis, find_marks
from bench.report.formats import Grid, Section, to_csv, to_json, to_markdown, to_rich
from bench.report.items import find_strategy, prepare, score_names, split_blocks
from bench.report.latency import add_latency
from bench.report.latex import to_latex
from bench.report.latex_caption import write_caption
from bench.report.notes import write_legend, write_notes
from bench.report.order_effect import add_order_effect
from bench.report.paired_tests import add_tests
from bench.report.recovery import add_recovery
from bench.report.repeats import add_macro_means, add_spread
from bench.report.row import Row, to_record

__all__ = ["FORMATS", "REFERENCE", "Selection", "Table", "build_table", "choose_reference", "render_table"]

_ABOUT = ("suite", "split", "model", "group", "strategy")
"""The keys of a record that say what it is about."""
FORMATS = ("rich", "md", "csv", "latex", "json")
REFERENCE = "full-history"
"""The strategy others are tested against unless another is named: the field's own standard."""


@dataclass(frozen=True)
class Selection:
    """What of a table is shown. Empty = everything that has something to say."""

    columns: tuple[str, ...] = ()
    """As ``columns.py`` finds them: all of them are shown, and no other metric."""
    rows: tuple[str, ...] = ()
    """Strategies in the order in which they are shown, with or without their version; ``window*`` is a pattern."""
    by_group: bool = False
    """One more line for each group of tasks."""
    timing: bool = False


@dataclass(frozen=True)
class TableSection:
    """The rows that are compared with each other, under their heading."""

    title: str
    rows: tuple[Row, ...]

    @property
    def is_episodes(self) -> bool:
        """Actions were counted; else questions were asked."""
        return any(row.value("steps") is not None for row in self.rows)


@dataclass(frozen=True)
class Layout:
    """The sections of one shape of suite, episodes or questions, and the columns that they have."""

    sections: tuple[TableSection, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Table:
    """Sections of rows in their layouts, and the notes below them."""

    sections: tuple[TableSection, ...]
    layouts: tuple[Layout, ...]
    columns: tuple[Column, ...]
    """All that any layout has."""
    notes: tuple[str, ...]
    """All definitions and warnings."""
    legend: tuple[str, ...]
    """The few of them that a terminal needs."""
    selection: Selection = Selection()

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for section in self.sections for row in section.rows)

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """The rows under the keys of ``--format json``, numbers in full; of chosen columns, these alone."""
        records = tuple(to_record(row) for row in self.rows)
        if not self.selection.columns:
            return records
        keys = dict.fromkeys((*_ABOUT, *(key for one in self.layouts[0].columns for key in one.record_keys)))
        return tuple({key: record.get(key) for key in keys} for record in records)


def choose_reference(frame: pd.DataFrame) -> str | None:
    """Return the full history if it is there, else no reference."""
    return REFERENCE if REFERENCE in set(frame["strategy"]) else None


def build_table(frame: pd.DataFrame, *, reference: str | None = None, selection: Selection | None = None) -> Table:
    """Return the table of the items of one or more runs; with a reference, each row is tested against that strategy.

    Tests are adjusted over all rows, those that are not shown too: who is shown changes no p-value.
    Raises: UsageError for an unknown reference, row or column, a trial that is there twice, or mixed environments.
    """
    selection, items = selection or Selection(), prepare(frame)
    against = find_strategy(reference, items) if reference else None
    shown = choose_strategies(selection.rows, items)
    sections = []
    for block in split_blocks(items):
        rows = add_order_effect(add_recovery(build_rows(block, by_group=selection.by_group), block), block)
        rows = add_latency(rows, block)
        rows = add_macro_means(add_spread(rows, block), block, list_macro_scores(selection.columns, items))
        rows = add_tests(rows, block, against) if against else rows
        if rows := choose_rows(rows, shown):
            sections.append(TableSection(block.name, rows))
    layouts = _lay_out(sections, selection, score_names(items))
    every = [row for section in sections for row in section.rows]
    columns = _merge_columns(layouts, every, selection)
    notes, legend = write_notes(every, columns), write_legend(every, columns)
    return Table(tuple(sections), layouts, columns, notes, legend, selection)


def _lay_out(sections: Sequence[TableSection], selection: Selection, scores: Sequence[str]) -> tuple[Layout, ...]:
    """Return the layouts, that of the first section first; chosen columns are the same in all."""
    layouts = []
    for shape in dict.fromkeys(section.is_episodes for section in sections):
        alike = tuple(section for section in sections if section.is_episodes is shape)
        rows = [row for section in alike for row in section.rows]
        layouts.append(Layout(alike, _find_columns(rows, selection, scores)))
    return tuple(layouts)


def _find_columns(rows: Sequence[Row], selection: Selection, scores: Sequence[str] = ()) -> tuple[Column, ...]:
    if selection.columns:
        return choose_columns(selection.columns, rows, scores)
    return visible_columns(rows, timing=selection.timing)


def _merge_columns(layouts: Sequence[Layout], rows: Sequence[Row], selection: Selection) -> tuple[Column, ...]:
    """Return the columns that any layout has, in the order of one table of all."""
    if selection.columns:
        return layouts[0].columns
    shown = {column.header for layout in layouts for column in layout.columns}
    return tuple(column for column in _find_columns(rows, selection) if column.header in shown)


def render_table(
    table: Table, style: str = "rich", *, width: int = 120, color: bool = False, full_notes: bool = False
) -> str:
    """Return a table as text: rich (fitted to ``width`` characters), md, csv, latex or json.

    Below a rich table stands a short legend, or all notes with ``full_notes``; md always has them all; latex has a
    caption, and all notes as comments.
    Raises: UsageError for an unknown format.
    """
    if style == "json":
        return to_json(table.records)
    if style == "csv":
        return to_csv(table.records, timing=table.selection.timing or bool(table.selection.columns))
    if style == "latex":
        return to_latex(_build_grids(table, table.notes))
    if style == "md":
        return "\n".join(map(to_markdown, _build_grids(table, table.notes)))
    if style == "rich":
        grids = _build_grids(table, table.notes if full_notes else table.legend)
        return "".join(to_rich(grid, width=width, color=color) for grid in grids)
    raise unknown_name("report", f"--format {'|'.join(FORMATS)}", style, FORMATS)


def _build_grids(table: Table, notes: tuple[str, ...]) -> tuple[Grid, ...]:
    """Return one grid a layout; the notes stand below the last."""
    last = len(table.layouts) - 1
    whole = bool(table.selection.columns)
    return tuple(
        _build_grid(layout, notes if place == last else (), whole) for place, layout in enumerate(table.layouts)
    )


def _build_grid(layout: Layout, notes: tuple[str, ...], whole: bool) -> Grid:
    columns = layout.columns
    sections = tuple(
        Section(
            section.title,
            tuple(tuple(column.cell(row) for column in columns) for row in section.rows),
            tuple(not row.ranked for row in section.rows),
            tuple(row.rank == 1 for row in section.rows),
            find_emphasis(section.rows, columns),
            find_marks(section.rows, columns),
            write_caption(section.rows, columns),
        )
        for section in layout.sections
    )
    return Grid(
        tuple(column.header for column in columns),
        tuple(column.left for column in columns),
        tuple(column.weight for column in columns),
        sections,
        notes,
        whole,
    )
