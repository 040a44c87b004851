"""Suite ``toy-talk-v2``: short conversations between two friends, with facts that change.

Source: this project; not from a publication, so there are no differences to list.

Tasks: one conversation per task (4 sessions of 6 turns) and 6 questions about each. Groups of questions: ``latest
fact`` and ``unanswerable`` (nobody gave the fact).

* split ``talks`` (default): seeded; no download. The parameter ``talks`` gives the number of conversations.

Score: success = 1 if the answer equals the reference answer, case, punctuation and an article in front (``a cat``)
ignored. The reference answer of an unanswerable question is ``unknown``; ``not mentioned`` also counts.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.protocols import Conversation, Param, Question, SuiteOptions, SuiteSpec
from bench.types import Event, EventKind, Fingerprint, Frame, JudgeCase, Limits, Score, Shape, Task

__all__ = ["SUITE", "ToyConversation", "ToyConversationSuite"]

_NAME = "toy-talk-v2"
_ARTICLES = ("a", "an", "the")
_SPEAKERS = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn")
_SESSIONS = 4
_REFUSALS = ("not mentioned",)
_FILLERS = ("That was quite a week.", "The weather turned at last.", "I slept badly.", "We should meet soon.")
FRAME = Frame(
    id="toy-talk-v1",
    instructions=(Path(__file__).parent / "frame" / "talk.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
)


@dataclass(frozen=True, slots=True)
class _Topic:
    statement: str
    question_text: str
    values: tuple[str, ...]


_TOPICS = (
    _Topic("I moved to {}.", "Which city does {} live in?", ("Oslo", "Porto", "Quito", "Riga", "Turin")),
    _Topic("I got myself a {}.", "Which pet does {} have?", ("cat", "dog", "parrot", "rabbit", "turtle")),
    _Topic("I now work as a {}.", "What does {} work as?", ("baker", "nurse", "pilot", "singer", "teacher")),
)


@dataclass(frozen=True, slots=True)
class _Fact:
    question: Question
    reference_answer: str
    evidence: tuple[str, ...]


class ToyConversation:
    """One conversation, generated from its seed; it does not change afterwards."""

    frame = FRAME

    def __init__(self, seed: int):
        rng = random.Random(f"toy-talk-v1/{seed}")
        self._pair = rng.sample(_SPEAKERS, 2)
        self._latest: dict[tuple[str, int], str] = {}
        self._said_in: dict[tuple[str, int], str] = {}
        self._events = [event for session in range(1, _SESSIONS + 1) for event in self._session(rng, session)]
        self._facts = tuple(self._fact(name, topic) for name in sorted(self._pair) for topic in range(len(_TOPICS)))

    def _session(self, rng: random.Random, session: int) -> Iterable[Event]:
        date = f"{session * 6} May 2024"
        for turn in range(6):
            name = self._pair[turn % 2]
            text = rng.choice(_FILLERS)
            if rng.random() < 0.4:
                topic = rng.randrange(len(_TOPICS))
                value = rng.choice(_TOPICS[topic].values)
                self._latest[name, topic] = value
                self._said_in[name, topic] = f"D{session}:{turn + 1}"
                text = _TOPICS[topic].statement.format(value)
            yield Event(f"D{session}:{turn + 1}", EventKind.TURN, text, session, name, date)
        yield Event(f"D{session}", EventKind.SESSION_END, f"end of session {session}", session, time=date)

    def _fact(self, name: str, topic: int) -> _Fact:
        reference_answer = self._latest.get((name, topic), "unknown")
        group = "unanswerable" if reference_answer == "unknown" else "latest fact"
        said_in = self._said_in.get((name, topic))
        question = Question(f"{name}/{topic}", _TOPICS[topic].question_text.format(name), group)
        return _Fact(question, reference_answer, (said_in,) if said_in else ())

    def events(self) -> Sequence[Event]:
        return self._events

    def questions(self) -> Sequence[Question]:
        return [fact.question for fact in self._facts]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        given, reference_answer = _normalise(answer), self._find_fact(question).reference_answer
        return (
            Score(
                "success",
                float(given == _normalise(reference_answer) or (reference_answer == "unknown" and given in _REFUSALS)),
            ),
        )

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the ref of the last turn that gives the fact; empty if nobody gave it."""
        return self._find_fact(question).evidence

    def judge_case(self, question: Question) -> JudgeCase:
        reference_answer = self._find_fact(question).reference_answer
        if reference_answer == "unknown":
            return JudgeCase("abstention", question.text, "Nobody said it.")
        return JudgeCase("update", question.text, reference_answer)

    def _find_fact(self, question: Question) -> _Fact:
        return next(fact for fact in self._facts if fact.question.id == question.id)


def _normalise(text: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


class ToyConversationSuite:
    """The conversations of one split."""

    def __init__(self, options: SuiteOptions):
        self._options = options

    def tasks(self) -> list[Task]:
        return [self._task(seed) for seed in range(self._options.params.integer("talks"))]

    def _task(self, seed: int) -> Task:
        name, payload = f"talk-{seed:02d}", str(seed)
        return Task(
            id=name,
            suite=_NAME,
            split=self._options.split,
            group="talk",
            cluster=name,
            source=f"seed {seed}",
            payload=payload,
            digest=hashlib.sha256(payload.encode()).hexdigest(),
        )

    def open(self, task: Task) -> Conversation:
        return ToyConversation(int(task.payload))

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        return Fingerprint.of(suite=_NAME, split=self._options.split)

    def close(self) -> None:
        pass


SUITE = SuiteSpec(
    name=_NAME,
    build=ToyConversationSuite,
    shape=Shape.CONVERSATION,
    splits=("talks",),
    default_split="talks",
    offline_splits=("talks",),
    params=(Param("talks", 6, "how many conversations", minimum=1, maximum=10_000),),
    source="this project; seeded, no download",
)
