"""A whole run: plan, play what is missing with several workers, record, stop cleanly.

``run`` makes a folder or goes on with one. Everything a worker finishes is in the database before the next trial
begins, so stopping at any moment loses at most the trials in flight, and of those not one paid reply.
"""

from __future__ import annotations

import os
import queue
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from bench.config import RUN_FILE, RunConfig, difference, read_config, write_config
from bench.data.root import data_root
from bench.errors import BudgetStop, Interrupted, StoreError
from bench.runner.build import RunContext, calls_at_once
from bench.runner.progress import NoProgress, RunProgress, Tally
from bench.runner.simulate import Job
from bench.runner.workers import ProcessWorker, ThreadWorker, Worker
from bench.scoring.judge_probes import ProbeReport, probe_judge
from bench.store.database import Store
from bench.types import Call, Fingerprint, Status, Trial, TrialKey

__all__ = ["IDENTITY", "Batch", "Outcome", "run"]

IDENTITY = "identity"
"""The name under which a run records whom it asked and how: with a call's hash, what replies are kept under."""
_QUESTION = "question"
_PROBES = "judge-probes"
_TRIALS_A_CALL = 2
"""Trials under way for each call that may be: a far model is kept busy while others think, record or come to an end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    folder: Path
    done: int
    unscored: int
    total: int


def run(config: RunConfig, folder: Path, progress: RunProgress | None = None, root: Path | None = None) -> Outcome:
    """Answer a question in a folder, going on where an earlier run of the same question stopped.

    Raises: UsageError before any work, StoreError, BudgetStop, Interrupted; all but the first leave a folder that
    can be resumed.
    """
    root = root or data_root()
    bench = RunContext(config, root)
    try:
        plans = bench.plans()  # before the folder is touched: a wrong question leaves nothing behind
        with Store(folder) as store:
            _agree(store, config, folder)
            store.plan(plans)
            store.set_meta(IDENTITY, bench.identity)
            return Batch(bench, store, root, progress).play()
    finally:
        bench.close()


def _agree(store: Store, config: RunConfig, folder: Path) -> None:
    """Refuse to answer another question in the same folder."""
    recorded = store.meta(_QUESTION)
    path = folder / RUN_FILE
    if recorded is None:
        write_config(config, path)
        store.set_meta(_QUESTION, config.model_dump_json())
        return
    before = RunConfig.model_validate_json(recorded)
    changed = difference(before, config) or (difference(before, read_config(path)) if path.exists() else [])
    if changed:
        raise StoreError(
            f"run folder {folder}: expected the question it was made for, got another ({'; '.join(changed)}); "
            f"undo that in {RUN_FILE} or choose another folder with -o"
        )


def _probed(bench: RunContext, store: Store) -> Fingerprint:
    """Return what the judge made of answers of known worth: measured once in a run, before it grades anything.

    Without calls (``cache=read``) nothing can be measured, and nothing is claimed.
    """
    judge = bench.judging()
    if judge is None or not bench.judged or bench.config.cache == "read":
        return Fingerprint()
    report = store.meta(_PROBES)
    if report is None:
        report = probe_judge(judge).to_json()
        store.set_meta(_PROBES, report)
    return Fingerprint((("row.judge_probes", ProbeReport.from_json(report).line),))


class Batch:
    """One run in progress: the queue, the workers, the counts."""

    def __init__(self, bench: RunContext, store: Store, root: Path, progress: RunProgress | None = None):
        self._bench, self._store, self._root = bench, store, root
        self._progress = progress or NoProgress()
        self._config = bench.config
        self._jobs: queue.SimpleQueue[TrialKey] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._cause: BaseException | None = None
        self._probed = _probed(bench, store)
        spent = store.sum_spending()
        self._tally = Tally(tokens=spent.tokens, cost_usd=spent.cost_usd)

    def play(self) -> Outcome:
        waiting = self._enqueue()
        self._progress.begin(self._tally)
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(min(self._workers(), waiting))]
        try:
            if waiting and (stop := self._over_budget()):
                raise stop
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                for thread in threads:
                    thread.join(0.1)
        except KeyboardInterrupt:
            self._end_with(Interrupted("run: stopped by the user; the same command goes on from here"))
            for thread in threads:
                thread.join()
        except BudgetStop as stop:
            self._end_with(stop)
        finally:
            self._progress.end(self._tally)
        # A limit that the very last call reached has stopped nothing: a complete run is not a stopped one.
        complete = self._tally.done + self._tally.failed >= self._tally.total
        if self._cause is not None and not (complete and isinstance(self._cause, BudgetStop)):
            raise self._cause
        return Outcome(self._store.folder, self._tally.done, self._tally.failed, self._tally.total)

    def _enqueue(self) -> int:
        """Queue what has not ended with a score, in the order of the plan; return how many."""
        scored = {s.value for s in Status if s.scored}
        ended = {row.key for row in self._store.trials() if row.status in scored}
        plans = self._bench.plans()
        for plan in plans:
            if plan.key not in ended:
                self._jobs.put(plan.key)
        self._tally.total, self._tally.done = len(plans), len(ended)
        return len(plans) - len(ended)

    def _workers(self) -> int:
        own = self._bench.source.workers  # a model in this process knows how many trials serve it best
        if self._bench.remote and not own:
            calls = calls_at_once(self._config)
            # Under a limit nobody queues for a call: what is under way when it is reached is all that goes over.
            limited = self._config.max_usd or self._config.max_tokens
            return calls if limited else _TRIALS_A_CALL * calls
        return self._config.workers or own or os.cpu_count() or 1

    def _work(self) -> None:
        workers: dict[str, Worker] = {}
        try:
            while not self._stop.is_set():
                try:
                    key = self._jobs.get_nowait()
                except queue.Empty:
                    return
                self._one(key, workers)
        except BaseException as cause:
            self._end_with(cause)
        finally:
            for worker in workers.values():
                worker.close()

    def _one(self, key: TrialKey, workers: dict[str, Worker]) -> None:
        kind = self._bench.workers(key)
        if kind not in workers:
            workers[kind] = self._worker(kind)
        with self._lock:
            self._tally.running += 1
        try:
            trial = workers[kind].play(Job(key, self._bench.task(key), self._store.calls(key)))
            self._store.finish(replace(trial, fingerprint=trial.fingerprint.joined(self._probed)))
        except BaseException:
            with self._lock:
                self._tally.running -= 1
            raise
        self._count(trial)

    def _worker(self, kind: str) -> Worker:
        if kind == "process":
            return ProcessWorker(self._config, self._root, self, self._stop.is_set)
        return ThreadWorker(self._bench, self, self._stop.is_set)

    def commit_call(self, key: TrialKey, call: Call) -> None:
        self._store.commit_call(key, call)
        with self._lock:
            self._tally.tokens += (call.usage.prompt or 0) + (call.usage.completion or 0)
            known = self._tally.cost_usd is not None and call.cost_usd is not None
            self._tally.cost_usd = (self._tally.cost_usd or 0.0) + (call.cost_usd or 0.0) if known else None
        if stop := self._over_budget():
            self._end_with(stop)  # nobody makes a further call; what is in flight is paid for and kept

    def supersede(self, key: TrialKey) -> None:
        self._store.supersede(key)

    def _count(self, trial: Trial) -> None:
        with self._lock:
            self._tally.running -= 1
            if trial.status.scored:
                self._tally.done += 1
            else:
                self._tally.failed += 1
            self._progress.update(self._tally, trial)

    def _over_budget(self) -> BudgetStop | None:
        tokens, cost = self._tally.tokens, self._tally.cost_usd
        if self._config.max_tokens and tokens >= self._config.max_tokens:
            return BudgetStop(f"run: max_tokens {self._config.max_tokens:,} reached ({tokens:,}); raise it to go on")
        if self._config.max_usd and cost is None:
            return BudgetStop("run: max_usd is set but a price is unknown; drop max_usd or give the price")
        if self._config.max_usd and cost is not None and cost >= self._config.max_usd:
            return BudgetStop(f"run: max_usd {self._config.max_usd:g} reached (${cost:.2f}); raise it to go on")
        return None

    def _end_with(self, cause: BaseException) -> None:
        """Remember the first thing that ended the run and let every worker finish its commit."""
        with self._lock:
            if self._cause is None:
                self._cause = cause
        self._stop.set()
