"""ACON's memory: what is compressed and when, under which guideline, and what becomes of a bad compression."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.acon.strategy import UNTRAINED
from bench.protocols import count_words
from tests.baselines.summarizer import Summarizer, build_memory, make_steps

memory = partial(build_memory, UNTRAINED)


LONG = "On the table 1, you see a cup. " * 6


def test_recall_is_the_full_history_below_the_thresholds(history: Any) -> None:
    model, events = Summarizer(role="compress"), make_steps(history, 4)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.text.startswith("[1] Action: go 1\n[1] Observation: Door 1 is open.")
    assert (context.truncated, model.prompts) == (False, [])


def test_long_history_is_compressed_but_for_the_last_step(history: Any) -> None:
    model, events = Summarizer(role="compress"), make_steps(history, 5)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.text == "History, compressed:\nA is on B.\n[5] Action: go 5"
    assert context.refs == ("a1", "o1", "a2", "o2", "a3", "o3", "a4", "o4", "a5")
    (prompt,) = model.prompts
    assert "at most 20 tokens" in prompt
    assert history.goal in prompt
    assert "Keep results, the present state" in prompt


def test_next_compression_includes_the_one_before(history: Any) -> None:
    model, events = Summarizer(role="compress"), make_steps(history, 12)
    history.feed(memory(model), events)
    assert len(model.prompts) > 1
    assert "# History so far\nA is on B.\n\n# Events since\n[5] Action: go 5" in model.prompts[1]


def test_long_observation_is_compressed_from_the_next_step_on(history: Any) -> None:
    model = Summarizer("A cup\nis there.", "compress")
    events = history.episode(("go 1", LONG), ("go 2", "x"))
    context = history.feed(memory(model, 100), events).recall(history.now(events, 100))
    assert context.text == "[1] Action: go 1\n[1] Observation: A cup is there.\n[2] Action: go 2"
    (prompt,) = model.prompts
    assert "at most 12 tokens" in prompt
    assert f"# Text\n{LONG}" in prompt


def test_guidelines_of_the_artifact_replace_ours(history: Any) -> None:
    model = Summarizer("cup", "compress")
    learned = {"history_guideline.txt": "Keep doors.", "observation_guideline.txt": "Keep cups."}
    history.feed(memory(model, 60, learned), history.episode(*[("go 1", LONG)] * 9))
    assert {"Keep doors." in prompt for prompt in model.prompts if "# Events since" in prompt} == {True}
    assert {"Keep cups." in prompt for prompt in model.prompts if "# Text" in prompt} == {True}
    assert not any("No guideline" in prompt for prompt in model.prompts)


def test_run_without_a_budget_uses_the_tokens_parameter(history: Any) -> None:
    model, events = Summarizer(role="compress"), make_steps(history, 12)
    assert history.feed(memory(model, None), events).recall(history.now(events)).text.count("Action") == 12
    history.feed(memory(model, None, tokens="40"), events)
    assert len(model.prompts) > 1


def test_empty_compression_keeps_the_history_and_waits_before_the_next_try(history: Any) -> None:
    model, events = Summarizer("  \n", "compress"), make_steps(history, 20)
    context = history.feed(memory(model), events).recall(history.now(events, 40))
    assert context.truncated
    assert context.text.endswith("[20] Action: go 20")
    assert 1 < len(model.prompts) <= 8
    long = history.episode(("go 1", LONG), ("go 2", "x"))
    kept = history.feed(memory(Summarizer("", "compress"), 100), long).recall(history.now(long, 100))
    assert LONG.strip() in kept.text


def test_too_long_compression_is_cut_at_a_word(history: Any) -> None:
    events = make_steps(history, 5)
    context = history.feed(memory(Summarizer("word " * 500, "compress")), events).recall(history.now(events, 40))
    assert context.text == "History, compressed:\n" + " ".join(["word"] * 25) + "\n[5] Action: go 5"


def test_conversation_is_compressed_as_it_grows(history: Any) -> None:
    model = Summarizer("Ann moved.", "compress")
    events = history.conversation(*("I moved to Oslo in May." for _ in range(12)))
    context = history.feed(memory(model), events).recall(history.question("Where?", 40))
    assert context.text.startswith("History, compressed:\nAnn moved.\n[")
    assert "Questions about it will be asked later." in model.prompts[0]
    assert len(context.refs) == 12


@given(st.integers(0, 60), st.integers(0, 25), st.sampled_from(["", "A is on B.", "word " * 90]))
@settings(max_examples=60)
def test_recall_is_repeatable_and_within_the_budget(history: Any, budget: int, n: int, text: str) -> None:
    events = [*make_steps(history, n), *history.episode(("go", LONG))[1:]]
    filled = history.feed(memory(Summarizer(text, "compress"), budget), events)
    now = history.now(events, budget)
    assert count_words(filled.recall(now).text) <= budget
    assert filled.recall(now) == filled.recall(now)
