"""The numbers that papers print, as tidy tables: one record a number. Reads them and checks them; compares nothing.

Those of this project lie in ``results/published``, which is installed with the package; a user's own table has the same
columns (``COLUMNS``).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from pathlib import Path

from bench.errors import UsageError, reading

__all__ = ["COLUMNS", "SOURCE_KINDS", "UNITS", "Paper", "Published", "find_folder", "read_numbers", "read_papers"]

UNITS = ("percent", "count", "tokens", "seconds", "ratio")
SOURCE_KINDS = ("paper", "official_code", "secondary", "inferred")
_PAPERS = "papers.csv"
_UNKNOWN = "not recorded"
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Published:
    """One printed number with its setting. Empty texts and None: the source does not say."""

    paper: str
    table: str
    benchmark: str
    subset: str
    model: str
    """What acts or answers; of a number about retrieval alone, the retriever."""
    strategy: str
    variant: str
    """Settings joined with ``;``; empty = the method as proposed."""
    metric: str
    unit: str
    value: float
    n: int | None
    budget: int | None
    """Context budget in tokens."""
    step_limit: int | None
    source_kind: str
    note: str

    @property
    def settings(self) -> frozenset[str]:
        return frozenset(piece.strip() for piece in self.variant.split(";") if piece.strip())

    @property
    def key(self) -> tuple[str, ...]:
        """No two numbers of a table share it."""
        names = ("paper", "table", "benchmark", "subset", "model", "strategy", "variant", "metric", "budget")
        return tuple(str(getattr(self, name)) for name in names)


COLUMNS = tuple(field.name for field in fields(Published))
_COUNTS = ("n", "budget", "step_limit")


@dataclass(frozen=True, slots=True)
class Paper:
    """One line of ``papers.csv``."""

    paper: str
    title: str
    authors: str
    year: str
    arxiv_id: str
    venue: str
    official_code: str
    licence: str
    not_found: str

    @property
    def source(self) -> str:
        """Return how the paper is cited below a table: ``Hu et al. 2025, arXiv 2408.09559``."""
        where = f"arXiv {self.arxiv_id}" if self.arxiv_id else self.venue
        return f"{self._name()} {self.year}, {where}"

    def _name(self) -> str:
        names = [name.strip() for name in self.authors.partition("(")[0].split(";")]
        first = names[0].removesuffix(" et al.")
        if self.authors == _UNKNOWN:
            return self.title
        if len(names) == 1 and first == names[0]:
            return first
        return f"{first.split()[-1]} et al."


def find_folder() -> Path:
    """Return the folder of the tables that come with this project, in a checkout or where it was installed."""
    # By way of this package: another distribution may have a package ``results`` too.
    return Path(str(files("bench"))).parent / "results" / "published"


def read_numbers(path: Path) -> tuple[Published, ...]:
    """Return the numbers of a table, in its order.

    Raises: UsageError for a file that is no CSV, lacks a column, or has a row that does not fit, one line each.
    """
    rows, names = _read_rows(path)
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise UsageError(
            f"{path}: expected the columns {', '.join(COLUMNS)}, got none named {', '.join(missing)}; add them, empty "
            "where nothing is known"
        )
    numbers = [_parse(row, f"{path}, line {line}") for line, row in rows]
    seen: dict[tuple[str, ...], int] = {}
    for (line, _), one in zip(rows, numbers, strict=True):
        if one.key in seen:
            raise UsageError(
                f"{path}, line {line}: expected each number once, got that of line {seen[one.key]} again; say in "
                "variant what differs"
            )
        seen[one.key] = line
    return tuple(numbers)


def read_papers() -> Mapping[str, Paper]:
    """Return the papers that this project has numbers of, by id."""
    rows, _ = _read_rows(find_folder() / _PAPERS)
    names = [field.name for field in fields(Paper)]
    return {row["paper"]: Paper(**{name: row[name] for name in names}) for _, row in rows}


def _read_rows(path: Path) -> tuple[list[tuple[int, dict[str, str]]], Iterable[str]]:
    """Return the rows of a table with the lines that they end at, and the names of its columns."""
    hint = "name the recipe's numbers, or mend the file"
    with reading(str(path), "CSV", hint), path.open(encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file, restkey="", restval="")
        return [(table.line_num, row) for row in table], table.fieldnames or ()


def _parse(row: Mapping[str, str], where: str) -> Published:
    given = {name: row[name].strip() for name in COLUMNS}
    counts = {name: _parse_count(given[name], name, where) for name in _COUNTS}
    value = _parse_number(given["value"], where)
    for name, allowed in (("unit", UNITS), ("source_kind", SOURCE_KINDS)):
        if given[name] not in allowed:
            raise UsageError(f"{where}: expected {name} to be {' or '.join(allowed)}, got {given[name]!r}; mend it")
    return Published(**{**given, **counts, "value": value})  # type: ignore[arg-type]


def _parse_number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(
            f"{where}: expected value to be a number, got {text[:_LONGEST]!r}; leave the row out if unknown"
        )
    return value


def _parse_count(text: str, name: str, where: str) -> int | None:
    if text and not (text.isascii() and text.isdecimal()):
        raise UsageError(f"{where}: expected {name} to be a whole number or empty, got {text[:_LONGEST]!r}; mend it")
    return int(text) if text else None
