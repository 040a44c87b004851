"""Attempts: which trial of a task comes next. A task that was not won is tried again, up to the run's ``attempts``.

Knows plans and records; plays nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bench.store.database import Plan
from bench.store.rows import TrialRow
from bench.types import EndReason, Status, Trial

__all__ = ["follow", "list_open"]

_SCORED = frozenset(status.value for status in Status if status.scored)


def follow(plan: Plan, trial: Trial, attempts: int) -> Plan | None:
    """Return the attempt that follows a trial; None if it was won or is unscored, or was the last of so many."""
    done = not trial.status.scored or trial.end is EndReason.WON or plan.key.attempt >= attempts
    return None if done else _plan_next(plan)


def _plan_next(plan: Plan) -> Plan:
    return replace(plan, key=replace(plan.key, attempt=plan.key.attempt + 1))


def list_open(plans: Sequence[Plan], recorded: Iterable[TrialRow]) -> list[Plan]:
    """Return what is to be played of the plans: of each, the first attempt on record that has no score yet."""
    rows = {row.key: row for row in recorded}
    waiting: list[Plan] = []
    for plan in plans:
        while (row := rows.get(plan.key)) is not None and row.status in _SCORED:
            plan = _plan_next(plan)
        if row is not None:
            waiting.append(plan)
    return waiting
