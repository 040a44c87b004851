"""A row that somebody hands in for a board: its record, ``submission.toml``, and the log of corrections of a board.

A submission is a folder ``BOARD/submissions/NAME`` with ``submission.toml``, ``run.toml``, ``items.csv`` (or
``items.csv.xz``), ``cassette.jsonl.gz`` if its model cannot be played here, and the strategy's own file if it has one::

    title = "A window of three steps"
    by = "A. Author"
    run = "toy"                       # items/toy.toml: the configuration of the board that it was played under
    strategy = "tiny:k=3"             # as in its run.toml
    source = "strategy.py:STRATEGY"   # a file of the folder, or an import path; left out for one of this package

``BOARD/corrections.toml`` says what of the board was wrong, a withdrawn row included::

    [[correction]]
    date = 2026-12-01
    submission = "three-steps"        # left out where it is about the board
    what = "withdrawn"                # or what was changed
    why = "the cassette held replies of another model"
    withdrawn = true
"""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.errors import UsageError, reading
from bench.store.items_file import ITEM_SUFFIXES

__all__ = [
    "CASSETTE",
    "SUBMISSIONS",
    "SUBMISSION_FILE",
    "Correction",
    "Submission",
    "find_items_file",
    "find_submissions",
    "read_corrections",
    "read_submission",
]

SUBMISSIONS, SUBMISSION_FILE, CASSETTE = "submissions", "submission.toml", "cassette.jsonl.gz"
_CORRECTIONS = "corrections.toml"
_Text = Annotated[str, Field(min_length=1, max_length=300)]
_Record = TypeVar("_Record", bound=BaseModel)


class Submission(BaseModel):
    """All of ``submission.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: _Text
    by: _Text
    run: _Text
    """The name of a configuration of the board, ``items/NAME.toml``."""
    strategy: _Text
    source: str = Field(default="", max_length=300, pattern=r"^([\w./-]+:\w+)?$")


class Correction(BaseModel):
    """One entry of the log."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    date: date
    what: _Text
    why: _Text
    submission: str = ""
    withdrawn: bool = False
    """The row is in no table any more; that it was there stays visible."""


class _Log(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    correction: tuple[Correction, ...] = ()


def find_submissions(board: Path) -> list[Path]:
    """Return the folders of the submissions of a board, sorted."""
    return sorted(path.parent for path in (board / SUBMISSIONS).glob(f"*/{SUBMISSION_FILE}"))


def find_items_file(folder: Path) -> Path:
    """Return the file with the items of a submission. Raises: UsageError."""
    for suffix in ITEM_SUFFIXES:
        if (path := folder / f"items{suffix}").is_file():
            return path
    raise UsageError(f"submission {folder}: expected items.csv, got none; write it with `bench export`")


def read_submission(folder: Path) -> Submission:
    """Raises: UsageError for a file that is not there or holds what it may not."""
    return _read(folder / SUBMISSION_FILE, Submission)


def read_corrections(board: Path) -> tuple[Correction, ...]:
    """Return the log of a board, nothing where it has none. Raises: UsageError."""
    path = board / _CORRECTIONS
    return _read(path, _Log).correction if path.exists() else ()


def _read(path: Path, kind: type[_Record]) -> _Record:
    with reading(str(path), "TOML", "write it as docs/submit.md says"):
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return kind.model_validate(raw)
    except ValidationError as cause:
        first = cause.errors()[0]
        field, given = ".".join(map(str, first["loc"])), repr(first["input"])[:100]
        raise UsageError(
            f"{path}: expected {field} as docs/submit.md says, got {given} ({first['msg']}); mend it"
        ) from None
