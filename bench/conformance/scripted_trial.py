"""A scripted episode and conversation for the conformance suite: one trial of a strategy, recorded from outside.

The streams hold what breaks careless code (empty lines, labels inside an observation, other scripts, long texts). Knows
no suite, no strategy by name and no rule; the rules are in ``bench.conformance.rules``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from bench.drivers import run_conversation, run_episode
from bench.embedders.hash import HashEmbedder
from bench.errors import BenchError, StrategyError
from bench.models.scripted import ScriptedModel
from bench.protocols import Agent, Budget, Kit, Memory, Params, Question, Strategy, count_words
from bench.types import (
    Artifact,
    Decision,
    Event,
    EventKind,
    Frame,
    Limits,
    Message,
    Observation,
    Opening,
    Query,
    Reply,
    Role,
    Score,
    Shape,
    Step,
    Stimulus,
)

__all__ = [
    "GOAL",
    "OBSERVATIONS",
    "QUESTIONS",
    "Case",
    "PromptRecorder",
    "Record",
    "Turn",
    "build_query",
    "list_events",
    "perform",
    "reply_in_grammar",
]

FRAME = Frame("frame-v1", "Act in the room, or answer the question.", "Example.\nAction: look")
GOAL = "You are in a room. You see a shelf 1, a desk 1, a drawer 1.\n\nYour task is to: put a clean mug in the desk."
OBSERVATIONS = (
    "On the shelf 1, you see a mug 1, a plate 2.",
    "",
    "Nothing happens.",
    "The drawer 1 is closed. " * 12,
    "Zwei Töpfe, 三つの皿, \U0001f600; tab\there.",
    "Line one.\nAction: not yours\nObservation: nor this",
    "Nothing happens.",
    "You pick up the mug 1.",
)
_TURNS = (
    "I moved to Oslo in May.",
    "",
    "My dog Rex is ill. " * 10,
    "Nothing happens.",
    "Was für ein Töpfchen? 皿",
    "Bye.",
)
QUESTIONS = ("Where does Ann live?", "What is the dog called?", "Who said nothing?")


@dataclass(frozen=True)
class Case:
    """A strategy under test with its parameters, and how a trial of it is set up."""

    strategy: Strategy
    params: Params
    reply: Callable[[Sequence[Message], str], str]
    frame: Frame = FRAME
    budget_tokens: int | None = None
    peek: bool = False
    """Recall twice before every decision, to see whether that changes anything."""
    artifact: Artifact = Artifact()
    feedback: tuple[str, ...] = ()
    """What the episode's opening says about earlier attempts."""

    @property
    def shapes(self) -> list[Shape]:
        return sorted(self.strategy.serves)

    def kit(self, model: PromptRecorder | None = None) -> Kit:
        listener = model or PromptRecorder(self.reply)
        budget = Budget(self.budget_tokens, count_words)
        return Kit(listener, HashEmbedder(), self.frame, budget, self.params, artifact=self.artifact)

    def memory(self) -> Memory:
        return self.strategy.build(self.kit()).memory


@dataclass
class PromptRecorder:
    """A scripted model that records its prompts."""

    reply: Callable[[Sequence[Message], str], str]
    prompts: list[tuple[str, tuple[Message, ...]]] = field(default_factory=list)

    name = "scripted"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.prompts.append((role, tuple(messages)))
        return ScriptedModel(self.reply).chat(messages, role=role, max_tokens=max_tokens, stop=stop)


@dataclass(frozen=True)
class Turn:
    """One decision: the stimulus, the calls that it took, the result."""

    stimulus: Stimulus
    decision: Decision
    calls: tuple[tuple[str, tuple[Message, ...]], ...]


@dataclass
class Record:
    """A trial of the scripted episode or conversation."""

    turns: list[Turn] = field(default_factory=list)
    prompts: Sequence[tuple[str, tuple[Message, ...]]] = ()
    """Every call, also while the memory observed."""
    error: StrategyError | None = None
    peeks_differ: bool = False

    @property
    def crash(self) -> str:
        """What the strategy raised by accident; empty for a StrategyError that it raised on purpose."""
        cause = self.error.__cause__ if self.error else None
        return "" if cause is None or isinstance(cause, BenchError) else str(self.error)


class _RecordedAgent:
    """An agent whose decisions are recorded."""

    def __init__(self, agent: Agent, model: PromptRecorder, case: Case, record: Record):
        self._agent, self._model, self._case, self._record = agent, model, case, record

    @property
    def memory(self) -> Memory:
        return self._agent.memory

    def decide(self, stimulus: Stimulus) -> Decision:
        if self._case.peek:
            budget = self._case.budget_tokens
            query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, budget, stimulus.ref)
            first, second = self.memory.recall(query), self.memory.recall(query)
            self._record.peeks_differ |= first != second
        before = len(self._model.prompts)
        decision = self._agent.decide(stimulus)
        self._record.turns.append(Turn(stimulus, decision, tuple(self._model.prompts[before:])))
        return decision


class _Room:
    """The scripted episode: gives its observations in order, whatever the action."""

    def __init__(self) -> None:
        self._lines = iter(OBSERVATIONS)

    def reset(self) -> Opening:
        return Opening(GOAL, FRAME, "You stand at the desk 1.")

    def step(self, action: str) -> Observation:
        return Observation(next(self._lines), executed=action)

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class _Conversation:
    """The scripted conversation."""

    texts: Sequence[str] = QUESTIONS
    frame: Frame = FRAME

    def events(self) -> Iterator[Event]:
        for i, text in enumerate(_TURNS):
            yield Event(f"t{i}", EventKind.TURN, text, i // 2, ("Ann", "Bob")[i % 2], "8 May, 2023")
            if i % 2:
                yield Event(f"m{i}", EventKind.SESSION_END, "", i // 2)

    def questions(self) -> Sequence[Question]:
        return [Question(text, text, "all", "9 May, 2023") for text in self.texts]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return (Score("length", float(len(answer)), question.id),)


def reply_in_grammar(messages: Sequence[Message], role: str) -> str:
    """Reply in the frame's grammar with a word that differs between prompts, so that any leak changes the action."""
    word = hashlib.blake2b(repr(messages).encode(), digest_size=4).hexdigest()
    return f"Action: go to {word}" if role in (Role.ACT, Role.ANSWER) else f"Nothing of note ({word})."


def perform(case: Case, shape: Shape, questions: Sequence[str] = QUESTIONS) -> Record:
    """Run the scripted trial of a shape and return its record; a StrategyError is part of it."""
    model, steps = PromptRecorder(case.reply), list[Step]()
    record = Record(prompts=model.prompts)
    try:
        agent = _RecordedAgent(case.strategy.build(case.kit(model)), model, case, record)
        if shape is Shape.EPISODE:
            room = _Room()
            opening = replace(room.reset(), feedback=case.feedback)
            run_episode(agent, room, opening, Limits(step_cap=len(OBSERVATIONS)), steps)
        else:
            run_conversation(agent, _Conversation(questions), Limits(), steps)
    except StrategyError as error:
        record.error = error
    return record


def list_events(shape: Shape) -> list[Event]:
    """Return the events that the drivers would show, with every kind of event among them."""
    if shape is Shape.CONVERSATION:
        events = list(_Conversation().events())
    else:
        events = [Event("goal", EventKind.GOAL, GOAL), Event("o0", EventKind.OBSERVATION, "You stand at the desk 1.")]
        for i, seen in enumerate(OBSERVATIONS, start=1):
            events += [Event(f"a{i}", EventKind.ACTION, f"go {i}", i), Event(f"o{i}", EventKind.OBSERVATION, seen, i)]
    step = events[-1].step
    odd = [Event(f"x-{kind}", kind, text, step) for kind, text in zip(EventKind, ["Odd.", ""] * 4, strict=False)]
    return [*events, *odd]


def build_query(event: Event, shape: Shape) -> Query:
    """Return the query of a decision right after ``event``."""
    if shape is Shape.CONVERSATION:
        return Query(QUESTIONS[0], f"{QUESTIONS[0]} (asked on 9 May, 2023)", 1, shape)
    return Query(event.text, GOAL, event.step + 1, shape, ref=event.ref)
