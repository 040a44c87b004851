"""The console that commands print results to, as wide as the terminal or wide enough for a file."""

from __future__ import annotations

import shutil
import sys

from rich.console import Console

__all__ = ["screen", "width"]

_FILE_WIDTH = 160


def width() -> int:
    """Return how many characters a line may have."""
    return shutil.get_terminal_size((_FILE_WIDTH, 40)).columns if sys.stdout.isatty() else _FILE_WIDTH


def screen() -> Console:
    """Return a console on stdout; colours only on a terminal."""
    return Console(highlight=False, width=width())
