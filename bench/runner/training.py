"""Training weights: a strategy's own memories of recorded conversations, with the evidence of their questions.

The memories come from a run that is there already: they are rebuilt from its calls, and no model is called. Only tasks
of the training side get here. What was trained on is written beside the weights, and an evaluation of one of those
tasks is refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.config import RUN_FILE, read_config
from bench.errors import UsageError, reading
from bench.protocols import (
    Conversation,
    ConversationSuite,
    Environment,
    EpisodeSuite,
    HasEvidence,
    SuiteOptions,
    Training,
    TrainingQuestion,
    TrainingTask,
    write_question,
)
from bench.registry import ResolvedStrategy, ResolvedSuite
from bench.runner.rebuilding import rebuild_memories
from bench.runner.resolve import ResolvedRun, resolve_run
from bench.runner.splits import TWO_SPLITS, split_tasks
from bench.runner.tasks import open_suites
from bench.runner.trained import TrainedOn, write_record
from bench.store.printing import say
from bench.store.read import read_trials
from bench.types import Query, Shape, Task, Trial

__all__ = ["TrainingPlan", "train_on_run"]


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What is to be trained on."""

    run: Path
    strategy: str = ""
    """Its label; empty = the one strategy of the run that can be trained."""
    split: str = ""
    """The split whose tasks are for training; or ``policy``, which shares out the run's split."""
    policy: str = ""
    settings: Path | None = None


def train_on_run(plan: TrainingPlan, out: Path, root: Path | None = None) -> TrainedOn:
    """Let a strategy train on its trials of a run. ``root``: folder of the benchmark data; None = the user's data root.

    Raises: UsageError for what cannot be trained on; StoreError if the folder holds another training.
    """
    run = resolve_run(read_config(plan.run / RUN_FILE), root)
    one, suite, settings = _choose_strategy(run, plan.strategy), _choose_suite(run), _read_settings(plan.settings)
    side = _find_training_side(run, suite, plan)
    trials = read_trials(plan.run, Shape.CONVERSATION, "suite = ? AND strategy = ?", [suite.label, one.label])
    by_task = {trial.key.task: trial for trial in reversed(trials) if trial.key.attempt and trial.status.scored}
    chosen = {name: trial for name, trial in sorted(by_task.items()) if name in side}
    if not chosen:
        raise UsageError(
            f"train: expected trials of {one.label} on the training side in {plan.run}, got none of "
            f"{', '.join(sorted(side)) or 'no task'}; play those first"
        )
    tasks = _build_tasks(run, suite, plan.run, chosen)
    about = TrainedOn(
        one.label,
        suite.spec.name,
        tuple(chosen),
        sum(len(task.questions) for task in tasks),
        tuple(sorted(set(by_task) - set(chosen))),
        plan.split or f"train of {plan.policy or (run.config.learn and run.config.learn.policy)}",
    )
    write_record(about, out)
    assert one.strategy.train is not None
    one.strategy.train(Training(tasks, settings, out, say))
    return about


def _find_training_side(run: ResolvedRun, suite: ResolvedSuite, plan: TrainingPlan) -> frozenset[str]:
    """Return the ids of the tasks that may be trained on. Raises: UsageError if nothing says which."""
    learn = run.config.learn
    policy = plan.policy or (learn.policy if learn and learn.side == "train" and not plan.split else "")
    if bool(plan.split) == bool(policy):
        raise UsageError(
            "train: expected the training side, as --learn-split or as --learn-policy, got "
            f"{'both' if policy else 'neither'}; write --learn-policy seven-three"
        )
    if policy == TWO_SPLITS:  # a collection: its own split is what is learned from
        return frozenset(task.id for task in _list_tasks(run, suite, suite.split))
    if plan.split:
        if plan.split not in suite.spec.splits:
            known = ", ".join(suite.spec.splits)
            raise UsageError(f"train: expected a split of {suite.label}, got {plan.split!r}; known: {known}")
        return frozenset(task.id for task in _list_tasks(run, suite, plan.split))
    seed = learn.seed if learn else 0
    return frozenset(task.id for task in split_tasks(_list_tasks(run, suite, suite.split), policy, seed).train)


def _list_tasks(run: ResolvedRun, suite: ResolvedSuite, split: str) -> Sequence[Task]:
    built = suite.spec.build(SuiteOptions(split, suite.params, run.root))
    try:
        return built.tasks()
    finally:
        built.close()


def _choose_strategy(run: ResolvedRun, label: str) -> ResolvedStrategy:
    able = [one for one in run.strategies if one.strategy.train]
    found = [one for one in able if label in ("", one.label)]
    if len(found) != 1:
        names = ", ".join(one.label for one in able) or "none that can be trained"
        raise UsageError(
            f"train: expected one strategy of the run with -s, got {label or 'none'!r} of {names}; name it"
        )
    return found[0]


def _choose_suite(run: ResolvedRun) -> ResolvedSuite:
    found = [one for one in run.suites if one.spec.shape is Shape.CONVERSATION]
    if len(found) != 1:
        raise UsageError(
            f"train: expected a run of one suite of conversations, got {len(found)} ({', '.join(run.config.suites)}); "
            "play it in a run of its own"
        )
    return found[0]


def _build_tasks(
    run: ResolvedRun, suite: ResolvedSuite, folder: Path, trials: Mapping[str, Trial]
) -> tuple[TrainingTask, ...]:
    memories = rebuild_memories(folder, list(trials.values()), run.root)
    with open_suites(run) as suites:
        built = suites[suite.label]
        return tuple(
            TrainingTask(
                f"task-{number:04d}",
                memory,
                _list_questions(_open(built.suite, built.tasks[name]), run.config.budget_tokens),
            )
            for number, (name, memory) in enumerate(zip(trials, memories, strict=True), start=1)
        )


def _open(suite: EpisodeSuite | ConversationSuite, task: Task) -> Conversation:
    world = suite.open(task)
    assert not isinstance(world, Environment)
    return world


def _list_questions(conversation: Conversation, budget_tokens: int | None) -> tuple[TrainingQuestion, ...]:
    """Return every question as the default agent asks it. Raises: UsageError for a suite without evidence."""
    questions = conversation.questions()
    if not isinstance(conversation, HasEvidence):
        raise UsageError("train: expected a suite that knows the evidence of its questions, got none; choose another")
    return tuple(
        TrainingQuestion(
            Query(one.text, write_question(one), index, Shape.CONVERSATION, budget_tokens),
            conversation.evidence(one),
            one.group,
        )
        for index, one in enumerate(questions, start=1)
    )


def _read_settings(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    with reading(f"train: settings {path}", "TOML", "mend it"):
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
