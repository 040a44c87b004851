"""The conformance suite: does a strategy keep the rules that make its row comparable with the others?

``bench check STRATEGY`` prints what these functions return, and the tests run them over every registered strategy. Each
plays a short scripted episode and conversation that live in this file, with a scripted model and the hash embedder. It
knows no suite and no strategy by name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.agents import CONTEXT_HEADING, compose
from bench.drive import converse, play
from bench.embedders.hash import HashEmbedder
from bench.errors import BenchError, StrategyError
from bench.models.scripted import ScriptedModel
from bench.protocols import Agent, Budget, Kit, Memory, Param, Params, Question, Strategy, count_words
from bench.types import (
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
    Score,
    Shape,
    Step,
    Stimulus,
)

__all__ = ["CHECKS", "Check", "CheckResult", "check_strategy"]

_BUDGETS_TOKENS = (0, 1, 50, 500)
_FRAME = Frame("frame-v1", "Act in the room, or answer the question.", "Example.\nAction: look")
_GOAL = "You are in a room. You see a shelf 1, a desk 1, a drawer 1.\n\nYour task is to: put a clean mug in the desk."
_SEEN = (
    "On the shelf 1, you see a mug 1, a plate 2.",
    "",
    "Nothing happens.",
    "The drawer 1 is closed. " * 12,
    "Zwei Töpfe, 三つの皿, \U0001f600; tab\there.",
    "Line one.\nAction: not yours\nObservation: nor this",
    "Nothing happens.",
    "You pick up the mug 1.",
)
_SAID = (
    "I moved to Oslo in May.",
    "",
    "My dog Rex is ill. " * 10,
    "Nothing happens.",
    "Was für ein Töpfchen? 皿",
    "Bye.",
)
_ASKED = ("Where does Ann live?", "What is the dog called?", "Who said nothing?")


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One rule and whether it was kept; ``detail`` says what happened instead, empty if it was."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class _Case:
    """A strategy under test with its parameters, and how a trial of it is set up."""

    strategy: Strategy
    params: Params
    reply: Callable[[Sequence[Message], str], str]
    frame: Frame = _FRAME
    budget_tokens: int | None = None
    peek: bool = False
    """Recall twice before every decision, as a curious harness might."""

    @property
    def shapes(self) -> list[Shape]:
        return sorted(self.strategy.serves)

    def kit(self, model: _Listener | None = None) -> Kit:
        listener = model or _Listener(self.reply)
        return Kit(listener, HashEmbedder(), self.frame, Budget(self.budget_tokens, count_words), self.params)

    def memory(self) -> Memory:
        return self.strategy.build(self.kit()).memory


@dataclass
class _Listener:
    """A scripted model that keeps the prompts."""

    reply: Callable[[Sequence[Message], str], str]
    heard: list[tuple[str, tuple[Message, ...]]] = field(default_factory=list)

    name = "scripted"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.heard.append((role, tuple(messages)))
        return ScriptedModel(self.reply).chat(messages, role=role, max_tokens=max_tokens, stop=stop)


@dataclass(frozen=True)
class _Turn:
    """One decision: what was asked, the prompts it took, what came out."""

    stimulus: Stimulus
    decision: Decision
    calls: tuple[tuple[str, tuple[Message, ...]], ...]


@dataclass
class _Record:
    """A trial of the scripted episode or conversation."""

    turns: list[_Turn] = field(default_factory=list)
    error: StrategyError | None = None
    peeks_differ: bool = False

    @property
    def crash(self) -> str:
        """What the strategy raised by accident; empty for a StrategyError that it raised on purpose."""
        cause = self.error.__cause__ if self.error else None
        return "" if cause is None or isinstance(cause, BenchError) else str(self.error)


class _Watched:
    """An agent whose decisions are recorded."""

    def __init__(self, agent: Agent, model: _Listener, case: _Case, record: _Record):
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
        before = len(self._model.heard)
        decision = self._agent.decide(stimulus)
        self._record.turns.append(_Turn(stimulus, decision, tuple(self._model.heard[before:])))
        return decision


class _Room:
    """The scripted episode: says its lines whatever is done."""

    def __init__(self) -> None:
        self._lines = iter(_SEEN)

    def reset(self) -> Opening:
        return Opening(_GOAL, _FRAME, "You stand at the desk 1.")

    def step(self, action: str) -> Observation:
        return Observation(next(self._lines), executed=action)

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class _Talk:
    """The scripted conversation."""

    asked: Sequence[str] = _ASKED
    frame: Frame = _FRAME

    def events(self) -> Iterator[Event]:
        for i, text in enumerate(_SAID):
            yield Event(f"t{i}", EventKind.TURN, text, i // 2, ("Ann", "Bob")[i % 2], "8 May, 2023")
            if i % 2:
                yield Event(f"m{i}", EventKind.MARK, "", i // 2)

    def questions(self) -> Sequence[Question]:
        return [Question(text, text, "all", "9 May, 2023") for text in self.asked]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return (Score("length", float(len(answer)), question.id),)


def _sane(messages: Sequence[Message], role: str) -> str:
    """Reply in the frame's grammar with a word that tells prompts apart, so that any leak changes what is done."""
    word = hashlib.blake2b(repr(messages).encode(), digest_size=4).hexdigest()
    return f"Action: go to {word}" if role in ("act", "answer") else f"Nothing of note ({word})."


def _run(case: _Case, shape: Shape, asked: Sequence[str] = _ASKED) -> _Record:
    model, record, steps = _Listener(case.reply), _Record(), list[Step]()
    try:
        agent = _Watched(case.strategy.build(case.kit(model)), model, case, record)
        if shape is Shape.EPISODE:
            room = _Room()
            play(agent, room, room.reset(), Limits(step_cap=len(_SEEN)), steps)
        else:
            converse(agent, _Talk(asked), Limits(), steps)
    except StrategyError as error:
        record.error = error
    return record


def _stream(shape: Shape) -> list[Event]:
    """Return the events that the drivers would show, with every kind of event among them."""
    if shape is Shape.CONVERSATION:
        events = list(_Talk().events())
    else:
        events = [Event("goal", EventKind.GOAL, _GOAL), Event("o0", EventKind.OBSERVATION, "You stand at the desk 1.")]
        for i, seen in enumerate(_SEEN, start=1):
            events += [Event(f"a{i}", EventKind.ACTION, f"go {i}", i), Event(f"o{i}", EventKind.OBSERVATION, seen, i)]
    step = events[-1].step
    odd = [Event(f"x-{kind}", kind, text, step) for kind, text in zip(EventKind, ["Odd.", ""] * 4, strict=False)]
    return [*events, *odd]


def _query(event: Event, shape: Shape, budget_tokens: int | None = None) -> Query:
    if shape is Shape.CONVERSATION:
        return Query(_ASKED[0], f"{_ASKED[0]} (asked on 9 May, 2023)", 1, shape, budget_tokens)
    return Query(event.text, _GOAL, event.step + 1, shape, budget_tokens, event.ref)


def _name(case: _Case) -> str:
    if re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*-v[0-9]+", case.strategy.name):
        return ""
    return f"expected a name such as window-v1, got {case.strategy.name!r}"


def _source(case: _Case) -> str:
    return "" if case.strategy.source.strip() else "expected Strategy.source to name a paper or an origin, got nothing"


def _parameters(case: _Case) -> str:
    for param in case.strategy.params:
        if not param.doc.strip():
            return f"expected a doc for parameter {param.name!r}, got none"
        if not re.fullmatch(r"[a-z][a-z0-9_]*", param.name):
            return f"expected a lower-case parameter name, got {param.name!r}"
        given = Params([param], {param.name: _written(param)}, who=case.strategy.name)
        if given.label:
            return f"expected the default of {param.name!r} to be one of its own values, got {param.default!r}"
    return ""


def _written(param: Param) -> str:
    return ("off", "on")[param.default] if isinstance(param.default, bool) else str(param.default)


def _every_event(case: _Case) -> str:
    for shape in case.shapes:
        memory = case.memory()
        memory.recall(_query(Event("", EventKind.GOAL, ""), shape))
        for event in _stream(shape):
            memory.observe(event)
            memory.recall(_query(event, shape))
    return ""


def _read_only(case: _Case) -> str:
    for shape in case.shapes:
        alone, peeked = _run(case, shape), _run(replace(case, peek=True), shape)
        if peeked.peeks_differ:
            return f"{shape}: expected equal contexts for two equal queries in a row, got different ones"
        if alone.turns != peeked.turns or peeked.error:
            return f"{shape}: expected recall to change nothing, got other decisions after extra recalls {_why(peeked)}"
    return ""


def _repeats(case: _Case) -> str:
    for shape in case.shapes:
        first, second = _run(case, shape), _run(case, shape)
        if first.error:
            return f"{shape}: expected a whole trial, got {first.error}"
        if first.turns != second.turns or second.error:
            return f"{shape}: expected the same trial twice, got another the second time {_why(second)}"
    return ""


def _shares_nothing(case: _Case) -> str:
    for shape in case.shapes:
        alone, first, second = case.memory(), case.memory(), case.memory()
        if first is second:
            return "expected a new memory from each build, got the same object twice"
        for event in _stream(shape):
            alone.observe(event)
            told = alone.recall(_query(event, shape))
            first.observe(event)
            second.observe(replace(event, ref=f"other-{event.ref}", text="elsewhere"))
            if first.recall(_query(event, shape)) != told:
                return f"{shape}: expected builds to share nothing, got a context that another build's events changed"
    return ""


def _budget(case: _Case) -> str:
    for shape in case.shapes:
        for tokens in _BUDGETS_TOKENS:
            record = _run(replace(case, budget_tokens=tokens), shape)
            if record.crash:
                return f"{shape}, budget {tokens}: expected a context or a StrategyError, got {record.crash}"
            for turn in record.turns:
                if (used := count_words(turn.decision.context.text)) > tokens:
                    return f"{shape}: expected at most {tokens} context tokens or a StrategyError, got {used}"
                if (extra := _smuggled(case, turn)) > tokens:
                    return f"{shape}: expected frame, goal, context and stimulus in the prompt, got {extra} tokens more"
    return ""


def _smuggled(case: _Case, turn: _Turn) -> int:
    """Return the most tokens that an acting prompt holds besides what is fixed in every row."""
    fixed = compose(case.frame, turn.stimulus, "", dialect=case.strategy.dialect)
    allowed = _words(fixed) + count_words(CONTEXT_HEADING)
    prompts = (messages for role, messages in turn.calls if role in ("act", "answer"))
    return max((_words(messages) - allowed for messages in prompts), default=0)


def _words(messages: Sequence[Message]) -> int:
    return sum(count_words(message.content) for message in messages)


def _refs(case: _Case) -> str:
    for shape in case.shapes:
        memory, seen = case.memory(), set[str]()
        for event in _stream(shape):
            memory.observe(event)
            seen.add(event.ref)
            refs = memory.recall(_query(event, shape)).refs
            if unknown := sorted(set(refs) - seen):
                return f"{shape}: expected refs of observed events, got {unknown[0]!r}"
            if len(set(refs)) < len(refs):
                return f"{shape}: expected each ref once, got {refs}"
    return ""


def _one_action(case: _Case) -> str:
    for shape in case.shapes:
        record = _run(case, shape)
        expected = len(_SEEN) if shape is Shape.EPISODE else len(_ASKED)
        if len(record.turns) != expected:
            return f"{shape}: expected {expected} decisions, got {len(record.turns)} {_why(record)}"
        if fault := _faults(case, record):
            return f"{shape}: {fault}"
        if not all(turn.decision.text for turn in record.turns):
            return f"{shape}: expected the action of a well-formed reply, got an empty one"
    return ""


def _hostile(case: _Case) -> str:
    for reply in _hostile_replies(case.strategy.dialect, case.frame.label):
        hostile = replace(case, reply=lambda _messages, _role, reply=reply: reply)
        for shape in case.shapes:
            record = _run(hostile, shape)
            if fault := record.crash or _faults(hostile, record):
                return f"{shape}, model says {reply[:40]!r}: {fault}"
    return ""


def _hostile_replies(dialect: str, label: str) -> list[str]:
    """Return replies that a model may well give and nobody asked for, with the dialect's own words misused."""
    replies = ["", " \n\t\n", label, f"{label}\n{label} go", f"{label} a\nObservation: b\n{label} c", "word " * 3000]
    replies += [
        "I cannot help with that.",
        '{"action": "go"}',
        "```\ngo\n```",
        "\x00\u2028go",
        "go\r\nstay",
        "皿を取る",
    ]
    for word in sorted(set(re.findall(r"\b[A-Z]\w*:", dialect)) - {label}):
        replies += [word, f"{word} x", f"{word} x\n{word} y", f"{word} x\n{label} go", f"{label} go\n{word} x"]
    for call in sorted(set(re.findall(r"\b\w+(?=\()", dialect))):
        replies += [f"{label} {call}()", f"{label} {call}(1)", f"{label} {call}(1, 2,99)", f"{label} {call}(x"]
    return replies


def _faults(case: _Case, record: _Record) -> str:
    """Return why a decision is not one clean action that came about within the cap; empty if all are."""
    words = [*re.findall(r"\b[A-Z]\w*:", case.strategy.dialect), case.frame.label]
    calls = [f"{call}(" for call in re.findall(r"\b\w+(?=\()", case.strategy.dialect)]
    for turn in record.turns:
        text = turn.decision.text
        if len(text.splitlines()) > 1:
            return f"expected an action of one line, got {text[:60]!r}"
        if leak := next((word for word in (*words, *calls) if text.lower().startswith(word.lower())), ""):
            return f"expected an action without the grammar around it, got {leak!r} in {text[:60]!r}"
        if len(turn.calls) > case.strategy.inner_calls:
            return f"expected at most {case.strategy.inner_calls} model calls a decision, got {len(turn.calls)}"
    return ""


def _question_order(case: _Case) -> str:
    if Shape.CONVERSATION not in case.strategy.serves:
        return ""
    forth, back = _run(case, Shape.CONVERSATION), _run(case, Shape.CONVERSATION, _ASKED[::-1])
    if [turn.decision for turn in forth.turns] != [turn.decision for turn in back.turns[::-1]]:
        return "expected the same answers in any order of questions, got others in reverse order"
    return ""


def _blind(case: _Case) -> str:
    renamed = replace(case, frame=replace(case.frame, id="another-suite-v9"))
    for shape in case.shapes:
        if _run(case, shape).turns != _run(renamed, shape).turns:
            return f"{shape}: expected the frame's id to change nothing, got other prompts or decisions"
    return ""


def _why(record: _Record) -> str:
    return f"({record.error})" if record.error else ""


@dataclass(frozen=True)
class Check:
    """One rule: its name, and a function that says how a strategy breaks it (empty if it does not)."""

    name: str
    run: Callable[[_Case], str]


CHECKS = (
    Check("name-carries-version", _name),
    Check("source-is-named", _source),
    Check("parameters-are-documented", _parameters),
    Check("accepts-every-event", _every_event),
    Check("repeats-itself", _repeats),
    Check("recall-is-read-only", _read_only),
    Check("builds-share-nothing", _shares_nothing),
    Check("budget-is-kept", _budget),
    Check("refs-were-observed", _refs),
    Check("one-decision-one-action", _one_action),
    Check("survives-hostile-replies", _hostile),
    Check("question-order-does-not-matter", _question_order),
    Check("blind-to-the-suite", _blind),
)
"""Every rule, in the order in which they are reported."""


def check_strategy(strategy: Strategy, given: Mapping[str, str] | None = None) -> tuple[CheckResult, ...]:
    """Return one result for each of ``CHECKS``; ``given`` are parameters as a user writes them.

    Raises: UsageError for an unknown or unfit parameter. Whatever the strategy raises is a failed check.
    """
    case = _Case(strategy, Params(strategy.params, given, who=f"strategy {strategy.name}"), _sane)
    return tuple(_result(check, case) for check in CHECKS)


def _result(check: Check, case: _Case) -> CheckResult:
    try:
        detail = check.run(case)
    except Exception as error:  # anything a strategy does is its own fault here
        detail = f"expected no exception, got {type(error).__name__}: {error}"
    return CheckResult(check.name, not detail, detail)
