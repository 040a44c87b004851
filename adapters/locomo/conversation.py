"""One LoCoMo conversation as the drivers use it: events, questions, scores, evidence and known issues.

Reference answer, category and evidence stay here: a question that leaves this module has its text and its group only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adapters.locomo.asking import FRAME, Asking
from adapters.locomo.doubts import CITATION, Doubt
from adapters.locomo.leak import resolve_choice
from adapters.locomo.loading import NO_ANSWER, LoadedConversation, LocomoQuestion, Turn
from adapters.locomo.scoring import CATEGORIES, score_answer
from adapters.shared.turn_text import Repair
from bench.protocols import Question
from bench.types import Event, EventKind, JudgeCase, Score

__all__ = ["FRAME", "LocomoConversation", "Switches"]

_RUBRICS = {1: "answer", 2: "date", 3: "answer", 4: "answer", 5: "abstention"}


@dataclass(frozen=True, slots=True)
class Switches:
    """Which parts are used: captions, the official category leak, citations that are known to be wrong."""

    captions: bool = True
    leak: bool = False
    """Where a conversation is asked in the words of a paper, its ``Asking`` decides in its place."""
    citations: bool = True
    ask: int = 0
    """The maximum number of questions, spread evenly over those of the file; 0 = all."""


class LocomoConversation:
    """A ``Conversation`` with those questions that the split asks."""

    def __init__(
        self,
        conversation: LoadedConversation,
        categories: frozenset[int],
        switches: Switches | None = None,
        asking: Asking | None = None,
        doubts: Mapping[int, Doubt] | None = None,
    ):
        """``asking``: None = in the suite's own words. ``doubts``: by the place of a question.

        Raises: DataError for a paper's file that is missing.
        """
        self._doubts = dict(doubts or {})
        self._loaded, self._switches = conversation, switches or Switches()
        self._asking = asking or Asking(leak=self._switches.leak)
        self.frame = self._asking.write_frame(conversation)
        selected = [one for one in conversation.questions if one.category in categories]
        self._questions = {
            f"{conversation.name}/{one.index:03d}": one for one in _pick_evenly(selected, self._switches.ask)
        }

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All repairs of this conversation, in the order of the file."""
        return self._loaded.repairs

    def events(self) -> Iterator[Event]:
        """Yield every turn in order, and an end event after each session."""
        turns = self._loaded.turns
        for index, turn in enumerate(turns):
            if text := self._format_text(turn):  # of a picture without captions nothing is left
                yield Event(turn.ref, EventKind.TURN, text, turn.session, turn.speaker, turn.day)
            if index + 1 == len(turns) or turns[index + 1].session != turn.session:
                end = f"end of session {turn.session}"
                yield Event(f"D{turn.session}", EventKind.SESSION_END, end, turn.session, time=turn.day)

    def _format_text(self, turn: Turn) -> str:
        if not self._switches.captions or not turn.caption:
            return turn.text
        return f"{turn.text} [shares {turn.caption}]".strip()

    def questions(self) -> Sequence[Question]:
        """Return the questions. The leak is in the prompt only; a memory gets the question without it."""
        return [
            Question(name, one.text, CATEGORIES[one.category], prompt=self._asking.write_prompt(one, name))
            for name, one in self._questions.items()
        ]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        """Return the scores of one answer; with the leak on, a letter counts as the option that it stands for."""
        one = self._questions[question.id]
        resolved = resolve_choice(one, question.id, answer) if self._asking.offers_choice else answer
        return score_answer(one.category, resolved, one.reference_answer)

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the refs that the file cites, after repairs; in category 5 those behind the adversarial answer.

        With ``citations`` off, a question with a wrong citation has no evidence.
        """
        one = self._questions[question.id]
        known = self._doubts.get(one.index)
        if known and known.kind == CITATION and not self._switches.citations:
            return ()
        return one.evidence

    def judge_case(self, question: Question) -> JudgeCase | None:
        """Return the question without a leak, its reference answer and the rubric of its category.

        None in category 5 with the leak on: the answer is a letter, which only the official rule reads.
        """
        one = self._questions[question.id]
        if self._asking.offers_choice and CATEGORIES[one.category] == "adversarial":
            return None
        reference_answer = one.reference_answer if CATEGORIES[one.category] != "adversarial" else _explain_refusal(one)
        return JudgeCase(
            _RUBRICS[one.category], one.text, reference_answer, adversarial=CATEGORIES[one.category] == "adversarial"
        )

    def find_known_issue(self, question: Question) -> str:
        """Return what is wrong with the reference answer; a wrong citation is no such issue."""
        known = self._doubts.get(self._questions[question.id].index)
        return str(known) if known and known.kind != CITATION else ""


def _pick_evenly(questions: Sequence[LocomoQuestion], most: int) -> Sequence[LocomoQuestion]:
    return [questions[at * len(questions) // most] for at in range(most)] if 0 < most < len(questions) else questions


def _explain_refusal(one: LocomoQuestion) -> str:
    """Return the text for a judge: why there is no answer, and which answer is wrong."""
    reason = "The conversation does not tell this of the person asked about."
    if one.reference_answer != NO_ANSWER:
        denied = "The conversation does not bear out what the question takes for granted"
        reason = f"{denied}; `{one.reference_answer}` says so too."
    if not one.adversarial:
        return reason
    return f"{reason} An answer that gives `{one.adversarial}` falls into the trap and is wrong."
