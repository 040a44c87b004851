"""``board.toml``: what a board is made of, and what is made of it. A name is that of a file, without folder and suffix.

::

    title = "Offline board: acting tasks"
    prefer = ["mended"]              # of a trial that two runs hold, these runs' is taken

    [[table]]                        # alfworld.md and alfworld.tex, as `bench table` makes them
    name = "alfworld"
    items = ["alfworld"]             # items/alfworld.csv.xz; left out = all items of the board
    formats = ["md", "tex"]          # of md, csv, json, tex, txt
    columns = ["success", "tokens"]  # with rows, by, pivot and reference: the flags of `bench table`

    [[figure]]
    name = "frontier"
    kind = "frontier"                # of frontier, errors, curve
    x = "tokens"                     # with y: the axes of `bench frontier`; a curve has y alone
    formats = ["svg", "png", "txt"]  # of svg, png, pdf; txt, md, csv, json hold the numbers

    [[comparison]]
    name = "window-full"
    first = "window:k=5"
    second = "full-history"
    metric = "success"
    formats = ["txt"]                # of txt, md, json
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.errors import UsageError, nearest, reading, writing

__all__ = [
    "BOARD_FILE",
    "BoardRecord",
    "ComparisonRecord",
    "FigureRecord",
    "TableRecord",
    "read_board",
    "write_board",
]

BOARD_FILE = "board.toml"
_HEADING = "# What `bench board --remake` makes of this board's items; docs/commands.md says what may stand here.\n"
_TOP = ("title", "prefer")

Name = Annotated[str, Field(pattern=r"^\w[\w.=@+-]*$", max_length=200)]
"""The name of a file: no folder, nothing hidden."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Output(_Record):
    name: Name
    items: tuple[Name, ...] = ()
    """Names of items files; empty = all of the board."""


class TableRecord(_Output):
    """One table, in one or more formats; the other fields are the flags of ``bench table``."""

    formats: tuple[Literal["md", "csv", "json", "tex", "txt"], ...] = ("md", "csv", "json", "tex")
    reference: str = ""
    by: Literal["", "group"] = ""
    pivot: Literal["", "group"] = ""
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


class FigureRecord(_Output):
    """One figure, with its numbers; the axes are those of the command of its kind."""

    kind: Literal["frontier", "errors", "curve"] = "frontier"
    formats: tuple[Literal["svg", "png", "pdf", "txt", "md", "csv", "json"], ...] = ("svg", "png", "pdf", "txt")
    x: str = "tokens"
    y: str = "success"


class ComparisonRecord(_Output):
    """Two strategies head to head, as ``bench compare`` prints them."""

    formats: tuple[Literal["txt", "md", "json"], ...] = ("txt",)
    first: str
    second: str
    metric: str = "success"


class BoardRecord(_Record):
    """All of ``board.toml``."""

    title: str = "Board"
    prefer: tuple[Name, ...] = ()
    """Items files whose trials are taken where another one holds the same."""
    tables: tuple[TableRecord, ...] = Field(default=(), alias="table")
    figures: tuple[FigureRecord, ...] = Field(default=(), alias="figure")
    comparisons: tuple[ComparisonRecord, ...] = Field(default=(), alias="comparison")

    @property
    def outputs(self) -> tuple[TableRecord | FigureRecord | ComparisonRecord, ...]:
        return (*self.tables, *self.figures, *self.comparisons)


def read_board(folder: Path) -> BoardRecord:
    """Return the record of a board. Raises: UsageError for a file that cannot be read or holds what it may not."""
    path = folder / BOARD_FILE
    with reading(f"board {path}", "TOML", "mend it, or make the board again with `bench board`"):
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return _validate(raw, path)


def _validate(raw: dict[str, Any], path: Path) -> BoardRecord:
    try:
        return BoardRecord.model_validate(raw)
    except ValidationError as cause:
        first = cause.errors()[0]
        field = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            known = ("title", "prefer", "table", "figure", "comparison")
            close = nearest(str(first["loc"][-1]), known) or known
            raise UsageError(
                f"board: expected a known field in {path}, got {field!r}; did you mean {' or '.join(close)}?"
            ) from None
        given = repr(first["input"])[:100]
        raise UsageError(f"board: expected {field} of {path} to be valid, got {given}; {first['msg']}") from None


def write_board(record: BoardRecord, folder: Path) -> None:
    """Write ``board.toml``; what has its default is left out. Raises: StoreError."""
    path = folder / BOARD_FILE
    fields = record.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    parts = [_HEADING + tomli_w.dumps({"title": record.title} | {k: v for k, v in fields.items() if k in _TOP})]
    for kind in (name for name in fields if name not in _TOP):
        parts += [f"[[{kind}]]\n{tomli_w.dumps(one)}" for one in fields[kind]]
    with writing("board", path):
        path.write_text("\n".join(parts), encoding="utf-8", newline="\n")
