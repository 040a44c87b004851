"""One LongMemEval instance as the drivers use it: events, its question, scores, evidence and known issues.

Question type, reference answer, session ids and marks stay here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.longmemeval.instance import Instance, Label, Turn
from adapters.longmemeval.scoring import choose_rubric, score_answer
from adapters.shared.published.pieces import read_piece
from adapters.shared.published.protocol import Protocol, compose_frame, find_wording
from adapters.shared.turn_text import Repair
from bench.protocols import Question
from bench.types import Event, EventKind, Frame, JudgeCase, Score

__all__ = ["FRAME", "LongMemEvalConversation", "group_of"]

_HERE = Path(__file__).parent
FRAME = Frame(
    id="longmemeval-v1",
    instructions=(_HERE / "frame" / "answer.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
)
_KNOWN_ISSUES = {
    digest: why
    for _, digest, why in (
        line.split(" ", 2) for line in (_HERE / "doubtful.txt").read_text(encoding="utf-8").splitlines()
    )
}
"""What is reported to be wrong, by the digest of the released question and answer: of others nothing is known."""


class LongMemEvalConversation:
    """A ``Conversation`` of one history and the one question about it."""

    def __init__(self, instance: Instance, clock: bool, protocol: Protocol = Protocol(), data_root: Path = Path()):
        """Raises: DataError for a paper's file that is missing or altered."""
        said = json.dumps([instance.question, instance.raw_answer])
        self._issue = _KNOWN_ISSUES.get(hashlib.sha256(said.encode()).hexdigest()[:16], "")
        self._instance, self._clock = instance, clock
        self._protocol, self._data_root = protocol, data_root
        self.frame = compose_frame(protocol, FRAME, data_root, {})
        self._rubric = choose_rubric(instance.label.kind, instance.label.abstains)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All repairs of this instance."""
        return self._instance.repairs

    def events(self) -> Iterator[Event]:
        """Yield every turn in order of time, and an end event after each session."""
        turns = self._instance.turns
        for index, turn in enumerate(turns):
            time = self._format_date(turn)
            yield Event(turn.ref, EventKind.TURN, turn.text, turn.session, turn.speaker, time)
            if index + 1 == len(turns) or turns[index + 1].session != turn.session:
                end = f"end of session {turn.session}"
                yield Event(f"D{turn.session}", EventKind.SESSION_END, end, turn.session, time=time)

    def _format_date(self, at: Turn | Instance) -> str:
        return f"{at.day} {at.clock}" if self._clock else at.day

    def questions(self) -> Sequence[Question]:
        one, group, time = self._instance, group_of(self._instance.label), self._format_date(self._instance)
        piece = find_wording(self._protocol, group)
        if piece is None:
            return [Question(one.label.name, one.question, group, time)]
        # The words of a paper hold the date themselves.
        prompt = read_piece(self._data_root, piece, {"question": one.question, "time": time})
        return [Question(one.label.name, one.question, group, prompt=prompt)]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return score_answer(self._rubric, question.text, self._instance.reference_answer, answer)

    def judge_case(self, question: Question) -> JudgeCase:
        """Return question, reference answer and rubric for a judge."""
        return JudgeCase(self._rubric, question.text, self._instance.reference_answer)

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the refs of the turns that the file marks; none for an abstention item."""
        return self._instance.evidence

    def find_known_issue(self, question: Question) -> str:
        """Return what is reported to be wrong with the reference answer or its evidence."""
        return self._issue

    def knows_sessions_only(self, question: Question) -> bool:
        """True if the file marks no turn: the evidence is all turns of the sessions that it names."""
        return self._instance.by_session


def group_of(label: Label) -> str:
    """Return the question type, or ``abstention``."""
    return "abstention" if label.abstains else label.kind
