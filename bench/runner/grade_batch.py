"""The grading of one run's answers by one judge: the queue of conversations, the judge's calls, what is recorded."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench.errors import BudgetStop, Interrupted, StoreError, TrialError
from bench.models.cache.key import ScopedCache
from bench.models.cache.store import MissingReplyError, ReplayOnlyModel, open_replies
from bench.models.ledger.meter import ReplayMismatchError
from bench.protocols import HasRequestChanges, HasStop, ModelSource
from bench.runner.booked_judge import BookedJudge
from bench.runner.calibration import JudgeSetup, calibrate
from bench.runner.progress import RunProgress, Tally
from bench.runner.recording import RunRecorder
from bench.runner.refusals import Refusals
from bench.runner.resolve import count_parallel_calls
from bench.runner.stopping import Stop
from bench.runner.stored_run import StoredRun, is_gradable, mark_as_answered, without_judge
from bench.runner.threads import run_threads
from bench.scoring.grading import ACCURACY, ADVERSARIAL, NO_VERDICT
from bench.scoring.judge import read_rubrics, rubrics_digest
from bench.secrets import scrub
from bench.store.database import Plan, Store
from bench.store.read import read_trials
from bench.types import Call, Fingerprint, Shape, Trial

__all__ = ["GradeBatch", "GradeRequest", "Graded"]

_ASKED = "grading"
_OF_JUDGE = ("env.judge", "env.rubrics", "row.judge")
"""What the fields of a fingerprint begin with that say who judged."""


@dataclass(frozen=True, slots=True)
class GradeRequest:
    """One judge for the answers of a run. 0 and empty = as in ``RunConfig``."""

    judge: str
    """``MODEL`` or ``MODEL@ADDRESS``."""
    endpoint: Path | None = None
    rubrics: Path | None = None
    """A folder with texts in the place of this project's own."""
    cache: str = "off"
    workers: int = 0
    max_usd: float = 0.0
    max_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Graded:
    """How a grading ended: conversations, and those that still wait for a verdict."""

    folder: Path
    total: int
    unscored: int


class GradeBatch:
    """The work on one folder: what waits for a verdict, the judge's calls, the trials as they are graded."""

    def __init__(self, run: StoredRun, store: Store, source: ModelSource, request: GradeRequest, progress: RunProgress):
        self._run, self._store, self._source, self._request, self._progress = run, store, source, request, progress
        self._rubrics = read_rubrics(request.rubrics)
        self._recorder = RunRecorder(run.question.config, store, source.stop if isinstance(source, HasStop) else _pass)
        self._replies = open_replies(request.cache)
        self._calibration = Fingerprint()
        self._waiting: queue.SimpleQueue[Trial] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._tally = Tally(spent=self._recorder.spent)

    def play(self, trials: list[Trial], stop: Stop) -> Graded:
        """Grade what is not graded yet. Raises: what ended it before its time."""
        self._check_request()
        self._store.plan([Plan(trial.key, self._run.find_task(trial)) for trial in trials])
        waiting = self._list_waiting(trials)
        self._tally.total, self._tally.done = len(trials), len(trials) - len(waiting)
        self._recorder.refusals = Refusals(len(waiting))
        self._progress.begin(self._tally)
        stop.add(self._interrupt)
        try:
            if waiting:
                self._grade_all(waiting)
        except (BudgetStop, Interrupted) as cause:
            self._recorder.end_with(cause)
        finally:
            stop.remove(self._interrupt)
            self._tally.spent = self._recorder.spent
            self._progress.end(self._tally)
            if self._replies is not None:
                self._replies.close()
        ended = self._recorder.cause
        complete = self._tally.done + self._tally.failed >= self._tally.total
        if ended is not None and not (complete and isinstance(ended, BudgetStop)):
            raise ended
        return Graded(self._store.folder, len(trials), self._tally.failed)

    def _interrupt(self) -> None:
        self._recorder.end_with(Interrupted())

    def _check_request(self) -> None:
        """Raises: StoreError if the folder holds what another judge, or another form of this one, has said."""
        asked = json.dumps({"judge": scrub(self._source.identity), "rubrics": rubrics_digest(self._rubrics)})
        recorded = self._store.meta(_ASKED)
        if recorded is None:
            self._store.set_meta(_ASKED, asked)
        elif recorded != asked:
            raise StoreError(
                f"grade: expected the judge and rubrics that {self._store.folder} was made with, got others; choose "
                "another folder with -o"
            )

    def _list_waiting(self, trials: list[Trial]) -> list[Trial]:
        """Return the gradable trials with a question that has no verdict yet; all others are recorded as they are."""
        recorded = {row.key: row.status for row in self._store.trials()}
        done = {trial.key for trial in read_trials(self._store.folder, Shape.CONVERSATION) if _is_complete(trial)}
        for trial in trials:
            if not is_gradable(trial) and recorded[trial.key] != trial.status:
                self._store.finish(replace(trial, items=(), steps=()))
        return [trial for trial in trials if is_gradable(trial) and trial.key not in done]

    def _grade_all(self, waiting: list[Trial]) -> None:
        self._recorder.check_limits()
        workers = self._count_calls()
        if self._request.cache != "read" and not self._recorder.stopped():
            self._calibration = calibrate(self._make_setup(0, workers), self._store, self._recorder)
        for trial in waiting:
            self._waiting.put(trial)
        run_threads(self._work, min(workers, len(waiting)))

    def _count_calls(self) -> int:
        if not self._source.remote:
            return 1
        return self._request.workers or self._source.workers or count_parallel_calls(self._run.question.config)

    def _make_setup(self, seed: int, workers: int = 1) -> JudgeSetup:
        cached = ScopedCache(self._replies, scrub(self._source.identity), seed) if self._replies else None
        model = ReplayOnlyModel(self._source.name) if self._request.cache == "read" else self._source.model(seed)
        return JudgeSetup(model, cached, workers, self._rubrics)

    def _work(self) -> None:
        try:
            while not self._recorder.stopped():
                try:
                    trial = self._waiting.get_nowait()
                except queue.Empty:
                    return
                self._grade(trial)
        except BaseException as cause:
            self._recorder.end_with(cause)

    def _grade(self, trial: Trial) -> None:
        committed: dict[int, list[Call]] = {}
        for call in self._store.calls(trial.key):
            committed.setdefault(call.index, []).append(call)
        judge = BookedJudge(trial.key, self._make_setup(trial.key.seed), self._recorder, committed)
        try:
            items = self._run.regrade(trial, judge, judge.enter)
            calls = (*without_judge(trial.calls), *judge.calls)
            graded = replace(mark_as_answered(trial, items), calls=calls)
            graded = replace(graded, items=self._run.measure(graded))
        except MissingReplyError as missing:
            raise MissingReplyError(f"grade: {trial.key.strategy} on {trial.key.task}: {missing}") from None
        except TrialError as failure:
            if isinstance(failure, ReplayMismatchError):
                self._recorder.supersede(trial.key)
            graded = replace(
                trial, status=failure.status, items=(), calls=tuple(judge.calls), error=scrub(str(failure))
            )
        self._finish(graded)

    def _finish(self, graded: Trial) -> None:
        known = self._describe_judge()
        entries = [entry for entry in graded.fingerprint.entries if not entry[0].startswith(_OF_JUDGE)]
        kept = replace(graded, steps=(), fingerprint=Fingerprint(tuple(sorted((*entries, *known)))))
        self._store.finish(kept)
        with self._lock:
            complete = _is_complete(kept)
            self._tally.done += complete
            self._tally.failed += not complete
            self._tally.spent = self._recorder.spent
            self._progress.update(self._tally, None if complete or not graded.error else graded)
        if end := self._recorder.refusals.find_stop(graded):
            self._recorder.end_with(end)

    def _describe_judge(self) -> Iterator[tuple[str, str]]:
        yield ("env.judge", self._source.name)
        yield ("env.rubrics", rubrics_digest(self._rubrics))
        yield ("row.judge_request", scrub(self._source.identity))
        yield from self._calibration.entries
        if isinstance(self._source, HasRequestChanges) and (changes := self._source.request_changes):
            yield ("row.judge_request_changes", scrub("; ".join(changes)))


def _is_complete(trial: Trial) -> bool:
    """True if no question waits for a verdict."""
    waits = (
        score.name in (ACCURACY, ADVERSARIAL) and score.value is None and score.reason.startswith(NO_VERDICT)
        for item in trial.items
        for score in item.scores
    )
    return trial.status.scored and not any(waits)


def _pass() -> None:
    pass
