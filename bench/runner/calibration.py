"""The calibration of a run's judge: what it makes of answers that are known to be right or wrong.

Its calls are calls like others: in the ledger (the record of a trial with attempt 0), under the limits of the run, and
replayed when a stopped calibration goes on.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bench.errors import JudgeError
from bench.models.cache.key import ScopedCache
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredModel
from bench.protocols import Model
from bench.runner.build import RunContext
from bench.runner.parts import Recorder
from bench.runner.resolve import count_parallel_calls
from bench.runner.threads import run_threads
from bench.scoring.judge import TRIES, Judge, Rubrics, is_verdict
from bench.scoring.judge_probes import Probe, ProbeReport, make_report, probes
from bench.store.database import Plan, Store
from bench.types import Call, CallStatus, EndReason, Fingerprint, Phase, Status, Task, Trial, TrialKey

__all__ = ["JudgeSetup", "StoppableRecorder", "calibrate", "calibrate_judge"]

_PROBES = "judge-probes"
_NAME = "(calibration)"
_REPLIED = (CallStatus.OK, CallStatus.NO_VERDICT)


class StoppableRecorder(Recorder, Protocol):
    """Where calls go, and who ends the run."""

    def halt(self) -> None: ...

    def stopped(self) -> bool: ...


@dataclass(frozen=True)
class JudgeSetup:
    """A judge as it is called: its model, the cache of its replies, how many calls at once, what it is told."""

    model: Model
    cached: ScopedCache | None = None
    workers: int = 1
    rubrics: Rubrics | None = None
    """None = this project's own."""


def calibrate_judge(context: RunContext, store: Store, recorder: StoppableRecorder) -> Fingerprint:
    """Return how the judge graded the calibration answers: measured once in a run, before it grades anything.

    Without calls (``cache=read``) nothing can be measured, and nothing is claimed.
    Raises: ModelError, BudgetStop, Interrupted: the same command goes on from there.
    """
    judge = context.judge_model()
    if judge is None or not context.has_answers or context.config.cache == "read":
        return Fingerprint()
    return calibrate(JudgeSetup(judge, context.judge_cache, _count_judge_calls(context)), store, recorder)


def calibrate(judge: JudgeSetup, store: Store, recorder: StoppableRecorder) -> Fingerprint:
    """Return how a judge graded the calibration answers, measured once in a folder. Raises: as ``calibrate_judge``."""
    report = store.meta(_PROBES)
    if report is None:
        report = _measure(judge, store, recorder).to_json()
        store.set_meta(_PROBES, report)
    return Fingerprint((("row.judge_probes", ProbeReport.from_json(report).line),))


def _measure(judge: JudgeSetup, store: Store, recorder: StoppableRecorder) -> ProbeReport:
    name = judge.model.name
    key = TrialKey(_NAME, _NAME, _NAME, _NAME, name, attempt=0)
    store.plan([Plan(key, Task(key.task, key.suite, key.split, "", ""))])
    committed: dict[int, list[Call]] = {}
    for call in store.calls(key):
        committed.setdefault(call.index, []).append(call)

    def grade(number: int, probe: Probe) -> bool | None:
        books = _ProbeBooks(key, number, recorder)
        return books.grade(probe, judge, committed.get(number, ()))

    verdicts = _grade_all(grade, judge.workers, recorder.halt)
    store.finish(Trial(key, Status.DONE, EndReason.CALIBRATED))
    return make_report(name, verdicts, _sum_tokens(store.calls(key)), judge.rubrics)


def _grade_all(grade: Callable[[int, Probe], bool | None], workers: int, halt: Callable[[], None]) -> list[bool | None]:
    """Return a verdict on each probe, in their order; ``halt`` is called by the first error, which is raised."""
    verdicts: list[bool | None] = [None] * len(probes())
    waiting, errors = queue.SimpleQueue[int](), list[BaseException]()
    for number in range(len(verdicts)):
        waiting.put(number)

    def work() -> None:
        while not errors:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                verdicts[number] = grade(number, probes()[number])
            except BaseException as cause:
                errors.append(cause)
                halt()

    run_threads(work, min(workers, len(verdicts)))
    if errors:
        raise errors[0]
    return verdicts


@dataclass(frozen=True)
class _ProbeBooks:
    """The books of one probe: its calls stand in the ledger under the index that is its number.

    So probes that are graded at the same time come to the same ledger in any order.
    """

    key: TrialKey
    number: int
    recorder: StoppableRecorder

    def commit(self, call: Call) -> None:
        self.recorder.commit_call(self.key, replace(call, index=self.number))

    def grade(self, probe: Probe, judge: JudgeSetup, committed: Sequence[Call]) -> bool | None:
        """Return the verdict, None if the judge has none. What was paid for is not asked for again."""
        if sum(call.status is CallStatus.NO_VERDICT for call in committed) >= TRIES:
            return None
        meter = Meter(
            self.commit,
            [replace(call, index=0) for call in committed],
            stopped=self.recorder.stopped,
            reserve=self.recorder.reserve,
        )
        meter.enter(Phase.JUDGE, 0)
        model = MeteredModel(judge.model, meter, cached=judge.cached, accept=is_verdict)
        try:
            return Judge(model, judge.rubrics).verdict(probe.judge_case, probe.answer).correct
        except JudgeError:
            return None


def _sum_tokens(calls: Sequence[Call]) -> int | None:
    """Return the tokens of all replies; None if a usage is missing."""
    counts = [(call.usage.prompt, call.usage.completion) for call in calls if call.status in _REPLIED]
    known = [prompt + completion for prompt, completion in counts if prompt is not None and completion is not None]
    return sum(known) if len(known) == len(counts) else None


def _count_judge_calls(context: RunContext) -> int:
    """Return how many calibration answers the judge gets at once."""
    judge = context.sources.judge
    if judge is None or not judge.remote:
        return 1
    return judge.workers or count_parallel_calls(context.config)
