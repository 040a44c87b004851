"""The errors at the end of a run: what went wrong in its trials, each distinct error once, in the order of the plan."""

from __future__ import annotations

from pathlib import Path

from bench.store.ledger_queries import list_errors, list_statuses
from bench.store.printing import format_trial, make_printable
from bench.types import Status

__all__ = ["describe_errors", "has_only_strategy_errors"]

_MOST_ERRORS, _MOST_CHARACTERS = 3, 300


def describe_errors(folder: Path) -> list[str]:
    """Return a line for each of the first distinct errors of a run's trials, and one that counts the others."""
    found, lines = list_errors(folder), list[str]()
    for one in found[:_MOST_ERRORS]:
        text = make_printable(" ".join(one.text[: 10 * _MOST_CHARACTERS].split()))
        shown = f"{text[:_MOST_CHARACTERS]}…" if len(text) > _MOST_CHARACTERS else text
        trials = "1 trial" if one.trials == 1 else f"{one.trials:,} trials"
        key = one.first
        where = format_trial(key.strategy, key.task, key.seed, key.attempt)
        lines.append(f"{one.status} in {trials}, the first is {where}: {shown}")
    if (others := len(found) - _MOST_ERRORS) > 0:
        what = "1 other error" if others == 1 else f"{others:,} other errors"
        lines.append(f"{what}; `bench show {folder}` lists the trials")
    return lines


def has_only_strategy_errors(folder: Path) -> bool:
    """True if every trial of a run ended because its strategy failed."""
    return list_statuses(folder) == {Status.STRATEGY_ERROR.value}
