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
from bench.report.table import FORMATS, render, table
from bench.store.dataframe import read_items

__all__ = ["REFERENCE", "TableOptions", "compare_command", "line_ended", "shown_table", "table_command"]

REFERENCE = "full-history"
"""The row others are tested against unless another is named: the field's own standard row."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is shown. ``reference`` None = the full history where it is there."""

    style: str = "rich"
    by: str = ""
    timing: bool = False
    reference: str | None = None


def default_reference(frame: pd.DataFrame) -> str | None:
    """Return the full history if it is there, else no reference."""
    return REFERENCE if REFERENCE in set(frame["strategy"]) else None


def shown_table(folders: Sequence[Path], options: TableOptions | None = None) -> str:
    """Return the table of one or more runs. Raises: UsageError, StoreError."""
    options = options or TableOptions()
    if options.style not in FORMATS:
        raise unknown_name("table", "a format", options.style, FORMATS)
    if options.by not in ("", "group"):
        raise unknown_name("table", "--by", options.by, ("group",))
    frame = read_items(folders)
    made = table(
        frame,
        reference=options.reference or default_reference(frame),
        by_group=options.by == "group",
        timing=options.timing,
    )
    return line_ended(render(made, options.style, width=width(), color=sys.stdout.isatty()))


def table_command(folders: Sequence[Path], options: TableOptions) -> None:
    """Print the table."""
    print(shown_table(folders, options), end="")


def compare_command(folder: Path, first: str, second: str, metric: str) -> None:
    """Print two rows head to head. Raises: UsageError for an unknown row or metric."""
    found = compare(read_items([folder]), first, second, metric)
    print(line_ended(render_comparison(found, "rich", width=width(), color=sys.stdout.isatty())), end="")


def line_ended(text: str) -> str:
    """Return the text with a line break at its end."""
    return text if text.endswith("\n") else f"{text}\n"
