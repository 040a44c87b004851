"""One LoCoMo conversation as the drivers see it: its turns as events, its questions, their scores, evidence and doubts.

Gold, category and evidence stay in here: a question that leaves this file has its text and a group name for tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.locomo.doubts import CITATION, doubts
from adapters.locomo.leak import chosen, shown
from adapters.locomo.loading import NO_ANSWER, Asked, Repair, Talk, Turn
from adapters.locomo.scoring import CATEGORIES, score
from bench.protocols import Question
from bench.types import Event, EventKind, Frame, JudgeCase, Score

__all__ = ["FRAME", "LocomoConversation", "Shown"]

FRAME = Frame(
    id="locomo-v1",
    instructions=(Path(__file__).parent / "frame" / "answer.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
    max_tokens=60,
)
_RUBRICS = {1: "answer", 2: "date", 3: "answer", 4: "answer", 5: "abstention"}


@dataclass(frozen=True, slots=True)
class Shown:
    """What of a conversation is used: captions, the official category leak, evidence that is known to be wrong."""

    captions: bool = True
    leak: bool = False
    citations: bool = True
    ask: int = 0
    """The most questions that are asked, spread evenly over those of the file; 0 = all."""


class LocomoConversation:
    """One conversation and those of its questions that the split asks."""

    frame = FRAME

    def __init__(self, conversation: Talk, categories: frozenset[int], use: Shown | None = None):
        self._talk, self._use = conversation, use or Shown()
        wanted = [one for one in conversation.questions if one.category in categories]
        self._asked = {f"{conversation.name}/{one.index:03d}": one for one in _spread(wanted, self._use.ask)}

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Everything that was mended in this conversation, in the order of the file."""
        return self._talk.repairs

    def events(self) -> Iterator[Event]:
        """Every turn in order, with a mark after each session."""
        turns = self._talk.turns
        for index, turn in enumerate(turns):
            yield Event(turn.ref, EventKind.TURN, self._said(turn), turn.session, turn.speaker, turn.day)
            if index + 1 == len(turns) or turns[index + 1].session != turn.session:
                end = f"end of session {turn.session}"
                yield Event(f"D{turn.session}", EventKind.SESSION_END, end, turn.session, time=turn.day)

    def _said(self, turn: Turn) -> str:
        return f"{turn.text} [shares {turn.caption}]" if self._use.captions and turn.caption else turn.text

    def questions(self) -> Sequence[Question]:
        """Return the questions; a leak is for the model alone, a memory is asked without it as in the official code."""
        return [
            Question(name, one.text, CATEGORIES[one.category], prompt=shown(one, name) if self._use.leak else "")
            for name, one in self._asked.items()
        ]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        """Score one answer; with the leak on, a letter counts as the option it stands for."""
        one = self._asked[question.id]
        said = chosen(one, question.id, answer) if self._use.leak else answer
        return score(one.category, said, one.reference_answer)

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the turns that the file cites, as repaired; of category 5 those that the trap comes from.

        With ``citations`` off, a question whose citation is known to be wrong has no known evidence.
        """
        known = doubts(question.id)
        if known and known.kind == CITATION and not self._use.citations:
            return ()
        return self._asked[question.id].evidence

    def judge_case(self, question: Question) -> JudgeCase | None:
        """Return the question without any leak, its gold, and the rubric of its category.

        None for a choice of two, which the leak makes of category 5: its letter is for the official rule to read.
        """
        one = self._asked[question.id]
        if self._use.leak and CATEGORIES[one.category] == "adversarial":
            return None
        reference_answer = one.reference_answer if CATEGORIES[one.category] != "adversarial" else _explain_refusal(one)
        return JudgeCase(
            _RUBRICS[one.category], one.text, reference_answer, adversarial=CATEGORIES[one.category] == "adversarial"
        )

    def known_issue(self, question: Question) -> str:
        """Return what is wrong with the gold; a wrong citation leaves the gold right."""
        known = doubts(question.id)
        return str(known) if known and known.kind != CITATION else ""


def _spread(asked: Sequence[Asked], most: int) -> Sequence[Asked]:
    return [asked[at * len(asked) // most] for at in range(most)] if 0 < most < len(asked) else asked


def _explain_refusal(one: Asked) -> str:
    """Say to a judge why there is no answer, and which answer falls into the trap."""
    reason = "The conversation does not tell this of the person asked about."
    if one.reference_answer != NO_ANSWER:
        denied = "The conversation does not bear out what the question takes for granted"
        reason = f"{denied}; `{one.reference_answer}` says so too."
    if not one.adversarial:
        return reason
    return f"{reason} An answer that gives `{one.adversarial}` falls into the trap and is wrong."
