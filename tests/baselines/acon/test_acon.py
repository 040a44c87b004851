"""ACON: what is compressed and when, under which guideline, and what becomes of a bad compression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.acon.offline import RULES
from baselines.acon.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Memory, Model, Params, count_words
from bench.types import Artifact, Event, Frame, Message


@dataclass
class Compressor:
    """Says ``text`` to every prompt, and keeps the prompts."""

    text: str = "A is on B."
    asked: list[str] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        assert role == "compress"
        self.asked.append("\n".join(m.content for m in messages))
        return self.text


def memory(
    model: Model | Callable[[Sequence[Message], str], str],
    budget: int | None = 40,
    learned: Mapping[str, str] | None = None,
    **given_: str,
) -> Memory:
    params = Params(STRATEGY.params, given_, who="acon")
    chat = ScriptedModel(model) if callable(model) else model
    kit = Kit(chat, HashEmbedder(), Frame("f", "Act."), Budget(budget, count_words), params)
    return STRATEGY.build(replace(kit, artifact=Artifact(learned or {}))).memory


def told(filled: Memory, events: Sequence[Event]) -> Memory:
    for event in events:
        filled.observe(event)
    return filled


def steps(history: Any, n: int) -> Any:
    return history.episode(*((f"go {i}", f"OpenAIBackend {i} is open.") for i in range(1, n + 1)))


LONG = "On the table 1, you see a cup. " * 6


def test_short_of_the_thresholds_it_is_the_full_history(history: Any) -> None:
    model, events = Compressor(), steps(history, 4)
    context = told(memory(model), events).recall(history.now(events, 40))
    assert context.text.startswith("[1] Action: go 1\n[1] Observation: OpenAIBackend 1 is open.")
    assert (context.truncated, model.asked) == (False, [])


def test_a_long_history_is_compressed_but_for_the_last_step(history: Any) -> None:
    model, events = Compressor(), steps(history, 5)
    context = told(memory(model), events).recall(history.now(events, 40))
    assert context.text == "History, compressed:\nA is on B.\n[5] Action: go 5"
    assert context.refs == ("a1", "o1", "a2", "o2", "a3", "o3", "a4", "o4", "a5")
    (prompt,) = model.asked
    assert "at most 20 tokens" in prompt
    assert history.goal in prompt
    assert "No guideline has been learned yet." in prompt


def test_the_next_compression_takes_in_the_one_before(history: Any) -> None:
    model, events = Compressor(), steps(history, 12)
    told(memory(model), events)
    assert len(model.asked) > 1
    assert "# History so far\nA is on B.\n\n# Events since\n[5] Action: go 5" in model.asked[1]


def test_a_long_observation_is_compressed_from_the_next_step_on(history: Any) -> None:
    model = Compressor("A cup\nis there.")
    events = history.episode(("go 1", LONG), ("go 2", "x"))
    context = told(memory(model, 100), events).recall(history.now(events, 100))
    assert context.text == "[1] Action: go 1\n[1] Observation: A cup is there.\n[2] Action: go 2"
    (prompt,) = model.asked
    assert "at most 12 tokens" in prompt
    assert f"# Text\n{LONG}" in prompt


def test_learned_guidelines_take_the_place_of_ours(history: Any) -> None:
    model = Compressor("cup")
    learned = {"history_guideline.txt": "Keep doors.", "observation_guideline.txt": "Keep cups."}
    told(memory(model, 60, learned), history.episode(*[("go 1", LONG)] * 9))
    assert {"Keep doors." in prompt for prompt in model.asked if "# Events since" in prompt} == {True}
    assert {"Keep cups." in prompt for prompt in model.asked if "# Text" in prompt} == {True}
    assert not any("No guideline" in prompt for prompt in model.asked)


def test_a_run_without_a_budget_has_the_rooms_own_size(history: Any) -> None:
    model, events = Compressor(), steps(history, 12)
    assert told(memory(model, None), events).recall(history.now(events)).text.count("Action") == 12
    told(memory(model, None, tokens="40"), events)
    assert len(model.asked) > 1


def test_an_empty_compression_keeps_what_there_was_and_is_not_asked_for_at_every_step(history: Any) -> None:
    model, events = Compressor("  \n"), steps(history, 20)
    context = told(memory(model), events).recall(history.now(events, 40))
    assert context.truncated
    assert context.text.endswith("[20] Action: go 20")
    assert 1 < len(model.asked) <= 8
    long = history.episode(("go 1", LONG), ("go 2", "x"))
    kept = told(memory(Compressor(""), 100), long).recall(history.now(long, 100))
    assert LONG.strip() in kept.text


def test_a_compression_longer_than_its_room_is_cut_at_a_word(history: Any) -> None:
    events = steps(history, 5)
    context = told(memory(Compressor("word " * 500)), events).recall(history.now(events, 40))
    assert context.text == "History, compressed:\n" + " ".join(["word"] * 20) + "\n[5] Action: go 5"


def test_a_talk_is_compressed_as_it_grows(history: Any) -> None:
    model = Compressor("Ann moved.")
    events = history.conversation(*("I moved to Oslo in May." for _ in range(12)))
    context = told(memory(model), events).recall(history.question("Where?", 40))
    assert context.text.startswith("History, compressed:\nAnn moved.\n[")
    assert "Questions about it will be asked later." in model.asked[0]
    assert len(context.refs) == 12


@given(st.integers(0, 60), st.integers(0, 25), st.sampled_from(["", "A is on B.", "word " * 90]))
@settings(max_examples=60, deadline=None)
def test_a_budget_is_kept_to_the_token(history: Any, budget: int, n: int, text: str) -> None:
    events = [*steps(history, n), *history.episode(("go", LONG))[1:]]
    filled = told(memory(Compressor(text), budget), events)
    now = history.now(events, budget)
    assert count_words(filled.recall(now).text) <= budget
    assert filled.recall(now) == filled.recall(now)


def test_the_offline_model_keeps_the_latest_statement_of_each_fact(history: Any) -> None:
    door = [("go", "The door is open."), ("look", "Nothing happens."), ("push", "The lamp is on."), ("go", "x")]
    events = history.episode(*door, *door)
    context = told(memory(OfflineReader(RULES), 30, observation="9"), events).recall(history.now(events, 30))
    assert context.text.count("The door is open.") == 1
    assert "Nothing happens" not in context.text


def test_the_offline_model_shortens_a_text_that_repeats_itself(history: Any) -> None:
    events = history.episode(("go 1", LONG), ("go 2", "x"))
    context = told(memory(OfflineReader(RULES), 100), events).recall(history.now(events, 100))
    assert context.text == "[1] Action: go 1\n[1] Observation: On the table 1, you see a cup.\n[2] Action: go 2"
    assert RuleTable(RULES).find((Message("system", "Act."),), "compress") is None


@pytest.mark.parametrize("given_", [{"tokens": "30"}, {"observation": "0"}, {"history": "0"}, {"share": "0"}])
def test_every_setting_keeps_the_rules(given_: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given_) if not result.passed] == []


def test_the_row_says_that_nothing_was_learned() -> None:
    assert STRATEGY.name == "acon-untrained-v1"
    assert STRATEGY.learn is None
