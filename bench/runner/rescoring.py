"""The scores of a finished run computed again from what it recorded, and which of them are others now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.report.moved import Moved, Rescored
from bench.runner.booked_judge import StoredVerdicts
from bench.runner.stored_run import StoredRun, open_stored_run
from bench.types import Item, Shape, Trial

__all__ = ["rescore_run"]

_TOLERANCE = 1e-9


def rescore_run(folder: Path) -> Rescored:
    """Score the stored trials of a run again, verdicts of its judge as they were; nothing is written or called.

    Raises: UsageError, StoreError, TrialError for a task that cannot be opened.
    """
    pairs: dict[tuple[str, str], list[tuple[Item, Item]]] = {}
    with open_stored_run(folder, {}) as run:
        trials = [trial for trial in run.list_trials(answers=False) if trial.status.scored]
        for trial in trials:
            again = _score_again(run, trial)
            old = {item.id: item for item in trial.items}
            found = pairs.setdefault((trial.key.suite, trial.key.strategy), [])
            found += [(old.get(item.id, replace(item, scores=())), item) for item in again]
    moved = tuple(one for key, found in sorted(pairs.items()) for one in _compare(*key, found))
    return Rescored(len(trials), sum(map(len, pairs.values())), moved)


def _score_again(run: StoredRun, trial: Trial) -> tuple[Item, ...]:
    if run.suites[trial.key.suite].shape is Shape.EPISODE:
        return run.measure(trial)
    stored = StoredVerdicts(trial.items)
    judge = stored if "env.judge" in dict(trial.fingerprint.entries) else None
    return run.measure(replace(trial, items=run.regrade(trial, judge, stored.enter)))


def _compare(suite: str, strategy: str, found: Sequence[tuple[Item, Item]]) -> Iterator[Moved]:
    values = [tuple({score.name: score.value for score in item.scores} for item in pair) for pair in found]
    for metric in sorted({name for pair in values for scores in pair for name in scores}):
        both = [(old.get(metric), new.get(metric)) for old, new in values]
        count = sum(_differs(old, new) for old, new in both)
        if count:
            before, after = (_average([pair[side] for pair in both]) for side in (0, 1))
            yield Moved(suite, strategy, metric, count, before, after)


def _differs(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(old - new) > _TOLERANCE * max(1.0, abs(old))


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
