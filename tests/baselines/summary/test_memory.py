"""The rolling summary: what is folded and when, what stays as it was, what becomes of a bad summary."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.summary.strategy import STRATEGY
from bench.protocols import count_words
from tests.baselines.summarizer import Summarizer, build_memory, make_steps

memory = partial(build_memory, STRATEGY)


def test_recall_is_the_full_history_below_the_trigger(history: Any) -> None:
    model, events = Summarizer(), make_steps(history, 4)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.text.startswith("[1] Action: go 1\n[1] Observation: Door 1 is open.")
    assert (context.truncated, model.prompts) == (False, [])


def test_older_steps_are_summarised_at_the_trigger(history: Any) -> None:
    model, events = Summarizer(), make_steps(history, 5)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.text == (
        "Summary so far:\nA is on B.\n"
        "[3] Action: go 3\n[3] Observation: Door 3 is open.\n"
        "[4] Action: go 4\n[4] Observation: Door 4 is open.\n"
        "[5] Action: go 5"
    )
    assert context.refs == ("a1", "o1", "a2", "o2", "a3", "o3", "a4", "o4", "a5")
    (prompt,) = model.prompts
    assert "at most 20 tokens" in prompt
    assert "# Next part\n[1] Action: go 1" in prompt
    assert "Door 3" not in prompt
    assert history.goal not in prompt


def test_next_summary_includes_the_one_before(history: Any) -> None:
    model, events = Summarizer(), make_steps(history, 12)
    context = history.feed(memory(model, recent="1"), events).recall(history.now(events, 40))
    assert len(model.prompts) > 1
    assert "# Summary so far\nA is on B.\n\n# Next part\n[5] Action: go 5" in model.prompts[1]
    assert context.text.count("A is on B.") == 1


def test_run_without_a_budget_uses_the_tokens_parameter(history: Any) -> None:
    model, events = Summarizer(), make_steps(history, 12)
    assert history.feed(memory(model, None), events).recall(history.now(events)).text.count("Action") == 12
    history.feed(memory(model, None, tokens="40"), events)
    assert len(model.prompts) > 1


def test_empty_summary_keeps_the_history_and_waits_before_the_next_try(history: Any) -> None:
    model, events = Summarizer("  \n"), make_steps(history, 30)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.text.endswith("[30] Action: go 30")
    assert count_words(context.text) <= 40
    assert 1 < len(model.prompts) <= 9


def test_summary_no_shorter_than_the_older_steps_is_refused(history: Any) -> None:
    model, events = Summarizer("word " * 9), make_steps(history, 2)
    context = history.feed(memory(model, 100, trigger="0.1", recent="1"), events).recall(history.now(events, 100))
    assert context.text.startswith("[1] Action: go 1\n")
    assert len(model.prompts) == 1


def test_too_long_summary_is_cut_at_a_word(history: Any) -> None:
    events = make_steps(history, 9)
    context = history.feed(memory(Summarizer("word " * 500), 80, share="0.25"), events).recall(history.now(events, 80))
    assert context.text.startswith("Summary so far:\n" + " ".join(["word"] * 25) + "\n[")


def test_conversation_is_summarised_as_it_grows(history: Any) -> None:
    model = Summarizer("Ann moved.")
    events = history.conversation(*("I moved to Oslo in May." for _ in range(12)))
    context = history.feed(memory(model, recent="2"), events).recall(history.question("Where?", 40))
    assert context.text.startswith("Summary so far:\nAnn moved.\n[")
    assert len(context.refs) == 12


@given(st.integers(0, 60), st.integers(0, 25), st.sampled_from(["", "A is on B.", "word " * 90]), st.integers(1, 9))
@settings(max_examples=60)
def test_recall_is_repeatable_and_within_the_budget(history: Any, budget: int, n: int, text: str, recent: int) -> None:
    events = make_steps(history, n)
    filled = history.feed(memory(Summarizer(text), budget, recent=str(recent)), events)
    now = history.now(events, budget)
    assert count_words(filled.recall(now).text) <= budget
    assert filled.recall(now) == filled.recall(now)
