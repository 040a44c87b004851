"""``bench frontier``: runs in, the frontier's numbers and its figure out. Apart, so that a table needs no drawing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.cli.console import width
from bench.cli.table import end_line
from bench.report.figures.frontier import draw
from bench.report.frontier import find_frontiers
from bench.report.frontier_text import render_frontier
from bench.store.dataframe import read_items
from bench.store.printing import say

__all__ = ["frontier_command"]


def frontier_command(folders: Sequence[Path], x: str, y: str, out: Path | None) -> None:
    """Print the frontier's numbers and, with ``out``, draw it. Raises: UsageError."""
    found = find_frontiers(read_items(folders), x=x, y=y)
    if out is not None:
        draw(found, out)
        say(f"frontier: drawn in {out}")
    print(end_line(render_frontier(found, "rich", width=width(), color=sys.stdout.isatty())), end="")
