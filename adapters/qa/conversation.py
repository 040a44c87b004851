"""One conversation or text as the drivers use it: events, questions, scores and evidence.

The accepted answers and the evidence stay here: a question that leaves this module has its text, date and group only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.qa.loading import Asked, LoadedConversation
from adapters.qa.scoring import score_answer
from adapters.shared.turn_text import Repair
from bench.protocols import Question
from bench.types import Event, EventKind, Frame, JudgeCase, Score

__all__ = ["FRAME", "QaConversation"]

FRAME = Frame(
    id="qa-v1",
    instructions=(Path(__file__).parent / "frame" / "answer.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
)
_NOWHERE = "What was said does not tell this."


class QaConversation:
    """A ``Conversation`` of one context; ``main`` names the score that counts as success."""

    frame = FRAME

    def __init__(self, loaded: LoadedConversation, main: str):
        self._loaded, self._main = loaded, main
        self._questions = {one.id: one for one in loaded.questions}

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What of the turns is not shown."""
        return self._loaded.repairs

    def events(self) -> Iterator[Event]:
        """Yield every turn in order, and an end event after each session."""
        turns = self._loaded.turns
        for index, turn in enumerate(turns):
            yield Event(turn.ref, EventKind.TURN, turn.text, turn.session, turn.speaker, turn.time)
            if index + 1 == len(turns) or turns[index + 1].session != turn.session:
                end = f"end of session {turn.session}"
                yield Event(f"D{turn.session}", EventKind.SESSION_END, end, turn.session, time=turn.time)

    def questions(self) -> Sequence[Question]:
        return [Question(one.id, one.text, one.group, one.time) for one in self._loaded.questions]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return score_answer(self._main, answer, self._find(question).accepted)

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the refs of the turns that the data names; empty where it names none."""
        return self._find(question).evidence

    def judge_case(self, question: Question) -> JudgeCase:
        """Return the question and the accepted answers; of a question without one, that there is none."""
        accepted = self._find(question).accepted
        if not accepted:
            return JudgeCase("abstention", question.text, _NOWHERE)
        return JudgeCase("answer", question.text, " (or) ".join(accepted))

    def _find(self, question: Question) -> Asked:
        return self._questions[question.id]
