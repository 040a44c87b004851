from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.locomo.suite import SUITE
from baselines.truncation import STRATEGY, Truncation
from bench.agents import render
from bench.errors import UsageError
from bench.protocols import Params, SuiteOptions, count_words
from bench.types import Event, EventKind

TEXTS = st.lists(st.tuples(st.text("ab \n", max_size=12), st.text("cde ", max_size=30)), max_size=8)
COUNTERS = st.sampled_from([count_words, len, lambda text: (len(text) + 3) // 4])


def test_recall_keeps_whole_events_from_either_end(history: Any) -> None:
    events = history.episode(("one", "two two"), ("three", "four four"))  # lines of 3, 4, 3 words; the last is current
    tail = history.memory(STRATEGY, events).recall(history.now(events, 7))
    assert (tail.refs, tail.truncated) == (("o1", "a2"), True)
    head = history.memory(STRATEGY, events, {"keep": "head"}).recall(history.now(events, 7))
    assert (head.refs, head.truncated) == (("a1", "o1"), True)
    assert head.text == "[1] Action: one\n[1] Observation: two two"


def test_recall_shows_everything_that_fits(history: Any) -> None:
    events = history.episode(("one", "two two"), ("three", "four four"))
    context = history.memory(STRATEGY, events).recall(history.now(events, 10))
    assert (context.refs, context.truncated) == (("a1", "o1", "a2"), False)


@pytest.mark.parametrize(
    ("tokens", "budget", "refs"),
    [("4", None, ("t2",)), ("4", 100, ("t2",)), ("100", 4, ("t2",)), ("0", None, ("t0", "t1", "t2")), ("0", 3, ())],
)
def test_recall_uses_the_smaller_limit(history: Any, tokens: str, budget: int | None, refs: tuple[str, ...]) -> None:
    conversation = history.conversation("a", "b", "c")  # lines of 4 words
    context = history.memory(STRATEGY, conversation, {"tokens": tokens}).recall(history.question("?", budget))
    assert context.refs == refs
    assert context.truncated == (len(refs) < 3)


def test_tokens_parameter_limits_without_a_budget(history: Any) -> None:
    conversation = history.conversation(*["word " * 10] * 60)
    context = history.memory(STRATEGY, conversation).recall(history.question("?"))
    assert 0 < count_words(context.text) <= 400
    assert context.refs[-1] == "t59"


@pytest.mark.parametrize(("keep", "refs"), [("tail", ("t7", "t8", "t9")), ("head", ("t0", "t1", "t2"))])
def test_recall_counts_a_conversation_once_for_all_questions(history: Any, keep: str, refs: tuple[str, ...]) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_words(text)

    memory = Truncation(history.kit(STRATEGY, {"keep": keep, "tokens": "13"}, count=count))
    history.feed(memory, history.conversation(*"abcdefghij", session_of=4))  # lines of 4 words
    first = memory.recall(history.question("one?"))
    assert (first.refs, first.truncated) == (refs, True)
    calls = len(counted)
    assert memory.recall(history.question("another?")) == first
    assert len(counted) == calls
    assert memory.recall(history.question("one?", 4)).refs == (refs[-1:] if keep == "tail" else refs[:1])
    memory.observe(Event("t10", EventKind.TURN, "k"))
    assert memory.recall(history.question("one?", 4)).refs == (("t10",) if keep == "tail" else refs[:1])


def test_turn_longer_than_the_limit_leaves_nothing(history: Any) -> None:
    conversation = history.conversation("short", "long " * 20)
    assert history.memory(STRATEGY, conversation, {"tokens": "9"}).recall(history.question("?")).refs == ()
    assert history.memory(STRATEGY, conversation, {"tokens": "9", "keep": "head"}).recall(
        history.question("?")
    ).refs == ("t0",)


@pytest.mark.data
@pytest.mark.parametrize("keep", ["head", "tail"])
def test_recall_keeps_whole_turns_of_a_long_conversation(history: Any, keep: str, data_root: Path) -> None:
    suite = SUITE.build(SuiteOptions("test", Params(SUITE.params), data_root))
    conversation = suite.open(suite.tasks()[0])
    turns = [event for event in conversation.events() if event.kind is EventKind.TURN]
    given = {"keep": keep, "tokens": "4000"}
    context = history.memory(STRATEGY, list(conversation.events()), given).recall(history.question("?"))
    n = len(context.refs)
    assert 50 < n < len(turns)
    assert context.text == render(turns[:n] if keep == "head" else turns[-n:])
    wider = turns[: n + 1] if keep == "head" else turns[-n - 1 :]
    assert count_words(context.text) <= 4000 < count_words(render(wider))


def test_unknown_end_is_a_usage_error(history: Any) -> None:
    with pytest.raises(UsageError, match=r"keep=head\|tail, got .middle."):
        history.kit(STRATEGY, {"keep": "middle"})


@given(TEXTS, st.integers(0, 60), st.sampled_from(["head", "tail"]), COUNTERS)
def test_recall_fits_and_drops_no_event_needlessly(
    history: Any, pairs: list[tuple[str, str]], budget: int, keep: str, count: Callable[[str], int]
) -> None:
    events = history.episode(*pairs)
    memory = history.feed(Truncation(history.kit(STRATEGY, {"keep": keep, "tokens": "0"}, count=count)), events)
    context = memory.recall(history.now(events, budget))
    assert count(context.text) <= budget
    rest = [event for event in events[1:-1] if event.ref not in context.refs]
    assert context.truncated == bool(rest)
    if rest:
        shown = [event for event in events if event.ref in context.refs]
        wider = [*shown, rest[0]] if keep == "head" else [rest[-1], *shown]
        assert count(render(wider)) > budget
