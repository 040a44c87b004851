"""Instances of a LongMemEval file one by one, so that no more than a few of them are ever in memory.

Reads a JSON array in pieces, or one JSON object a line, plain or packed with xz. A broken instance comes as a row that
does not parse; those after it come whole. This module knows no field but ``question_id``, by which it finds where the
next instance begins.
"""

from __future__ import annotations

import json
import lzma
import re
import threading
from collections import OrderedDict
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from adapters.longmemeval.data import FETCH
from bench.errors import DataError

__all__ = ["Fields", "Reader", "Row"]

Fields = dict[str, Any] | str
"""The fields of an instance; a text says why there are none."""

_CHUNK_CHARS = 1 << 20
_KEPT_ROWS = 8
"""Rows that a reader has passed and can still give: threads that play neighbouring tasks ask a little out of order."""
_NEXT = re.compile(r'\{\s*"question_id"\s*:')
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Row:
    """The text of one instance. ``position`` counts from 1 in the order of the file."""

    position: int
    text: str

    def fields(self) -> Fields:
        """Parse the text."""
        try:
            self.text.encode()
            fields = json.loads(self.text)
        except UnicodeEncodeError:
            return "bytes that are not UTF-8"
        except ValueError as cause:
            return f"broken JSON ({cause})"
        return fields if isinstance(fields, dict) else f"a {type(fields).__name__} in place of an object"


class Reader:
    """One file, read forwards; safe to call from threads. A row that lies behind is found by starting again."""

    def __init__(self, path: Path):
        self.path = path
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, Row] = OrderedDict()
        self._ahead: Generator[Row] | None = None
        self._passed = 0

    def rows(self) -> Generator[Row]:
        """Yield every row in a pass of its own. Raises: DataError for the file as a whole."""
        try:
            with closing(self._open()) as stream:
                first = _skip_space(stream)
                texts = _array(stream) if first == "[" else _lines(stream, first)
                for position, text in enumerate(texts, start=1):
                    yield Row(position, text)
        except OSError as cause:
            raise self._broken(cause.strerror or str(cause)) from cause
        except (lzma.LZMAError, EOFError) as cause:
            raise self._broken(f"a damaged archive ({cause})") from cause

    def row(self, position: int) -> Row:
        """Return one row. Raises: DataError if the file cannot be read or ends before it."""
        with self._lock:
            if (kept := self._kept.get(position)) is not None:
                return kept
            if position <= self._passed:
                self._rewind()
            self._ahead = self._ahead or self.rows()
            for row in self._ahead:
                self._passed = row.position
                self._kept[row.position] = row
                while len(self._kept) > _KEPT_ROWS:
                    self._kept.popitem(last=False)
                if row.position == position:
                    return row
            raise self._broken(f"{self._passed} instances where number {position} is asked for")

    def close(self) -> None:
        """Let go of the file; a later row opens it again."""
        with self._lock:
            self._rewind()
            self._kept.clear()

    def _rewind(self) -> None:
        if self._ahead is not None:
            self._ahead.close()
        self._ahead, self._passed = None, 0

    def _open(self) -> IO[str]:
        # What is no UTF-8 spoils its own instance, not the file: it is kept as it is and refused in Row.fields.
        if self.path.suffix == ".xz":
            return lzma.open(self.path, "rt", encoding="utf-8", errors="surrogateescape")
        return self.path.open(encoding="utf-8", errors="surrogateescape")

    def _broken(self, got: str) -> DataError:
        return DataError(f"longmemeval: expected instances in {self.path}, got {got}; {FETCH}")


def _skip_space(stream: IO[str]) -> str:
    """Return the first character that is not white space, or nothing at the end."""
    while (first := stream.read(1)).isspace():
        pass
    return first


def _lines(stream: IO[str], first: str) -> Iterator[str]:
    for line in stream:
        if text := (first + line).strip():
            yield text
        first = ""


def _array(stream: IO[str]) -> Iterator[str]:
    """Yield the text of each element of an array whose bracket has been read.

    An element that does not parse ends where the next instance begins; a file that is cut short has a last row without
    sense, so that what is missing is told.
    """
    held = ""
    more = True
    while True:
        held = held.lstrip(" \t\r\n,")
        if held.startswith("]"):
            return
        end = _end(held, more)
        if end is None:
            piece = stream.read(max(_CHUNK_CHARS, len(held)))
            held, more = held + piece, bool(piece)
            continue
        yield held[:end]
        if not more and end == len(held):
            return
        held = held[end:]


def _end(held: str, more: bool) -> int | None:
    """Return where the first element ends; None if that cannot be told before more is read."""
    try:
        return _DECODER.raw_decode(held)[1]
    except ValueError:
        found = _NEXT.search(held, 1)
    if found:
        return found.start()
    return None if more else len(held)
