"""ReSum's memory: when it summarises, what it shows then, and what becomes of a bad summary."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.resum.strategy import STRATEGY
from bench.protocols import count_words
from bench.types import Event, EventKind
from tests.baselines.summarizer import Summarizer, build_memory, make_steps

memory = partial(build_memory, STRATEGY)


def test_recall_is_the_full_history_below_the_trigger(history: Any) -> None:
    model = Summarizer()
    events = make_steps(history, 4)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.text.startswith("[1] Action: go 1\n[1] Observation: Door 1 is open.")
    assert context.text.endswith("[4] Action: go 4")
    assert (context.truncated, model.prompts) == (False, [])


def test_history_becomes_a_summary_at_the_trigger(history: Any) -> None:
    model, events = Summarizer(), make_steps(history, 5)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.text == "Summary so far:\nA is on B.\n[5] Action: go 5"
    assert context.refs == ("a1", "o1", "a2", "o2", "a3", "o3", "a4", "o4", "a5")
    (prompt,) = model.prompts
    assert "at most 20 tokens" in prompt
    assert history.goal in prompt
    assert "[1] Action: go 1" in prompt
    assert "Door 5" not in prompt
    assert "[4] Observation" in prompt
    assert "[5] Action" not in prompt  # its outcome is not known yet


def test_next_summary_includes_the_one_before(history: Any) -> None:
    model, events = Summarizer(), make_steps(history, 12)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert len(model.prompts) == 3
    assert "# Summary so far\nA is on B.\n\n# Since then\n[5] Action: go 5\n[5] Observation" in model.prompts[1]
    assert context.text.count("A is on B.") == 1


def test_run_without_a_budget_uses_the_tokens_parameter(history: Any) -> None:
    model, events = Summarizer(), make_steps(history, 12)
    assert history.feed(memory(model, None), events).recall(history.now(events)).text.count("Action") == 12
    history.feed(memory(model, None, tokens="40"), events)
    assert len(model.prompts) == 3


def test_rounds_parameter_triggers_a_summary(history: Any) -> None:
    model, events = Summarizer("A."), make_steps(history, 7)
    history.feed(memory(model, 400, rounds="3"), events)
    assert len(model.prompts) == 2


def test_empty_summary_keeps_the_history_and_waits_before_the_next_try(history: Any) -> None:
    model, events = Summarizer("  \n"), make_steps(history, 20)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.truncated
    assert context.text.endswith("[20] Action: go 20")
    assert count_words(context.text) <= 40
    assert 1 < len(model.prompts) <= 8


def test_too_long_summary_without_a_sentence_is_cut_at_a_word(history: Any) -> None:
    events = make_steps(history, 5)
    context = history.feed(memory(Summarizer("word " * 500)), events).recall(history.now(events, 40))
    assert context.text == "Summary so far:\n" + " ".join(["word"] * 25) + "\n[5] Action: go 5"


def test_summary_no_shorter_than_the_history_is_refused(history: Any) -> None:
    model, events = Summarizer("word " * 15), make_steps(history, 2)
    context = history.feed(memory(model, 100, rounds="1"), events).recall(history.now(events, 100))
    assert "[1] Action: go 1" in context.text
    assert len(model.prompts) >= 1


def test_at_most_sixty_summaries_are_made(history: Any) -> None:
    model = Summarizer("A.")
    history.feed(memory(model, 40, rounds="1", trigger="0"), make_steps(history, 90))
    assert len(model.prompts) == 60


def test_conversation_is_summarised_as_it_grows(history: Any) -> None:
    model = Summarizer("Ann moved.")
    events = history.conversation(*("I moved to Oslo in May." for _ in range(12)))
    context = history.feed(memory(model), events).recall(history.question("Where?", 40))
    assert context.text.startswith("Summary so far:\nAnn moved.")
    assert "Questions about it will be asked later." in model.prompts[0]
    assert len(context.refs) == 12


@given(st.integers(0, 60), st.integers(0, 25), st.sampled_from(["", "A is on B.", "word " * 90]))
@settings(max_examples=60)
def test_recall_is_repeatable_and_within_the_budget(history: Any, budget: int, n: int, text: str) -> None:
    events = make_steps(history, n)
    filled = history.feed(memory(Summarizer(text), budget), events)
    now = history.now(events, budget)
    assert count_words(filled.recall(now).text) <= budget
    assert filled.recall(now) == filled.recall(now)


def test_observe_ignores_goal_and_session_end(history: Any) -> None:
    events = [Event("goal", EventKind.GOAL, "Find it."), Event("m", EventKind.SESSION_END, "")]
    assert history.feed(memory(Summarizer()), events).recall(history.question("Where?", 40)).text == ""
