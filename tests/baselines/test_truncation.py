from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.truncation import STRATEGY, Truncation
from bench.agents import render
from bench.errors import UsageError
from bench.protocols import count_words

TEXTS = st.lists(st.tuples(st.text("ab \n", max_size=12), st.text("cde ", max_size=30)), max_size=8)
COUNTERS = st.sampled_from([count_words, len, lambda text: (len(text) + 3) // 4])


def test_keeps_whole_events_from_either_end(history: Any) -> None:
    events = history.episode(("one", "two two"), ("three", "four four"))  # lines of 3, 4, 3 words; the last is current
    tail = history.memory(STRATEGY, events).recall(history.now(events, 7))
    assert (tail.refs, tail.truncated) == (("o1", "a2"), True)
    head = history.memory(STRATEGY, events, {"keep": "head"}).recall(history.now(events, 7))
    assert (head.refs, head.truncated) == (("a1", "o1"), True)
    assert head.text == "[1] Action: one\n[1] Observation: two two"


def test_everything_fits(history: Any) -> None:
    events = history.episode(("one", "two two"), ("three", "four four"))
    context = history.memory(STRATEGY, events).recall(history.now(events, 10))
    assert (context.refs, context.truncated) == (("a1", "o1", "a2"), False)


@pytest.mark.parametrize(
    ("tokens", "budget", "refs"),
    [("4", None, ("t2",)), ("4", 100, ("t2",)), ("100", 4, ("t2",)), ("0", None, ("t0", "t1", "t2")), ("0", 3, ())],
)
def test_the_smaller_limit_counts(history: Any, tokens: str, budget: int | None, refs: tuple[str, ...]) -> None:
    talk = history.talk("a", "b", "c")  # lines of 4 words
    context = history.memory(STRATEGY, talk, {"tokens": tokens}).recall(history.question("?", budget))
    assert context.refs == refs
    assert context.truncated == (len(refs) < 3)


def test_has_a_limit_of_its_own_without_a_budget(history: Any) -> None:
    talk = history.talk(*["word " * 10] * 60)
    context = history.memory(STRATEGY, talk).recall(history.question("?"))
    assert 0 < count_words(context.text) <= 400
    assert context.refs[-1] == "t59"


def test_unknown_end_is_refused(history: Any) -> None:
    with pytest.raises(UsageError, match=r"keep=head\|tail, got .middle."):
        history.kit(STRATEGY, {"keep": "middle"})


@given(TEXTS, st.integers(0, 60), st.sampled_from(["head", "tail"]), COUNTERS)
def test_fits_to_the_token_and_drops_no_event_needlessly(
    history: Any, pairs: list[tuple[str, str]], budget: int, keep: str, count: Callable[[str], int]
) -> None:
    events = history.episode(*pairs)
    memory = history.fed(Truncation(history.kit(STRATEGY, {"keep": keep, "tokens": "0"}, count=count)), events)
    context = memory.recall(history.now(events, budget))
    assert count(context.text) <= budget
    rest = [event for event in events[1:-1] if event.ref not in context.refs]
    assert context.truncated == bool(rest)
    if rest:
        shown = [event for event in events if event.ref in context.refs]
        wider = [*shown, rest[0]] if keep == "head" else [rest[-1], *shown]
        assert count(render(wider)) > budget
