"""Judges of stored answers: one whose calls are booked question by question, and one that repeats stored verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.errors import JudgeError
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredModel
from bench.runner.calibration import JudgeSetup, StoppableRecorder
from bench.scoring.grading import ACCURACY, ADVERSARIAL
from bench.scoring.judge import Judge, Verdict, is_verdict
from bench.types import Call, Item, JudgeCase, Phase, TrialKey

__all__ = ["BookedJudge", "StoredVerdicts"]


@dataclass
class BookedJudge:
    """A judge of one conversation. The calls about a question stand in the ledger under the question's number.

    So a question without a verdict is asked for again later, and all others are replayed from the ledger.
    """

    key: TrialKey
    setup: JudgeSetup
    recorder: StoppableRecorder
    committed: Mapping[int, Sequence[Call]]
    """The calls of before, by the number of the question."""
    calls: list[Call] = field(default_factory=list)
    """Those of this time, replayed ones included."""
    _number: int = 0

    def enter(self, phase: Phase, number: int) -> None:
        """Take note which question is graded next."""
        self._number = number

    def verdict(self, judge_case: JudgeCase, answer: str) -> Verdict:
        """Raises: as ``Judge.verdict``; BudgetStop, Interrupted."""
        number = self._number
        meter = Meter(
            lambda call: self.recorder.commit_call(self.key, replace(call, index=number)),
            [replace(call, index=0) for call in self.committed.get(number, ())],
            stopped=self.recorder.stopped,
            reserve=self.recorder.reserve,
        )
        meter.enter(Phase.JUDGE, number)
        setup = self.setup
        model = MeteredModel(setup.model, meter, cached=setup.cached, accept=is_verdict)
        try:
            return Judge(model, setup.rubrics).verdict(judge_case, answer)
        finally:
            self.calls += [replace(call, index=number) for call in meter.calls]


@dataclass
class StoredVerdicts:
    """Repeats the verdicts that the items of a conversation hold, by the number of the question."""

    items: Sequence[Item]
    _number: int = 0

    def enter(self, phase: Phase, number: int) -> None:
        """Take note which question is graded next."""
        self._number = number

    def verdict(self, judge_case: JudgeCase, answer: str) -> Verdict:
        """Raises: JudgeError where none is stored."""
        found = [score for score in self.items[self._number - 1].scores if score.name in (ACCURACY, ADVERSARIAL)]
        if not found or found[0].value is None:
            raise JudgeError("judge: expected a stored verdict, got none")
        return Verdict(found[0].value == 1.0, 0)
