"""``bench table`` and ``bench compare``: runs in, text out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bench.cli.console import width
from bench.errors import UsageError, unknown_name
from bench.protocols.params import split_names
from bench.report.compare import compare, render_comparison
from bench.report.pivot import build_pivot, render_pivot
from bench.report.prefer import join_preferred
from bench.report.table import FORMATS, Selection, build_table, choose_reference, render_table
from bench.store.dataframe import read_items
from bench.store.latencies import add_latencies

__all__ = ["TableOptions", "compare_command", "end_line", "format_table", "table_command"]


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is printed. ``reference`` None = the full history where it is there."""

    style: str = "rich"
    by: str = ""
    timing: bool = False
    reference: str | None = None
    full_notes: bool = False
    pivot: str = ""
    columns: str = ""
    """Names with commas, as the next."""
    rows: str = ""
    prefer: Sequence[Path] = ()
    """Runs whose trials are taken where another one holds the same."""


def read_preferring(folders: Sequence[Path], prefer: Sequence[Path]) -> pd.DataFrame:
    """Return the items of all these runs, those of ``prefer`` marked. Raises: StoreError."""
    frame = read_items([one for one in folders if one not in prefer])
    return join_preferred(frame, read_items(prefer)) if prefer else frame


def read_selection(options: TableOptions) -> Selection:
    """Return what of a table is asked for."""
    columns = tuple(name.strip() for name in options.columns.split(",") if name.strip())
    return Selection(columns, tuple(split_names(options.rows)), options.by == "group", options.timing)


def format_table(folders: Sequence[Path], options: TableOptions | None = None) -> str:
    """Return the table of one or more runs. Raises: UsageError, StoreError."""
    options = options or TableOptions()
    if options.style not in FORMATS:
        raise unknown_name("table", "a format", options.style, FORMATS)
    for flag, value in (("--by", options.by), ("--pivot", options.pivot)):
        if value not in ("", "group"):
            raise unknown_name("table", flag, value, ("group",))
    if options.pivot and (options.by or options.timing):
        raise UsageError("table: expected --pivot alone, got it with --by or --timing; leave one out")
    frame, color = read_preferring(folders, options.prefer), sys.stdout.isatty()
    reference, chosen = options.reference or choose_reference(frame), read_selection(options)
    if options.pivot:
        if len(chosen.columns) > 1:
            names = ", ".join(chosen.columns)
            raise UsageError(f"table --pivot: expected one metric in --columns, got {names}; make a table of each")
        pivot = build_pivot(frame, metric="".join(chosen.columns), rows=chosen.rows, reference=reference)
        return end_line(render_pivot(pivot, options.style, width=width(), color=color))
    if options.timing:
        frame = add_latencies(frame, [*folders, *options.prefer])
    table = build_table(frame, reference=reference, selection=chosen)
    notes = options.full_notes
    return end_line(render_table(table, options.style, width=width(), color=color, full_notes=notes))


def table_command(folders: Sequence[Path], options: TableOptions) -> None:
    """Print the table."""
    print(format_table(folders, options), end="")


def compare_command(folder: Path, first: str, second: str, metric: str) -> None:
    """Print two strategies head to head. Raises: UsageError for an unknown strategy or metric."""
    comparisons = compare(read_items([folder]), first, second, metric)
    print(end_line(render_comparison(comparisons, "rich", width=width(), color=sys.stdout.isatty())), end="")


def end_line(text: str) -> str:
    """Return the text with a line break at its end."""
    return text if text.endswith("\n") else f"{text}\n"
