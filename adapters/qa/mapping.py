"""Which column of a data set is what: given as parameters, by a preset, or by its usual name.

A name with dots goes into a record: ``answers.text``. Over a list of records it is the list of their fields.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bench.errors import DataError, UsageError, nearest
from bench.protocols import Param, Params

__all__ = ["COLUMN_PARAMS", "MARK", "PRESETS", "Columns", "choose_columns", "read_value"]

_HERE = Path(__file__).parent / "presets"
PRESETS = tuple(sorted(path.stem for path in _HERE.glob("*.toml")))
MARK = "@"
"""Before a field of a turn that is true where the turn holds the answer."""
_IN = "~"
"""Between a column and a text that it contains where a question has no answer."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each part; empty = there is none."""

    question: str = "question"
    answer: str = "answer"
    context: str = "context"
    id: str = ""
    conversation: str = ""
    group: str = ""
    date: str = ""
    dates: str = ""
    evidence: str = ""
    unanswerable: str = ""

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield the columns that rows must have, each with the parameter that names it."""
        for part, given in self.all():
            if not given.startswith(MARK):
                yield part, given.partition(_IN)[0] if part == "unanswerable" else given

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield every part that is named, as it was given."""
        yield from ((one.name, getattr(self, one.name)) for one in fields(self) if getattr(self, one.name))

    def check(self, name: str, present: Sequence[str]) -> None:
        """Raises: UsageError for a column that is not there, with those that are and the nearest."""
        for parameter, column in self.named():
            if find_top(column, present) is None:
                close = nearest(column.partition(".")[0], present)
                hint = f"did you mean {parameter}={' or '.join(close)}?" if close else f"add {parameter}=COLUMN"
                raise UsageError(
                    f"qa: expected a column {column!r} for {parameter} in {name}, got {', '.join(present)}; {hint}"
                )

    def list_top(self, present: Sequence[str]) -> list[str]:
        """Return the columns that are read, in the order of the rows."""
        tops = {find_top(column, present) for _, column in self.named()}
        return [name for name in present if name in tops]

    def lacks_answer(self, row: Mapping[str, Any]) -> bool:
        """True for a row that says that its question has no answer."""
        column, has_text, text = self.unanswerable.partition(_IN)
        if not column:
            return False
        value = read_value(row, column)
        return text in str(value) if has_text else value in (True, 1, "true", "True", "1")


COLUMN_PARAMS = (
    Param("question", "", "column of the question, or of several about one context (default: question)"),
    Param("answer", "", "column of the answer, or of several that are each right (default: answer)"),
    Param("context", "", "column of the text, the turns or the sessions (default: context)"),
    Param("id", "", "column of the question's id"),
    Param("conversation", "", "column that rows about one context share; default: rows of equal context"),
    Param("group", "", "column of the question's type, which --by group splits by"),
    Param("date", "", "column of the day on which the question is asked"),
    Param("dates", "", "column of the days of the sessions"),
    Param("evidence", "", "column of the turns an answer rests on (number from 0, id or text), or @FIELD of a turn"),
    Param("unanswerable", "", "column that is true for a question without an answer, or COLUMN~TEXT that it contains"),
)


def choose_columns(params: Params) -> Columns:
    """Return the columns of a preset, those given in their place."""
    preset = params.text("preset")
    chosen = tomllib.loads((_HERE / f"{preset}.toml").read_text(encoding="utf-8")) if preset != "none" else {}
    given = {one.name: params.text(one.name) for one in COLUMN_PARAMS if params.text(one.name)}
    return Columns(**{**chosen, **given})


def find_top(column: str, present: Sequence[str]) -> str | None:
    """Return the column that a name with or without dots begins with; None if it is not there."""
    parts = column.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((name for name in names if name in present), None)


def read_value(row: Mapping[str, Any], column: str) -> Any:
    """Return what stands in a column of a row. Raises: DataError for a field that a record of it does not have."""
    top = find_top(column, tuple(row))
    if top is None:
        return None
    rest = column[len(top) + 1 :]
    return _walk(row[top], rest.split("."), column) if rest else row[top]


def _walk(value: Any, path: Sequence[str], column: str) -> Any:
    if not path or value is None:
        return value
    if isinstance(value, list):
        return [_walk(one, path, column) for one in value]
    if isinstance(value, Mapping) and path[0] in value:
        return _walk(value[path[0]], path[1:], column)
    there = f"a record with {', '.join(map(str, value))}" if isinstance(value, Mapping) else type(value).__name__
    raise DataError(f"qa: expected {path[0]!r} below {column!r}, got {there}; name another column")
