"""The conformance suite: does a strategy obey the rules that make its results comparable with those of others?

``bench check STRATEGY`` prints what these functions return, and the tests run them over every registered strategy. Each
rule plays trials of ``scripted_trial`` with a scripted model and the hash embedder. Knows no strategy by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bench.agents import CONTEXT_HEADING, compose
from bench.conformance.learning import check_learning, check_reflection
from bench.conformance.parameters import check_parameters
from bench.conformance.reply_grammar import find_fault, list_hostile_replies
from bench.conformance.scripted_trial import (
    OBSERVATIONS,
    QUESTIONS,
    Case,
    Record,
    Turn,
    build_query,
    list_events,
    perform,
    reply_in_grammar,
)
from bench.protocols import HasReach, Params, Strategy, count_words
from bench.types import Event, EventKind, Message, Role, Shape

__all__ = ["CHECKS", "Check", "CheckResult", "check_strategy", "run_check"]

_BUDGETS_TOKENS = (0, 1, 50, 500)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One rule and whether the strategy obeys it; ``detail`` says what happened instead, empty if it does."""

    name: str
    passed: bool
    detail: str


def _check_name(case: Case) -> str:
    if re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*-v[0-9]+", case.strategy.name):
        return ""
    return f"expected a name such as window-v1, got {case.strategy.name!r}"


def _check_source(case: Case) -> str:
    return "" if case.strategy.source.strip() else "expected Strategy.source to name a paper or an origin, got nothing"


def _check_every_event(case: Case) -> str:
    for shape in case.shapes:
        memory = case.memory()
        memory.recall(build_query(Event("", EventKind.GOAL, ""), shape))
        for event in list_events(shape):
            memory.observe(event)
            memory.recall(build_query(event, shape))
    return ""


def _check_read_only(case: Case) -> str:
    for shape in case.shapes:
        alone, peeked = perform(case, shape), perform(replace(case, peek=True), shape)
        if peeked.peeks_differ:
            return f"{shape}: expected equal contexts for two equal queries in a row, got different ones"
        if list(map(_drop_inner_calls, alone.turns)) != list(map(_drop_inner_calls, peeked.turns)) or peeked.error:
            reason = _explain(peeked)
            return f"{shape}: expected recall to change nothing, got other decisions after extra recalls {reason}"
    return ""


def _drop_inner_calls(turn: Turn) -> Turn:
    """Return a turn with its last call alone: the memory's own calls may have been made at an earlier recall."""
    return replace(turn, calls=turn.calls[-1:])


def _check_repeats(case: Case) -> str:
    for shape in case.shapes:
        first, second = perform(case, shape), perform(case, shape)
        if first.error:
            return f"{shape}: expected a complete trial, got {first.error}"
        if first.turns != second.turns or second.error:
            return f"{shape}: expected the same trial twice, got another the second time {_explain(second)}"
    return ""


def _check_shares_nothing(case: Case) -> str:
    for shape in case.shapes:
        alone, first, second = case.memory(), case.memory(), case.memory()
        if first is second:
            return "expected a new memory from each build, got the same object twice"
        for event in list_events(shape):
            alone.observe(event)
            context = alone.recall(build_query(event, shape))
            first.observe(event)
            second.observe(replace(event, ref=f"other-{event.ref}", text="elsewhere"))
            if first.recall(build_query(event, shape)) != context:
                return f"{shape}: expected builds to share nothing, got a context that another build's events changed"
    return ""


def _check_budget(case: Case) -> str:
    keeps, failed = case.strategy.keeps_budget, False
    for shape in case.shapes:
        for tokens in _BUDGETS_TOKENS:
            record = perform(replace(case, budget_tokens=tokens), shape)
            failed |= record.error is not None
            if record.crash or (record.error and keeps):
                what = "contexts that fit" if keeps else "a context or a StrategyError"
                return f"{shape}, budget {tokens}: expected {what}, got {record.error}"
            for turn in record.turns:
                if (used := count_words(turn.decision.context.text)) > tokens:
                    return f"{shape}: expected at most {tokens} context tokens or a StrategyError, got {used}"
                if (extra := _count_extra_tokens(case, turn)) > tokens:
                    return f"{shape}: expected frame, goal, context and stimulus in the prompt, got {extra} tokens more"
    return "" if keeps or failed else "expected keeps_budget=True where every context fits, got False"


def _count_extra_tokens(case: Case, turn: Turn) -> int:
    """Return the most tokens that an acting prompt holds in addition to what is the same for every strategy."""
    fixed = compose(case.frame, turn.stimulus, "", dialect=case.strategy.dialect)
    allowed = _count_words(fixed) + count_words(CONTEXT_HEADING)
    prompts = (messages for role, messages in turn.calls if role in (Role.ACT, Role.ANSWER))
    return max((_count_words(messages) - allowed for messages in prompts), default=0)


def _count_words(messages: Sequence[Message]) -> int:
    return sum(count_words(message.content) for message in messages)


def _check_refs(case: Case) -> str:
    for shape in case.shapes:
        memory, seen = case.memory(), set[str]()
        for event in list_events(shape):
            memory.observe(event)
            seen.add(event.ref)
            context = memory.recall(build_query(event, shape))
            for what, refs in (("ref", context.refs), ("ref of a ranking", context.ranking)):
                if unknown := sorted(set(refs) - seen):
                    return f"{shape}: expected refs of observed events, got {unknown[0]!r}"
                if len(set(refs)) < len(refs):
                    return f"{shape}: expected each {what} once, got {refs}"
            if isinstance(memory, HasReach) and (unknown := sorted(memory.reach() - seen)):
                return f"{shape}: expected a reach of observed events, got {unknown[0]!r}"
    return ""


def _check_one_action(case: Case) -> str:
    for shape in case.shapes:
        record = perform(case, shape)
        expected = len(OBSERVATIONS) if shape is Shape.EPISODE else len(QUESTIONS)
        if len(record.turns) != expected:
            return f"{shape}: expected {expected} decisions, got {len(record.turns)} {_explain(record)}"
        if fault := find_fault(case, record):
            return f"{shape}: {fault}"
        if not all(turn.decision.text for turn in record.turns):
            return f"{shape}: expected the action of a well-formed reply, got an empty one"
    return ""


def _check_hostile(case: Case) -> str:
    for reply in list_hostile_replies(case.strategy.dialect, case.frame.label):
        hostile = replace(case, reply=partial(_reply_always, reply))
        for shape in case.shapes:
            record = perform(hostile, shape)
            if fault := record.crash or find_fault(hostile, record):
                return f"{shape}, model says {reply[:40]!r}: {fault}"
    return ""


def _reply_always(reply: str, _messages: Sequence[Message], _role: str) -> str:
    return reply


def _check_question_order(case: Case) -> str:
    if Shape.CONVERSATION not in case.strategy.serves:
        return ""
    forward = perform(case, Shape.CONVERSATION)
    backward = perform(case, Shape.CONVERSATION, QUESTIONS[::-1])
    if [turn.decision for turn in forward.turns] != [turn.decision for turn in backward.turns[::-1]]:
        return "expected the same answers in any order of questions, got others in reverse order"
    return ""


def _check_blind(case: Case) -> str:
    renamed = replace(case, frame=replace(case.frame, id="another-suite-v9"))
    for shape in case.shapes:
        if perform(case, shape).turns != perform(renamed, shape).turns:
            return f"{shape}: expected the frame's id to change nothing, got other prompts or decisions"
    return ""


def _explain(record: Record) -> str:
    return f"({record.error})" if record.error else ""


@dataclass(frozen=True)
class Check:
    """One rule: its name, and a function that says how a strategy breaks it (empty if it does not)."""

    name: str
    run: Callable[[Case], str]


CHECKS = (
    Check("name-carries-version", _check_name),
    Check("source-is-named", _check_source),
    Check("parameters-are-documented", check_parameters),
    Check("accepts-every-event", _check_every_event),
    Check("repeats-itself", _check_repeats),
    Check("recall-is-read-only", _check_read_only),
    Check("builds-share-nothing", _check_shares_nothing),
    Check("budget-is-kept", _check_budget),
    Check("refs-were-observed", _check_refs),
    Check("one-decision-one-action", _check_one_action),
    Check("survives-hostile-replies", _check_hostile),
    Check("question-order-does-not-matter", _check_question_order),
    Check("blind-to-the-suite", _check_blind),
    Check("learns-repeatably-and-uses-it", check_learning),
    Check("reflection-reaches-the-prompt", check_reflection),
)
"""Every rule, in the order in which they are reported."""


def check_strategy(strategy: Strategy, given: Mapping[str, str] | None = None) -> tuple[CheckResult, ...]:
    """Return one result for each of ``CHECKS``; ``given`` are parameters as a user writes them.

    Raises: UsageError for an unknown or unfit parameter. Whatever the strategy raises is a failed check.
    """
    case = Case(strategy, Params(strategy.params, given, who=f"strategy {strategy.name}"), reply_in_grammar)
    return tuple(run_check(check.name, partial(check.run, case)) for check in CHECKS)


def run_check(name: str, run: Callable[[], str]) -> CheckResult:
    """Return the result of one rule; ``run`` returns what is broken, empty = nothing."""
    try:
        detail = run()
    except Exception as error:  # anything that what is checked does is its own fault here
        detail = f"expected no exception, got {type(error).__name__}: {error}"
    return CheckResult(name, not detail, detail)
