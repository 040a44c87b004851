"""One run: plan, play what is missing with several workers, record, stop cleanly.

``run_resolved`` makes a folder or goes on with one. Everything a worker finishes is in the database before the next
trial begins, so stopping at any moment loses at most the trials in flight, and of those not one paid reply.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from bench.config import RunConfig
from bench.errors import BudgetStop, Interrupted
from bench.protocols import WorkerKind
from bench.runner.artifacts import LearnedArtifact
from bench.runner.attempts import follow, list_open
from bench.runner.budget import has_limit
from bench.runner.build import RunContext, refuse_unpriced
from bench.runner.calibration import calibrate_judge
from bench.runner.evaluating import check_frozen, list_folders
from bench.runner.learning import check_given, learn_for
from bench.runner.progress import NoProgress, RunProgress, Tally
from bench.runner.question import check_question
from bench.runner.recording import RunRecorder
from bench.runner.refusals import Refusals
from bench.runner.resolve import ResolvedRun, count_parallel_calls, resolve_run
from bench.runner.simulate import Job
from bench.runner.stopping import Stop, catch_signals
from bench.runner.streaming import play_stream
from bench.runner.threads import run_threads
from bench.runner.workers import ProcessWorker, ThreadWorker, Worker
from bench.store.database import Plan, Store
from bench.store.read import read_attempt
from bench.store.rows import TrialRow
from bench.types import Fingerprint, Trial

__all__ = ["Batch", "Outcome", "learn_resolved", "run", "run_resolved"]

_TRIALS_A_CALL = 2
"""Trials under way for each call that may be: a remote model stays busy while other trials compute, record or end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    folder: Path
    done: int
    unscored: int
    total: int


def run(config: RunConfig, folder: Path, progress: RunProgress | None = None, root: Path | None = None) -> Outcome:
    """Resolve a question and answer it in a folder: see ``run_resolved``."""
    return run_resolved(resolve_run(config, root), folder, progress)


def run_resolved(
    question: ResolvedRun, folder: Path, progress: RunProgress | None = None, stop: Stop | None = None
) -> Outcome:
    """Answer a question in a folder, going on where an earlier run of the same question stopped.

    ``stop``: that of the run which this is a part of; without one, Ctrl-C and SIGTERM stop this run.
    Raises: UsageError before any work, StoreError, BudgetStop, EndpointStop, Interrupted; all but the first leave a
    folder that can be resumed.
    """
    with catch_signals(stop) as stop, closing(RunContext(question, stop=stop)) as context:
        plans = context.plans  # before the folder is touched: a wrong question leaves nothing behind
        check_given(context)
        refuse_unpriced("run", context.config.max_usd, context.list_unpriced)
        with Store(folder) as store:
            check_question(store, question, folder)
            if not question.config.stream:
                learn_for(context, store, lambda part, where: run_resolved(part, where, progress, stop).unscored)
            store.plan(plans)
            for name, identity in context.sources.identities.items():
                store.set_meta(name, identity)
            if question.config.stream:
                play_stream(context, store, progress, lambda *part: Batch(context, store, *part).play_all().unscored)
                return _count(context, store.folder, store.trials())
            outcome = Batch(context, store, progress).play_all()
            check_frozen(context.run.artifacts, list_folders(question.config, folder))
            return outcome


def _count(context: RunContext, folder: Path, recorded: Sequence[TrialRow]) -> Outcome:
    """Return how far a run has come: what is not played yet counts as unscored, a learning stage not at all."""
    total = sum(trial.key.attempt > 0 for trial in recorded)
    waiting = len(list_open(context.plans, recorded))
    return Outcome(folder, total - waiting, waiting, total)


def learn_resolved(
    question: ResolvedRun, folder: Path, progress: RunProgress | None = None, stop: Stop | None = None
) -> tuple[LearnedArtifact, ...]:
    """Do the learning stage of a question and return its artifacts; ``run_resolved`` in the same folder evaluates.

    Raises: as ``run_resolved``.
    """
    with catch_signals(stop) as stop, closing(RunContext(question, stop=stop)) as context:
        check_given(context)
        refuse_unpriced("run", context.config.max_usd, context.list_unpriced)
        with Store(folder) as store:
            check_question(store, question, folder)
            learn_for(context, store, lambda part, where: run_resolved(part, where, progress, stop).unscored)
        return context.run.artifacts


class Batch:
    """One run in progress: the queue, the workers, the counts."""

    def __init__(
        self, context: RunContext, store: Store, progress: RunProgress | None = None, part: tuple[Plan, ...] = ()
    ):
        """``part``: the plans that are to be played; none = all of the run."""
        self._context, self._store = context, store
        self._plans = part or context.plans
        self._progress = progress or NoProgress()
        self._config = context.config
        self._jobs: queue.SimpleQueue[Plan] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._calibration = Fingerprint()
        self._recorder = RunRecorder(context.config, store, context.sources.stop)
        self._tally = Tally(spent=self._recorder.spent, notices=context.list_notices())

    def play_all(self) -> Outcome:
        waiting = self._enqueue()
        self._recorder.refusals = Refusals(waiting)
        self._progress.begin(self._tally)
        self._context.stop.add(self._interrupt)
        try:
            if waiting:
                self._recorder.check_limits()
            if waiting and not self._recorder.stopped():
                self._calibration = calibrate_judge(self._context, self._store, self._recorder)
                run_threads(self._work, min(self._worker_count(), waiting))
        except (BudgetStop, Interrupted) as stop:
            self._recorder.end_with(stop)
        finally:
            self._context.stop.remove(self._interrupt)
            self._tally.spent = self._recorder.spent
            self._progress.end(self._tally)
        # A limit that the very last call reached has stopped nothing: a complete run is not a stopped one.
        complete = self._tally.done + self._tally.failed >= self._tally.total
        cause = self._recorder.cause
        if cause is not None and not (complete and isinstance(cause, BudgetStop)):
            raise cause
        return Outcome(self._store.folder, self._tally.done, self._tally.failed, self._tally.total)

    def _interrupt(self) -> None:
        self._recorder.end_with(Interrupted())

    def _enqueue(self) -> int:
        """Queue what has not ended with a score, in the order of the plan; return how many."""
        recorded = self._store.trials()
        waiting = list_open(self._plans, recorded)
        for plan in waiting:
            self._jobs.put(plan)
        so_far = _count(self._context, self._store.folder, recorded)
        self._tally.total, self._tally.done = so_far.total, so_far.done
        return len(waiting)

    def _worker_count(self) -> int:
        own = self._context.sources.workers  # a model in this process knows how many trials serve it best
        if self._context.sources.remote and not own:
            calls = count_parallel_calls(self._config)
            # Under a limit no trial waits for a call: only what is running when the limit is reached goes over it.
            return calls if has_limit(self._config) else _TRIALS_A_CALL * calls
        return self._config.workers or own or os.cpu_count() or 1

    def _work(self) -> None:
        workers: dict[str, Worker] = {}
        try:
            while not self._recorder.stopped():
                try:
                    plan = self._jobs.get_nowait()
                except queue.Empty:
                    return
                self._play_one(plan, workers)
        except BaseException as cause:
            self._recorder.end_with(cause)
        finally:
            for worker in workers.values():
                worker.close()

    def _play_one(self, plan: Plan, workers: dict[str, Worker]) -> None:
        kind = self._context.worker_kind(plan.key)
        if kind not in workers:
            workers[kind] = self._make_worker(kind)
        with self._lock:
            self._tally.running += 1
        try:
            trial = workers[kind].play(self._make_job(plan))
            known = self._calibration.join(self._context.describe_changes(plan.key.strategy))
            known = known.join(self._context.describe_data(plan.key.suite))
            following = follow(plan, trial, self._context.count_attempts(plan.key))
            self._store.finish(replace(trial, fingerprint=trial.fingerprint.join(known)), following)
        except BaseException:
            with self._lock:
                self._tally.running -= 1
            raise
        self._count(trial, following)

    def _make_job(self, plan: Plan) -> Job:
        """Return the job of a trial, with the attempt before it where the strategy reflects on that."""
        key, previous = plan.key, None
        if key.attempt > 1 and self._context.strategies[key.strategy].strategy.reflect:
            # Always as recorded: a resumed run has nothing else to reflect on.
            previous = read_attempt(self._store.folder, replace(key, attempt=key.attempt - 1))
        return Job(key, plan.task, self._store.calls(key), previous)

    def _make_worker(self, kind: WorkerKind) -> Worker:
        if kind == "process":
            return ProcessWorker(self._context.run, self._recorder, self._recorder.stopped)
        return ThreadWorker(self._context, self._recorder, self._recorder.stopped)

    def _count(self, trial: Trial, following: Plan | None) -> None:
        if following:
            self._jobs.put(following)
        with self._lock:
            self._tally.running -= 1
            self._tally.total += following is not None
            if trial.status.scored:
                self._tally.done += 1
            else:
                self._tally.failed += 1
            self._tally.spent = self._recorder.spent
            # One line about an endpoint that refuses every call: the one that ends the run.
            self._progress.update(self._tally, None if self._recorder.refusals.hit(trial) else trial)
        if stop := self._recorder.refusals.find_stop(trial):
            self._recorder.end_with(stop)
