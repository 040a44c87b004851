"""``bench table``: its flags. Apart from the work, so that ``bench --help`` imports nothing heavy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

__all__ = ["table"]


def table(
    *,
    folders: Annotated[
        list[Path], Argument(help="Run folders, or files of items.", metavar="DIR...", show_default=False)
    ],
    by: Annotated[str, Option(help="group: one more line for each task type.")] = "",
    pivot: Annotated[
        str, Option(help="group: strategies x task types, one metric (--columns; default: success).")
    ] = "",
    style: Annotated[str, Option("--format", help="rich, md, csv, latex or json.")] = "rich",
    timing: Annotated[bool, Option("--timing", help="Show wall times.")] = False,
    reference: Annotated[str | None, Option(help="Strategy to test against (default: full-history).")] = None,
    columns: Annotated[
        str, Option(help="Only these, with commas: metrics or headers, e.g. success,tokens,bleu-1.")
    ] = "",
    rows: Annotated[str, Option(help="Only these strategies, in this order, e.g. full-history,window*.")] = "",
    prefer: Annotated[
        list[Path] | None, Option(help="A run whose trials are taken where another holds the same.", metavar="DIR")
    ] = None,
    notes: Annotated[bool, Option("--notes", help="Print the definition of every column.")] = False,
) -> None:
    """Print the result table of one or more runs."""
    from bench.cli.table import TableOptions, table_command  # noqa: PLC0415

    table_command(folders, TableOptions(style, by, timing, reference, notes, pivot, columns, rows, tuple(prefer or ())))
