"""Rehearsals: the training tasks, played by a learner itself with what it has learned so far.

Each is an ordinary run in a folder of its own beside the collections: booked as phase ``gather``, paid for once, gone
on with where it was stopped.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.runner.artifacts import LearnedArtifact
from bench.runner.budget import COLLECT, list_collections, sum_others
from bench.runner.collecting import Play, name_folder, play_fully, resolve_training
from bench.runner.resolve import ResolvedRun
from bench.store.read import read_trials
from bench.types import Trial

__all__ = ["list_rehearsals", "rehearse"]

_DIGITS = 12


def rehearse(run: ResolvedRun, folder: Path, play: Play, made: LearnedArtifact) -> tuple[Trial, ...]:
    """Play the tasks that an artifact is learned from with it, each once; return the trials.

    ``run``: the question whose learning stage this is; ``folder``: of its run.
    Raises: StoreError if trials stay without a score; BudgetStop, Interrupted. The same command goes on from there.
    """
    suite, learner = made.about.suite, made.about.label
    where = folder / COLLECT / (_name_folders(suite, learner) + made.digest[:_DIGITS])
    question = resolve_training(_narrow(run, made), learner, sum_others(folder, where))
    play_fully(play, replace(question, artifacts=(made,)), where, "rehearsal")
    found = read_trials(where, question.suites[0].spec.shape, "suite = ? AND attempt > 0", [suite])
    return tuple(trial for trial in found if trial.key.task in made.artifact.tasks)


def list_rehearsals(folder: Path, suite: str, learner: str) -> list[Path]:
    """Return the folders of a learner's rehearsals in the folder of its run."""
    name = _name_folders(suite, learner)
    return [path for path in list_collections(folder) if path.name[:-_DIGITS] == name]


def _name_folders(suite: str, learner: str) -> str:
    return name_folder(f"{learner}-{suite}-")


def _narrow(run: ResolvedRun, made: LearnedArtifact) -> ResolvedRun:
    """Return the question with the artifact's suite alone and as many training tasks, each attempted once."""
    config = run.config
    assert config.learn is not None
    learn = config.learn.model_copy(update={"tasks": len(made.artifact.tasks), "attempts": 1})
    return replace(run, config=config.model_copy(update={"suites": (made.about.suite,), "learn": learn}))
