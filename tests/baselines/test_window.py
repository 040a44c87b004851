from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.window import STRATEGY
from bench.errors import UsageError
from bench.protocols import count_words
from bench.types import Event, EventKind

PAIRS = [(f"act {i}", f"saw {i}") for i in range(1, 10)]


@pytest.mark.parametrize(("k", "refs"), [(1, ("a9",)), (2, ("a8", "o8", "a9")), (3, ("a7", "o7", "a8", "o8", "a9"))])
def test_recall_shows_the_last_k_steps(history: Any, k: int, refs: tuple[str, ...]) -> None:
    events = history.episode(*PAIRS)
    context = history.memory(STRATEGY, events, {"k": str(k)}).recall(history.now(events))
    assert context.refs == refs
    assert not context.truncated, "what the window leaves out by itself is not a lack of budget"


def test_recall_shows_five_steps_with_notes_by_default(history: Any) -> None:
    events = [*history.episode(*PAIRS[:-1]), Event("n9", EventKind.NOTE, "nearly there", 9)]
    query = history.now(history.episode(*PAIRS[:-1]))
    assert history.memory(STRATEGY, events).recall(query).refs == ("a5", "o5", "a6", "o6", "a7", "o7", "a8", "n9")


def test_recall_shows_the_last_k_turns_across_sessions(history: Any) -> None:
    conversation = history.conversation(*"abcdefg")
    context = history.memory(STRATEGY, conversation, {"k": "3"}).recall(history.question("?"))
    assert context.text == "[3 May] Ann: e\n[3 May] Bob: f\n[4 May] Ann: g"


def test_recall_under_a_budget_drops_whole_steps_oldest_first(history: Any) -> None:
    events = history.episode(*PAIRS)  # a step is 4 + 4 words; the newest has its action only
    memory = history.memory(STRATEGY, events)
    for budget, refs in [(20, ("a7", "o7", "a8", "o8", "a9")), (19, ("a8", "o8", "a9")), (4, ("a9",)), (3, ())]:
        context = memory.recall(history.now(events, budget))
        assert (context.refs, context.truncated) == (refs, True)


def test_tokens_parameter_replaces_k(history: Any) -> None:
    events = history.episode(*PAIRS)
    context = history.memory(STRATEGY, events, {"tokens": "12", "k": "1"}).recall(history.now(events))
    assert context.refs == ("a8", "o8", "a9")


def test_recall_before_any_event_is_empty(history: Any) -> None:
    events = history.episode()
    context = history.memory(STRATEGY, events).recall(history.now(events, 0))
    assert (context.text, context.refs, context.truncated) == ("", (), False)


def test_empty_current_step_is_not_truncation(history: Any) -> None:
    events = [Event("goal", EventKind.GOAL, history.goal), Event("o0", EventKind.OBSERVATION, "a room")]
    assert not history.memory(STRATEGY, events).recall(history.now(events, 0)).truncated


@pytest.mark.parametrize("given_k", ["0", "-1", "many"])
def test_window_of_zero_steps_is_a_usage_error(history: Any, given_k: str) -> None:
    with pytest.raises(UsageError, match="window-v1: expected k"):
        history.kit(STRATEGY, {"k": given_k})


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 60))
def test_recall_is_the_longest_suffix_that_fits(history: Any, steps: int, k: int, budget: int) -> None:
    events = history.episode(*[("act", "saw it")] * steps)
    context = history.memory(STRATEGY, events, {"k": str(k)}).recall(history.now(events, budget))
    refs = tuple(event.ref for event in events[1:-1])
    assert context.refs == refs[len(refs) - len(context.refs) :]
    assert len({ref[1:] for ref in context.refs}) <= k
    assert count_words(context.text) <= budget
