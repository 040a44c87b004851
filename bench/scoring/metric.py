"""The record of one metric: what it is called, which way is better, how it is averaged, where it is printed.

A metric is data. The entries stand in ``catalog.py``; everything that prints, compares or averages scores reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bench.types import Trial

__all__ = [
    "Aggregate",
    "Better",
    "Metric",
    "Topic",
    "Unit",
    "Values",
    "differs_from",
    "known",
    "known_beside",
    "nonzero",
    "nonzero_of",
    "seldom",
]

Values = Mapping[str, float | None]
"""The values of one row of a table, by metric name; None = unknown or not applicable."""


class Unit(StrEnum):
    """What a value counts."""

    SHARE = "share"
    """0..1, printed as percent."""
    TOKENS = "tokens"
    USD = "US$"
    SECONDS = "seconds"
    COUNT = "count"
    P_VALUE = "p"


class Better(StrEnum):
    """Which direction is an advantage."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"
    """It describes; wins are counted as if higher were better."""


class Aggregate(StrEnum):
    """How the values of items become the value of a row. Repeats of a task are averaged first."""

    MEAN = "mean"
    """Over the items that have the score."""
    STRICT_MEAN = "strict mean"
    """The mean, or unknown if one item lacks the score: a mean over the others would be a wrong total."""
    MAXIMUM = "maximum"
    """The largest value of any item."""
    CARRIED_MEAN = "mean, carried on"
    """The mean, where an item that ended early goes on at its last ``progress``."""
    OF_ROW = "of the row"
    """Not averaged: a setting of the row, or a ratio of two rows."""


class Topic(StrEnum):
    """The section of the notes and of the documentation."""

    OUTCOME = "Outcome"
    ANSWERS = "Answers and their judge"
    EVIDENCE = "Evidence"
    EFFORT = "Context, tokens and money"
    REPLIES = "Replies"
    TIME = "Wall time"


Shown = Callable[[str, Iterable[Values]], bool]
"""Whether the column of the metric of that name is worth showing for these rows."""


def known(name: str, rows: Iterable[Values]) -> bool:
    """True if any row has a value."""
    return any(row.get(name) is not None for row in rows)


def nonzero(name: str, rows: Iterable[Values]) -> bool:
    """True if any row has a value other than 0."""
    return any(row.get(name) for row in rows)


def seldom(name: str, rows: Iterable[Values]) -> bool:
    """True if any row has a share that is not 0 and less than half."""
    return any(0.0 < (row.get(name) or 0.0) < 0.5 for row in rows)


def nonzero_of(other: str) -> Shown:
    """Show a column where another metric is not 0."""
    return lambda _, rows: nonzero(other, rows)


def known_beside(other: str) -> Shown:
    """Show a column that has a value where another metric is not 0."""
    return lambda name, rows: known(name, rows) and nonzero(other, rows)


def differs_from(other: str) -> Shown:
    """Show a column where it says something else than another."""
    return lambda name, rows: any(row.get(name) not in (None, row.get(other)) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One entry of the catalogue.

    A ``name`` with braces is a family: ``progress_at_{k}`` stands for every whole number k, ``calls_{role}`` for every
    word. A plug-in gives ``compute``; the built-in scores are computed together in ``metrics.py``.
    """

    name: str
    """As recorded with every item."""
    topic: Topic
    unit: Unit
    better: Better
    definition: str
    """One sentence, ``column title: what it is``; columns with the same sentence share one line of the notes."""
    aggregate: Aggregate = Aggregate.MEAN
    key: str = ""
    """Its name in the table's JSON and CSV, where that is another; accepted as a name everywhere."""
    aliases: tuple[str, ...] = ()
    """Short names that a user may write for it."""
    header: str = ""
    """The title of its column in a table; empty = no column."""
    digits: int = 0
    """Decimals in a table; a share always has one."""
    weight: int = 0
    """Columns of large weight are left out first where a terminal is narrow; 0 = never."""
    show: Shown = known
    interval: str = ""
    """Has a 95 % interval, whose ends are ``<interval>_low`` and ``<interval>_high`` in JSON and CSV."""
    graded: bool = False
    """Any value in 0..1 is possible, so the interval is a bootstrap even where all values are 0 or 1."""
    noted: bool = True
    """Its definition is printed below a table that has its column."""
    brief: bool = False
    """``bench show`` prints it for every trial and question."""
    axis: str = ""
    """Its label on an axis of a figure; ``{item}`` becomes task or question."""
    estimable: bool = False
    """Marked with ``~`` where a tokenizer estimated what no provider reported."""
    stable: bool = True
    """Two equal runs agree on it; wall times do not."""
    compute: Callable[[Trial], float | None] | None = None
    """For a plug-in: the score of a trial. A question is passed as a trial with its own step and calls alone."""

    @property
    def is_share(self) -> bool:
        return self.unit is Unit.SHARE

    @property
    def sign(self) -> int:
        """-1 where less is better, else 1."""
        return -1 if self.better is Better.LOWER else 1

    @property
    def record_key(self) -> str:
        return self.key or self.name
