"""Where an export is written: a text to a file or to stdout, line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from bench.errors import writing

__all__ = ["put_lines", "put_text"]


def put_text(text: str, out: Path | None) -> None:
    """Write a text to a file, or to stdout. Raises: StoreError."""
    put_lines([text], out)


def put_lines(lines: Iterable[str], out: Path | None) -> None:
    """Write texts one after the other as they come, to a file or to stdout. Raises: StoreError."""
    rest = iter(lines)
    first = next(rest, "")  # what cannot be read at all is said before a file is opened
    if out is None:
        sys.stdout.write(first)
        sys.stdout.writelines(rest)
        return
    with writing("export", out), out.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(first)
        stream.writelines(rest)
