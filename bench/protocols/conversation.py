"""The interface of a conversation, and what one may offer in addition: evidence, known issues, a judge's case.

Exported by ``bench.protocols``. Nothing here does any work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from bench.types import Event, Fingerprint, Frame, JudgeCase, Limits, Score, Task

__all__ = [
    "Conversation",
    "ConversationSuite",
    "HasEvidence",
    "HasJudgeCase",
    "HasKnownIssues",
    "HasSessionEvidence",
    "Question",
    "write_question",
]


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a conversation; the reference answer stays with the suite."""

    id: str
    text: str
    """What a memory gets."""
    group: str
    """Its category: how ``--by group`` splits a table."""
    time: str = ""
    """The date on which it is asked, as the suite shows it; empty = none."""
    prompt: str = ""
    """What the model gets, where that is more than ``text``; empty = the same."""


def write_question(question: Question) -> str:
    """Return a question as it stands in the prompt: with its date, where it has one."""
    text = question.prompt or question.text
    return f"{text} (asked on {question.time})" if question.time else text


class Conversation(Protocol):
    """One long conversation and the questions about it."""

    @property
    def frame(self) -> Frame: ...

    def events(self) -> Iterable[Event]:
        """Every turn in order, with a session end after each session."""

    def questions(self) -> Sequence[Question]: ...

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        """Score one answer. The first score is the main one, in 0..1; None for a question that is left out of the
        overall (it takes a judge, or has a column of its own). Raises JudgeError."""


@runtime_checkable
class HasEvidence(Protocol):
    """A conversation that knows the turns each right answer is based on."""

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the refs of the turns that are needed; empty where none are (or none are known)."""


@runtime_checkable
class HasSessionEvidence(Protocol):
    """A conversation whose data may name sessions and mark no turn."""

    def knows_sessions_only(self, question: Question) -> bool:
        """Return True if the evidence is all turns of some sessions: it is scored by session alone, and no cause of a
        failure is named."""


@runtime_checkable
class HasJudgeCase(Protocol):
    """A conversation whose answers a judge can grade."""

    def judge_case(self, question: Question) -> JudgeCase | None:
        """Return what the judge is shown; None for a question that is left to the suite's own score."""


@runtime_checkable
class HasKnownIssues(Protocol):
    """A conversation some of whose reference answers are known to be wrong."""

    def find_known_issue(self, question: Question) -> str:
        """Return what is wrong with the reference answer and who found it, in a few words; empty = nothing is known."""


class ConversationSuite(Protocol):
    """Conversations of one split; a task is one conversation, its items are the questions."""

    def tasks(self) -> Sequence[Task]: ...

    def open(self, task: Task) -> Conversation: ...

    def limits(self) -> Limits: ...

    def fingerprint(self) -> Fingerprint: ...

    def close(self) -> None: ...
