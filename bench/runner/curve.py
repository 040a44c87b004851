"""A learning curve: what learners know after fewer training tasks, from one collection, evaluated on the same tasks.

The run of the question itself is the end of the curve. For each smaller number of tasks its learners make another
artifact, of the trials of those tasks alone, in ``curve/learned-<tasks>`` below the run, and a run in
``curve/tasks-<tasks>`` evaluates these. The tasks are those of ``--learn-tasks``, and so is what is learned from them.
Limits on tokens and money hold for everything together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bench.config import RunConfig
from bench.errors import UsageError
from bench.runner.batch import Outcome, run_resolved
from bench.runner.budget import CURVE, leave_rest, sum_others
from bench.runner.build import RunContext
from bench.runner.collecting import Pool, collect, name_folder, resolve_training
from bench.runner.learner import find_source
from bench.runner.learning import Stage
from bench.runner.progress import RunProgress
from bench.runner.question import check_question
from bench.runner.resolve import ResolvedRun, resolve_run
from bench.runner.stopping import Stop, catch_signals
from bench.runner.tasks import BuiltSuite, open_suites, sample
from bench.store.database import Store

__all__ = ["run_curve"]


def run_curve(
    question: ResolvedRun, counts: Collection[int], folder: Path, progress: RunProgress | None = None
) -> tuple[Outcome, ...]:
    """Answer a question and evaluate its learners after each smaller number of training tasks, in ascending order.

    Returns how each run ended, that of the question last. Raises: UsageError before any work, StoreError, BudgetStop,
    Interrupted: the same command goes on from there.
    """
    if question.config.learn is None:
        raise UsageError("curve: expected a question with training tasks, got none; add --learn-policy grouped-by-spec")
    ordered = sorted(set(counts))
    with catch_signals() as stop, open_suites(resolve_training(question)) as suites:
        _check(question, ordered, suites)
        whole = run_resolved(question, folder, progress, stop)
        learners = _learn_parts(question, ordered, folder, suites, stop)
        parts = []
        for count in ordered:
            where = folder / CURVE / f"tasks-{count}"
            left = leave_rest(question.config, sum_others(folder, where))
            part = resolve_run(_ask_part(left, count, learners, folder), question.root)
            parts.append(run_resolved(part, where, progress, stop))
    return (*parts, whole)


def _check(question: ResolvedRun, counts: Sequence[int], suites: dict[str, BuiltSuite]) -> None:
    """Raises: UsageError where nothing is learned, or for a number that is no part of the training tasks."""
    if not counts:
        raise UsageError("curve: expected at least one number of training tasks, got none; say --tasks 6,12,24")
    learned_on = dict.fromkeys(label for label, _ in question.list_unlearned())
    if not learned_on:
        names = ", ".join(one.label for one in question.strategies)
        raise UsageError(f"curve: expected a strategy that learns and has no artifact yet, got {names}")
    for label in learned_on:
        most = len(suites[label].tasks)
        if wrong := [count for count in counts if not 0 < count < most]:
            raise UsageError(
                f"curve: expected fewer than the {most} training tasks of {label}, and at least one, got {wrong[0]}; "
                "all of them are evaluated anyway"
            )


def _learn_parts(
    question: ResolvedRun, counts: Sequence[int], folder: Path, suites: dict[str, BuiltSuite], stop: Stop
) -> tuple[str, ...]:
    """Let each learner make an artifact of each number of tasks; return the labels of the learners."""
    with closing(RunContext(question, stop=stop)) as context, Store(folder) as store:
        check_question(store, question, folder)

        def play(training: ResolvedRun, where: Path) -> int:
            return run_resolved(training, where, stop=stop).unscored

        pools = collect(context.run, folder, play)  # everything is there: nothing is played a second time
        stage = Stage(context, store, play)
        for count in counts:
            root = folder / CURVE / f"learned-{count}"
            for label, one in question.list_unlearned():
                pool = _cut(pools[label], suites[label], count)
                source = find_source(context, label, one, pool, folder)
                key = replace(source.key, task=f"(learning from {count})")
                where = root / name_folder(label) / name_folder(one.label)
                stage.make(one, replace(source, key=key, lot=source.key, folder=where))
    return tuple(dict.fromkeys(one.label for _, one in question.list_unlearned()))


def _cut(pool: Pool, built: BuiltSuite, count: int) -> Pool:
    """Return the part of a pool that comes from so many of its tasks."""
    tasks = {task.id: task for task in sample(list(pool.tasks.values()), count)}
    trials = tuple(trial for trial in pool.trials if trial.key.task in tasks)
    return Pool(tasks, trials, built.open_frame(tasks[min(tasks)]))


def _ask_part(config: RunConfig, count: int, learners: tuple[str, ...], folder: Path) -> RunConfig:
    assert config.learn is not None
    learned = str(folder / CURVE / f"learned-{count}")
    learn = config.learn.model_copy(update={"tasks": count})
    return config.model_copy(update={"strategies": learners, "artifacts": (*config.artifacts, learned), "learn": learn})
