"""The console that commands print results to, as wide as the terminal or wide enough for a file, and its streams."""

from __future__ import annotations

import codecs
import io
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook
from rich.segment import Segment

from bench.store.printing import make_printable

__all__ = ["flush_output", "prepare_streams", "screen", "silence_output", "width"]

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


def prepare_streams() -> None:
    """Make stdout and stderr take any text: what their encoding lacks is written as JSON escapes it.

    A stream that is closed becomes one that keeps nothing: else the next file opened, such as a database, would be
    given its number, and would be printed into.
    """
    codecs.register_error(_ESCAPE, _escape)
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPE)
    if sys.stderr is sys.__stderr__ and type(sys.stderr) is io.TextIOWrapper:
        sys.stderr = _Messages(sys.stderr.buffer, sys.stderr.encoding, _ESCAPE, line_buffering=True)


class _Messages(io.TextIOWrapper):
    """Stderr, which a run must not end for: what nobody takes is dropped."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


_ESCAPE = "escape-as-json"


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return ``\\u2026`` for an ellipsis: a reader can tell it, and JSON that is printed stays JSON."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def flush_output() -> None:
    """Write what was printed. Raises: OSError if nobody takes it (BrokenPipeError), or there is no room for it."""
    sys.stdout.flush()


def silence_output() -> None:
    """Drop what was printed and not written, so that Python does not try again when it ends."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
