"""A result table: the one way from the items of runs to rows with tests, and to the text of any format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench.errors import unknown_name
from bench.report.aggregate import build_rows
from bench.report.columns import Column, visible_columns
from bench.report.formats import Grid, Section, to_csv, to_json, to_latex, to_markdown, to_rich
from bench.report.items import find_strategy, prepare, split_blocks
from bench.report.latency import add_latency
from bench.report.notes import write_legend, write_notes
from bench.report.order_effect import add_order_effect
from bench.report.paired_tests import add_tests
from bench.report.recovery import add_recovery
from bench.report.row import Row, to_record

__all__ = ["FORMATS", "REFERENCE", "Table", "build_table", "choose_reference", "render_table"]

FORMATS = ("rich", "md", "csv", "latex", "json")
REFERENCE = "full-history"
"""The strategy others are tested against unless another is named: the field's own standard."""


@dataclass(frozen=True)
class TableSection:
    """The rows that are compared with each other, under their heading."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """Sections of rows, the columns worth showing, and the notes below them."""

    sections: tuple[TableSection, ...]
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    """All definitions and warnings."""
    legend: tuple[str, ...]
    """The few of them that a terminal needs."""
    timing: bool = False

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for section in self.sections for row in section.rows)

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """The rows under the keys of ``--format json``, numbers in full."""
        return tuple(to_record(row) for row in self.rows)


def choose_reference(frame: pd.DataFrame) -> str | None:
    """Return the full history if it is there, else no reference."""
    return REFERENCE if REFERENCE in set(frame["strategy"]) else None


def build_table(
    frame: pd.DataFrame, *, reference: str | None = None, by_group: bool = False, timing: bool = False
) -> Table:
    """Return the table of the items of one or more runs; with a reference, each row is tested against that strategy.

    Raises: UsageError for an unknown reference, a trial that is there twice, or environments that differ.
    """
    items = prepare(frame)
    against = find_strategy(reference, items) if reference else None
    sections = []
    for block in split_blocks(items):
        rows = add_order_effect(add_recovery(build_rows(block, by_group=by_group), block), block)
        rows = add_latency(rows, block)
        sections.append(TableSection(block.name, add_tests(rows, block, against) if against else rows))
    every = [row for section in sections for row in section.rows]
    columns = visible_columns(every, timing=timing)
    return Table(tuple(sections), columns, write_notes(every, columns), write_legend(every, columns), timing)


def render_table(
    table: Table, style: str = "rich", *, width: int = 120, color: bool = False, full_notes: bool = False
) -> str:
    """Return a table as text: rich (fitted to ``width`` characters), md, csv, latex or json.

    Below a rich table stands a short legend, or all notes with ``full_notes``; md and latex always have them all.
    Raises: UsageError for an unknown format.
    """
    if style == "json":
        return to_json(table.records)
    if style == "csv":
        return to_csv(table.records, timing=table.timing)
    if style == "md":
        return to_markdown(_build_grid(table, table.notes))
    if style == "latex":
        return to_latex(_build_grid(table, table.notes))
    if style == "rich":
        return to_rich(_build_grid(table, table.notes if full_notes else table.legend), width=width, color=color)
    raise unknown_name("report", f"--format {'|'.join(FORMATS)}", style, FORMATS)


def _build_grid(table: Table, notes: tuple[str, ...]) -> Grid:
    sections = tuple(
        Section(
            section.title,
            tuple(tuple(column.cell(row) for column in table.columns) for row in section.rows),
            tuple(not row.ranked for row in section.rows),
            tuple(row.rank == 1 for row in section.rows),
        )
        for section in table.sections
    )
    columns = table.columns
    return Grid(
        tuple(column.header for column in columns),
        tuple(column.left for column in columns),
        tuple(column.weight for column in columns),
        sections,
        notes,
    )
