"""Contrasts: tasks, or questions, in which the whole past succeeded and the notes failed, or the other way round.

Source: HORMA (arXiv 2606.11680), D_exo and D_end. Knows no suite.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from baselines.horma.refine.changes import Origin
from baselines.shared.trajectory import is_won
from bench.types import Shape, Step, Trial

__all__ = ["Contrast", "Outcome", "choose_whole", "count_right", "find_contrasts", "is_conversation", "pick_evenly"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Contrast:
    """One task that was done in both ways, of which one way succeeded; of a conversation the questions of one kind."""

    origin: Origin
    whole: Trial
    """With the whole past."""
    noted: Trial
    """With notes."""
    questions: tuple[tuple[Step, Step], ...] = ()
    """The questions that differ, as answered in both ways; none for an episode."""

    @property
    def task(self) -> str:
        return self.whole.key.task

    @property
    def size(self) -> int:
        """How many differences it holds."""
        return len(self.questions) or 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """How well some tasks went."""

    right: int = 0
    """Tasks that were won, or questions that were answered rightly."""
    asked: int = 0
    steps: int = 0
    """Of episodes."""

    def beats(self, other: Outcome) -> bool:
        """True if more was right, or as much in fewer steps. Both are about the same tasks."""
        return (self.right, -self.steps) > (other.right, -other.steps)


def is_conversation(trial: Trial) -> bool:
    """True if a trial answers questions."""
    return any(step.stimulus.shape is Shape.CONVERSATION for step in trial.steps)


def choose_whole(trials: Iterable[Trial]) -> dict[tuple[str, int], Trial]:
    """Return, by task and seed, the trial whose contexts held most of the past: the first of equals."""
    ordered = sorted(trials, key=lambda trial: (trial.key.task, trial.key.seed, trial.key.attempt))
    best: dict[tuple[str, int], Trial] = {}
    for trial in ordered:
        key = trial.key.task, trial.key.seed
        if key not in best or _count_shown(trial) > _count_shown(best[key]):
            best[key] = trial
    return best


def find_contrasts(
    whole: dict[tuple[str, int], Trial], noted: Iterable[Trial], tasks: Collection[str]
) -> list[Contrast]:
    """Return the contrasts of some tasks, in the order of tasks and seeds, those the notes failed at first.

    A trial with notes is compared with the one of its seed, or of the task's first seed.
    """
    found: list[Contrast] = []
    first = dict(sorted(whole, reverse=True))  # the last of a task is its lowest seed
    for own in sorted(noted, key=lambda trial: (trial.key.task, trial.key.seed, trial.key.attempt)):
        task, seed = own.key.task, own.key.seed
        if task in tasks and task in first:
            found += _compare(whole.get((task, seed)) or whole[task, first[task]], own)
    return found


def count_right(trials: Iterable[Trial], tasks: Collection[str]) -> Outcome:
    """Return how well these tasks went."""
    right = asked = steps = 0
    for trial in trials:
        if trial.key.task not in tasks:
            continue
        if is_conversation(trial):
            right += sum(step.observation.won for step in trial.steps)
            asked += len(trial.steps)
        else:
            right += is_won(trial)
            asked += 1
            steps += sum(step.counts for step in trial.steps)
    return Outcome(right, asked, steps)


def pick_evenly(found: Sequence[T], most: int) -> list[T]:
    """Return at most ``most`` of some contrasts, or of the questions of one, spread evenly."""
    return [found[at * len(found) // most] for at in range(most)] if most < len(found) else list(found)


def _count_shown(trial: Trial) -> int:
    return sum(len(step.decision.context.refs) for step in trial.steps)


def _compare(whole: Trial, noted: Trial) -> list[Contrast]:
    if not (whole.steps and noted.steps):  # a trial without a step shows nothing
        return []
    if not is_conversation(whole):
        if is_won(whole) == is_won(noted):
            return []
        return [Contrast(Origin.EXO if is_won(whole) else Origin.END, whole, noted)]
    answered = {step.index: step for step in noted.steps}
    pairs = [(step, answered[step.index]) for step in whole.steps if step.index in answered]
    differ = [(one, other) for one, other in pairs if one.observation.won != other.observation.won]
    by_origin = {
        Origin.EXO: tuple(pair for pair in differ if pair[0].observation.won),
        Origin.END: tuple(pair for pair in differ if pair[1].observation.won),
    }
    return [Contrast(origin, whole, noted, questions) for origin, questions in by_origin.items() if questions]
