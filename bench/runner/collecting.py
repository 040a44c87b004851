"""Gathering: the training tasks of a run, played by its collectors, each in a folder of its own below the run's.

A collection is an ordinary run, whose calls are booked as phase ``gather``. It is paid for once, goes on where it was
stopped, and is read by every learner.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.config import RunConfig
from bench.errors import StoreError
from bench.runner.budget import COLLECT, leave_rest, sum_others
from bench.runner.concealment import list_answers
from bench.runner.resolve import ResolvedRun, resolve_run
from bench.runner.tasks import open_suites
from bench.store.database import Spending
from bench.store.read import read_trials
from bench.types import EndReason, Frame, Task, Trial

__all__ = ["Play", "Pool", "collect", "name_folder", "play_fully", "resolve_training"]

Play = Callable[[ResolvedRun, Path], int]
"""Answers a question in a folder and returns how many trials have no score."""


@dataclass(frozen=True)
class Pool:
    """What was gathered on one suite: the training tasks by id, every trial of them, and the frame of prompts."""

    tasks: Mapping[str, Task]
    trials: tuple[Trial, ...]
    frame: Frame
    """Of the first task."""

    @property
    def digest(self) -> str:
        """What was done in the trials and how they ended, as 16 hex digits."""
        lines = [f"{trial.key} {trial.end} {[step.decision.text for step in trial.steps]}\n" for trial in self.trials]
        return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]

    @property
    def won(self) -> int:
        """Episodes that were won, and questions that were answered rightly."""
        return sum((trial.end is EndReason.WON) + sum(list_answers(trial)) for trial in self.trials)

    @property
    def questions(self) -> int:
        return sum(len(list_answers(trial)) for trial in self.trials)


def name_folder(label: str) -> str:
    """Return the name of a suite or strategy as that of a folder."""
    return re.sub(r"[^\w.=-]+", "_", label)


def collect(run: ResolvedRun, folder: Path, play: Play) -> dict[str, Pool]:
    """Play the training tasks with every collector; return what was gathered, by suite.

    Raises: StoreError if trials stay without a score; BudgetStop, Interrupted. The same command goes on from there.
    """
    assert run.config.learn is not None
    tasks: dict[str, dict[str, Task]] = {}
    trials: dict[str, list[Trial]] = {}
    frames: dict[str, Frame] = {}
    for collector in run.config.learn.collectors:
        where = folder / COLLECT / name_folder(collector)
        question = resolve_training(run, collector, sum_others(folder, where))
        play_fully(play, question, where, "collection")
        with open_suites(question) as suites:
            for label, built in suites.items():
                tasks.setdefault(label, {}).update(built.tasks)
                found = read_trials(where, built.shape, "suite = ? AND attempt > 0", [label])
                trials.setdefault(label, []).extend(found)
                frames[label] = built.open_frame()
    return {label: Pool(tasks[label], tuple(trials[label]), frames[label]) for label in tasks}


def play_fully(play: Play, question: ResolvedRun, where: Path, what: str) -> None:
    """Answer a question in a folder. Raises: StoreError if trials stay without a score; BudgetStop, Interrupted."""
    if unscored := play(question, where):
        raise StoreError(
            f"learn: expected a complete {what}, got {unscored} trials without a score in {where}; the same command "
            "plays them again"
        )


def resolve_training(run: ResolvedRun, collector: str = "", spent: Spending = Spending()) -> ResolvedRun:
    """Return the question of one collection: the training side, played by one collector, without a judge.

    ``collector``: empty = the first. ``spent``: by the rest of the run; what is left of the limits is this one's.
    """
    assert run.config.learn is not None
    return resolve_run(_ask_training(run.config, collector or run.config.learn.collectors[0], spent), run.root)


def _ask_training(config: RunConfig, collector: str, spent: Spending) -> RunConfig:
    assert config.learn is not None
    learn = config.learn
    none = {"tasks": 0, "rounds": 1, "attempts": 1, "collectors": (), "every": "run"}
    return leave_rest(config, spent).model_copy(
        update={
            "strategies": (collector,),
            "judge": "",
            "judge_endpoint": "",
            "split": learn.split or config.split,
            "limit": learn.tasks,
            "seeds": tuple(range(learn.rounds)),
            "attempts": learn.attempts,
            "artifacts": (),
            "learn": learn.model_copy(update={"side": "train", **none}),
        }
    )
