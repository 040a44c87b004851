"""Reads the instances of a LongMemEval file one by one, so that only a few are in memory.

The file is a JSON array or one JSON object per line, plain or packed with xz; or Parquet, read by the package
``datasets`` (extra ``[datasets]``). A broken instance is a row that does not
parse; the rows after it are intact. The only field known here is ``question_id``: it marks the start of the next
instance.
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

from adapters.longmemeval.data import MEND, advise
from adapters.shared.rows import Origin, open_rows
from bench.errors import DataError

__all__ = ["Fields", "Reader", "Row"]

Fields = dict[str, Any] | str
"""The fields of an instance; a text gives the reason if there are none."""

_PARQUET = ".parquet"
_CHUNK_CHARS = 1 << 20
_CACHED_ROWS = 8
"""The number of cached rows: threads that play neighbouring tasks need rows slightly out of order."""
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
        except (ValueError, RecursionError) as cause:
            return f"broken JSON ({cause})"
        return fields if isinstance(fields, dict) else f"a {type(fields).__name__} in place of an object"


class Reader:
    """One file, read forwards; safe to call from several threads. An earlier row is found by reading from the start."""

    def __init__(self, path: Path):
        self.path = path
        self._lock = threading.Lock()
        self._cached: OrderedDict[int, Row] = OrderedDict()
        self._ahead: Generator[Row] | None = None
        self._passed = 0

    def rows(self) -> Generator[Row]:
        """Yield every row in a separate pass. Raises: DataError for the file as a whole; UsageError without the package
        that reads it."""
        if self.path.suffix == _PARQUET and self.path.exists():
            yield from _read_parquet(self.path)
            return
        try:
            with closing(self._open()) as stream:
                first = _skip_space(stream)
                texts = _split_array(stream) if first == "[" else _split_lines(stream, first)
                for position, text in enumerate(texts, start=1):
                    yield Row(position, text)
        except OSError as cause:
            raise self._broken(cause.strerror or str(cause), advise(self.path)) from cause
        except (lzma.LZMAError, EOFError) as cause:
            raise self._broken(f"a damaged archive ({cause})") from cause

    def row(self, position: int) -> Row:
        """Return one row. Raises: DataError if the file cannot be read or ends before it."""
        with self._lock:
            if (cached := self._cached.get(position)) is not None:
                return cached
            if position <= self._passed:
                self._rewind()
            self._ahead = self._ahead or self.rows()
            for row in self._ahead:
                self._passed = row.position
                self._cached[row.position] = row
                while len(self._cached) > _CACHED_ROWS:
                    self._cached.popitem(last=False)
                if row.position == position:
                    return row
            raise self._broken(f"{self._passed} instances where number {position} is asked for")

    def close(self) -> None:
        """Close the file; a later ``row`` opens it again."""
        with self._lock:
            self._rewind()
            self._cached.clear()

    def _rewind(self) -> None:
        if self._ahead is not None:
            self._ahead.close()
        self._ahead, self._passed = None, 0

    def _open(self) -> IO[str]:
        # Bytes that are no UTF-8 break their own instance, not the file: Row.fields rejects them.
        if self.path.suffix == ".xz":
            return lzma.open(self.path, "rt", encoding="utf-8-sig", errors="surrogateescape")
        return self.path.open(encoding="utf-8-sig", errors="surrogateescape")

    def _broken(self, got: str, advice: str = MEND) -> DataError:
        return DataError(f"longmemeval: expected instances in {self.path}, got {got}; {advice}")


def _read_parquet(path: Path) -> Iterator[Row]:
    for position, row in enumerate(open_rows("longmemeval", Origin(str(path)), path.parent), start=1):
        yield Row(position, json.dumps(row, ensure_ascii=False))


def _skip_space(stream: IO[str]) -> str:
    """Return the first character that is not white space, or nothing at the end."""
    while (first := stream.read(1)).isspace():
        pass
    return first


def _split_lines(stream: IO[str], first: str) -> Iterator[str]:
    for line in stream:
        if text := (first + line).strip():
            yield text
        first = ""


def _split_array(stream: IO[str]) -> Iterator[str]:
    """Yield the text of each element of an array whose bracket has been read.

    An element that does not parse ends where the next instance begins; the last row of a truncated file does not parse,
    so that the truncation is reported.
    """
    buffer = ""
    more = True
    while True:
        buffer = buffer.lstrip(" \t\r\n,")
        if buffer.startswith("]"):
            return
        end = _find_end(buffer, more)
        if end is None:
            piece = stream.read(max(_CHUNK_CHARS, len(buffer)))
            buffer, more = buffer + piece, bool(piece)
            continue
        yield buffer[:end]
        if not more and end == len(buffer):
            return
        buffer = buffer[end:]


def _find_end(buffer: str, more: bool) -> int | None:
    """Return the end of the first element; None if more must be read to know it."""
    try:
        return _DECODER.raw_decode(buffer)[1]
    except (ValueError, RecursionError):
        found = _NEXT.search(buffer, 1)
    if found:
        return found.start()
    return None if more else len(buffer)
