"""The console that commands print results to, as wide as the terminal or wide enough for a file; and what they print
alike: the name of a trial, a text of a model or a world."""

from __future__ import annotations

import shutil
import sys

from rich.console import Console

__all__ = ["format_trial", "make_printable", "screen", "width"]

_FILE_WIDTH = 160


def width() -> int:
    """Return how many characters a line may have."""
    return shutil.get_terminal_size((_FILE_WIDTH, 40)).columns if sys.stdout.isatty() else _FILE_WIDTH


def screen() -> Console:
    """Return a console on stdout; colours only on a terminal."""
    return Console(highlight=False, width=width())


def format_trial(strategy: object, task: object, seed: object, attempt: object = 1) -> str:
    """Return the name of a trial that ``bench show`` takes; ``#SEED:ATTEMPT`` for a later attempt."""
    tail = f"#{seed}:{attempt}" if attempt != 1 else f"#{seed}" if seed else ""
    return f"{strategy}@{task}{tail}"


def make_printable(text: str) -> str:
    """Return a text without what a terminal would obey; line breaks and tabs stay."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)
