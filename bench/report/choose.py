"""The strategies and the scores that a user asks a table or a figure for, by name."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import pandas as pd

from bench.errors import unknown_name
from bench.report.aggregate import number
from bench.report.items import find_strategy, score_names
from bench.report.repeats import MACRO
from bench.report.row import Row
from bench.scoring.metric_names import find_metric

__all__ = ["choose_rows", "choose_strategies", "list_macro_scores"]

_WILD = "*?"


def choose_strategies(names: Sequence[str], items: pd.DataFrame) -> tuple[str, ...]:
    """Return the strategies that a user names, each once, in that order; none if none is named.

    A name with ``*`` or ``?`` stands for all that it fits.
    Raises: UsageError with the nearest names, also for a pattern that fits nothing.
    """
    known = sorted({str(label) for label in items["strategy"]})
    found: dict[str, None] = {}
    for name in names:
        if not any(sign in name for sign in _WILD):
            found[find_strategy(name, items)] = None
            continue
        fitting = [one for one in known if fnmatchcase(one, name)]
        if not fitting:
            raise unknown_name("report", "a pattern that fits a strategy", name, known)
        found |= dict.fromkeys(fitting)
    return tuple(found)


def choose_rows(rows: Sequence[Row], strategies: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows of these strategies in this order, group by group, ranked among each other; all for none."""
    if not strategies:
        return tuple(rows)
    chosen: list[Row] = []
    for group in dict.fromkeys(row.group for row in rows):
        by_name = {row.strategy: row for row in rows if row.group == group}
        chosen += number([by_name[name] for name in strategies if name in by_name])
    return tuple(chosen)


def list_macro_scores(columns: Sequence[str], items: pd.DataFrame) -> tuple[str, ...]:
    """Return the scores whose mean over groups a user asks for."""
    bases = [name.removeprefix(MACRO) for name in columns if name.startswith(MACRO)]
    names = [metric.name if (metric := find_metric(base)) else base for base in bases]
    return tuple(name for name in names if name in score_names(items))
