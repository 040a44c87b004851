"""Which trial of a run a name means: the whole name, its beginning, a part of it, or that of a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.errors import StoreError, UsageError, nearest
from bench.store.read import read_attempt, read_trials
from bench.store.trial_names import list_keys, name_trial
from bench.types import Trial, TrialKey

__all__ = ["find_by_question", "find_trial"]

_MOST_NAMES = 8


def find_trial(folder: Path, name: str, *, first: bool = False) -> Trial:
    """Return the one trial that a name means: its whole name, else the beginning of it, else a part.

    ``first``: of several, the first by suite and task. Raises: UsageError, which lists those that the name fits.
    """
    keys = list_keys(folder)
    if not keys:
        raise UsageError(f"show: expected a run with trials that have ended, got none in {folder}; continue the run")
    found = _match(keys, name)
    if len(found) != 1 and not (found and first):
        raise _tell_names(keys, found, name)
    trial = read_attempt(folder, found[0])
    if trial is None:
        raise StoreError(f"run folder: expected the trial {name_trial(found[0])}, got none any more; list them again")
    return trial


def _match(keys: Sequence[TrialKey], name: str) -> list[TrialKey]:
    named = [(name_trial(key), key) for key in keys]
    strategy, at, task = name.rpartition("@")  # a model's name, part of a strategy's label, may hold an @
    return (
        [key for text, key in named if text == name]
        or [key for text, key in named if text.startswith(name)]
        or [key for text, key in named if at and key.strategy == strategy and task in _name_task(text)]
        or [key for text, key in named if not at and name in _name_task(text)]
    )


def _name_task(trial: str) -> str:
    return trial.rpartition("@")[2]


def _tell_names(keys: Sequence[TrialKey], found: Sequence[TrialKey], name: str) -> UsageError:
    names = list(dict.fromkeys(map(name_trial, found)))
    if names:
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        return UsageError(
            f"show: expected one trial, got {len(found)} for {name!r}; e.g. {', '.join(names[:_MOST_NAMES])}{more}; "
            "--first shows the first"
        )
    known = sorted(set(map(name_trial, keys)))
    close = nearest(name, known) or known[:3]
    return UsageError(f"show: expected a trial, got {name!r}; did you mean {' or '.join(close)}?")


def find_by_question(folder: Path, strategy: str, item: str) -> Trial | None:
    """Return the conversation in which a strategy got the question of that name, None if there is none."""
    where = "strategy = ? AND task != ? AND id IN (SELECT trial FROM items WHERE item = ?)"
    found = read_trials(folder, where=where, args=[strategy, item, item]) if item else []
    first = [trial for trial in found if not trial.key.seed] or found
    # Several suites may have that question; then the search by name reports that the name is ambiguous.
    return first[0] if len(first) == 1 else find_trial(folder, f"{strategy}@{first[0].key.task}") if first else None
