"""The conformance suite: does a strategy keep the rules that make its row comparable with the others?

``bench check STRATEGY`` prints what these functions return, and the tests run them over every registered strategy. Each
rule plays trials of ``scripted_trial`` with a scripted model and the hash embedder. Knows no strategy by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bench.agents import CONTEXT_HEADING, compose
from bench.conformance.scripted_trial import ASKED, SEEN, Case, Record, Turn, perform, query_at, sane_reply, stream
from bench.protocols import Params, Strategy, count_words
from bench.types import Event, EventKind, Message, Role, Shape

__all__ = ["CHECKS", "Check", "CheckResult", "check_strategy"]

_BUDGETS_TOKENS = (0, 1, 50, 500)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One rule and whether it was kept; ``detail`` says what happened instead, empty if it was."""

    name: str
    passed: bool
    detail: str


def _name(case: Case) -> str:
    if re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*-v[0-9]+", case.strategy.name):
        return ""
    return f"expected a name such as window-v1, got {case.strategy.name!r}"


def _source(case: Case) -> str:
    return "" if case.strategy.source.strip() else "expected Strategy.source to name a paper or an origin, got nothing"


def _parameters(case: Case) -> str:
    for param in case.strategy.params:
        if not param.doc.strip():
            return f"expected a doc for parameter {param.name!r}, got none"
        if not re.fullmatch(r"[a-z][a-z0-9_]*", param.name):
            return f"expected a lower-case parameter name, got {param.name!r}"
        Params(
            [param], {param.name: param.written_default}, who="its own default"
        )  # raises if a user could not write it
    return ""


def _every_event(case: Case) -> str:
    for shape in case.shapes:
        memory = case.memory()
        memory.recall(query_at(Event("", EventKind.GOAL, ""), shape))
        for event in stream(shape):
            memory.observe(event)
            memory.recall(query_at(event, shape))
    return ""


def _read_only(case: Case) -> str:
    for shape in case.shapes:
        alone, peeked = perform(case, shape), perform(replace(case, peek=True), shape)
        if peeked.peeks_differ:
            return f"{shape}: expected equal contexts for two equal queries in a row, got different ones"
        if list(map(_decided, alone.turns)) != list(map(_decided, peeked.turns)) or peeked.error:
            return f"{shape}: expected recall to change nothing, got other decisions after extra recalls {_why(peeked)}"
    return ""


def _decided(turn: Turn) -> Turn:
    """A turn with its last prompt alone: what a memory asks while it recalls, it may have asked before."""
    return replace(turn, calls=turn.calls[-1:])


def _repeats(case: Case) -> str:
    for shape in case.shapes:
        first, second = perform(case, shape), perform(case, shape)
        if first.error:
            return f"{shape}: expected a whole trial, got {first.error}"
        if first.turns != second.turns or second.error:
            return f"{shape}: expected the same trial twice, got another the second time {_why(second)}"
    return ""


def _shares_nothing(case: Case) -> str:
    for shape in case.shapes:
        alone, first, second = case.memory(), case.memory(), case.memory()
        if first is second:
            return "expected a new memory from each build, got the same object twice"
        for event in stream(shape):
            alone.observe(event)
            told = alone.recall(query_at(event, shape))
            first.observe(event)
            second.observe(replace(event, ref=f"other-{event.ref}", text="elsewhere"))
            if first.recall(query_at(event, shape)) != told:
                return f"{shape}: expected builds to share nothing, got a context that another build's events changed"
    return ""


def _budget(case: Case) -> str:
    for shape in case.shapes:
        for tokens in _BUDGETS_TOKENS:
            record = perform(replace(case, budget_tokens=tokens), shape)
            if record.crash:
                return f"{shape}, budget {tokens}: expected a context or a StrategyError, got {record.crash}"
            for turn in record.turns:
                if (used := count_words(turn.decision.context.text)) > tokens:
                    return f"{shape}: expected at most {tokens} context tokens or a StrategyError, got {used}"
                if (extra := _smuggled(case, turn)) > tokens:
                    return f"{shape}: expected frame, goal, context and stimulus in the prompt, got {extra} tokens more"
    return ""


def _smuggled(case: Case, turn: Turn) -> int:
    """Return the most tokens that an acting prompt holds besides what is fixed in every row."""
    fixed = compose(case.frame, turn.stimulus, "", dialect=case.strategy.dialect)
    allowed = _words(fixed) + count_words(CONTEXT_HEADING)
    prompts = (messages for role, messages in turn.calls if role in (Role.ACT, Role.ANSWER))
    return max((_words(messages) - allowed for messages in prompts), default=0)


def _words(messages: Sequence[Message]) -> int:
    return sum(count_words(message.content) for message in messages)


def _refs(case: Case) -> str:
    for shape in case.shapes:
        memory, seen = case.memory(), set[str]()
        for event in stream(shape):
            memory.observe(event)
            seen.add(event.ref)
            told = memory.recall(query_at(event, shape))
            for what, refs in (("ref", told.refs), ("ref of a ranking", told.ranking)):
                if unknown := sorted(set(refs) - seen):
                    return f"{shape}: expected refs of observed events, got {unknown[0]!r}"
                if len(set(refs)) < len(refs):
                    return f"{shape}: expected each {what} once, got {refs}"
    return ""


def _one_action(case: Case) -> str:
    for shape in case.shapes:
        record = perform(case, shape)
        expected = len(SEEN) if shape is Shape.EPISODE else len(ASKED)
        if len(record.turns) != expected:
            return f"{shape}: expected {expected} decisions, got {len(record.turns)} {_why(record)}"
        if fault := _faults(case, record):
            return f"{shape}: {fault}"
        if not all(turn.decision.text for turn in record.turns):
            return f"{shape}: expected the action of a well-formed reply, got an empty one"
    return ""


def _hostile(case: Case) -> str:
    for reply in _hostile_replies(case.strategy.dialect, case.frame.label):
        hostile = replace(case, reply=partial(_say, reply))
        for shape in case.shapes:
            record = perform(hostile, shape)
            if fault := record.crash or _faults(hostile, record):
                return f"{shape}, model says {reply[:40]!r}: {fault}"
    return ""


def _say(reply: str, _messages: Sequence[Message], _role: str) -> str:
    return reply


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


def _faults(case: Case, record: Record) -> str:
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


def _question_order(case: Case) -> str:
    if Shape.CONVERSATION not in case.strategy.serves:
        return ""
    forth, back = perform(case, Shape.CONVERSATION), perform(case, Shape.CONVERSATION, ASKED[::-1])
    if [turn.decision for turn in forth.turns] != [turn.decision for turn in back.turns[::-1]]:
        return "expected the same answers in any order of questions, got others in reverse order"
    return ""


def _blind(case: Case) -> str:
    renamed = replace(case, frame=replace(case.frame, id="another-suite-v9"))
    for shape in case.shapes:
        if perform(case, shape).turns != perform(renamed, shape).turns:
            return f"{shape}: expected the frame's id to change nothing, got other prompts or decisions"
    return ""


def _why(record: Record) -> str:
    return f"({record.error})" if record.error else ""


@dataclass(frozen=True)
class Check:
    """One rule: its name, and a function that says how a strategy breaks it (empty if it does not)."""

    name: str
    run: Callable[[Case], str]


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
    case = Case(strategy, Params(strategy.params, given, who=f"strategy {strategy.name}"), sane_reply)
    return tuple(_result(check, case) for check in CHECKS)


def _result(check: Check, case: Case) -> CheckResult:
    try:
        detail = check.run(case)
    except Exception as error:  # anything a strategy does is its own fault here
        detail = f"expected no exception, got {type(error).__name__}: {error}"
    return CheckResult(check.name, not detail, detail)
