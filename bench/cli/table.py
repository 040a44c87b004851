"""``bench table`` and ``bench compare``: runs in, text out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bench.cli.console import width
from bench.errors import unknown_name
from bench.report.compare import compare, render_comparison
from bench.report.table import FORMATS, build_table, render_table
from bench.store.dataframe import read_items

__all__ = ["REFERENCE", "TableOptions", "compare_command", "end_line", "format_table", "table_command"]

REFERENCE = "full-history"
"""The strategy others are tested against unless another is named: the field's own standard."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is printed. ``reference`` None = the full history where it is there."""

    style: str = "rich"
    by: str = ""
    timing: bool = False
    reference: str | None = None
    full_notes: bool = False


def find_reference(frame: pd.DataFrame) -> str | None:
    """Return the full history if it is there, else no reference."""
    return REFERENCE if REFERENCE in set(frame["strategy"]) else None


def format_table(folders: Sequence[Path], options: TableOptions | None = None) -> str:
    """Return the table of one or more runs. Raises: UsageError, StoreError."""
    options = options or TableOptions()
    if options.style not in FORMATS:
        raise unknown_name("table", "a format", options.style, FORMATS)
    if options.by not in ("", "group"):
        raise unknown_name("table", "--by", options.by, ("group",))
    frame = read_items(folders)
    table = build_table(
        frame,
        reference=options.reference or find_reference(frame),
        by_group=options.by == "group",
        timing=options.timing,
    )
    color, notes = sys.stdout.isatty(), options.full_notes
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
