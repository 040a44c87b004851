"""The console that commands print results to, as wide as the terminal or wide enough for a file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook
from rich.segment import Segment

from bench.store.printing import make_printable

__all__ = ["screen", "width"]

_FILE_WIDTH = 160


def width() -> int:
    """Return how many characters a line may have."""
    return shutil.get_terminal_size((_FILE_WIDTH, 40)).columns if sys.stdout.isatty() else _FILE_WIDTH


def screen() -> Console:
    """Return a console on stdout; colours only on a terminal. Whatever is printed with it, a terminal obeys nothing of
    it but the styles of this project."""
    console = Console(highlight=False, emoji=False, width=width())
    console.push_render_hook(_Harmless())
    return console


class _Harmless(RenderHook):
    """Stands between what is printed and the terminal."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(one) for one in renderables]


class _Printable:
    """A renderable whose text is printable; the styles, which become escape sequences later, are not text."""

    def __init__(self, inner: ConsoleRenderable):
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self._inner, options):
            yield segment if segment.control else Segment(make_printable(segment.text), segment.style)
