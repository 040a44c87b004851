"""``bench errors``: runs in, the causes of failures and their figure out. Apart, so that a table needs no drawing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.cli.console import width
from bench.cli.table import end_line
from bench.report.error_shares import find_error_shares, render_error_shares
from bench.report.figures.errors import draw_errors
from bench.store.dataframe import read_items
from bench.store.printing import say

__all__ = ["errors_command"]


def errors_command(folders: Sequence[Path], out: Path | None) -> None:
    """Print the shares of each cause and, with ``out``, draw them. Raises: UsageError."""
    panels = find_error_shares(read_items(folders))
    if out is not None:
        draw_errors(panels, out)
        say(f"errors: drawn in {out}")
    print(end_line(render_error_shares(panels, width=width(), color=sys.stdout.isatty())), end="")
