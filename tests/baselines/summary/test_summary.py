"""The rolling summary: what is folded and when, what stays as it was, what becomes of a bad summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.summary.offline import RULES
from baselines.summary.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Memory, Model, Params, count_words
from bench.types import Event, Frame, Message


@dataclass
class Summariser:
    """Says ``text`` to every prompt, and keeps the prompts."""

    text: str = "A is on B."
    asked: list[str] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        assert role == "summarize"
        self.asked.append("\n".join(m.content for m in messages))
        return self.text


def memory(model: Model | Callable[[Sequence[Message], str], str], budget: int | None = 40, **given_: str) -> Memory:
    params = Params(STRATEGY.params, given_, who="summary")
    chat = ScriptedModel(model) if callable(model) else model
    return STRATEGY.build(Kit(chat, HashEmbedder(), Frame("f", "Act."), Budget(budget, count_words), params)).memory


def told(filled: Memory, events: Sequence[Event]) -> Memory:
    for event in events:
        filled.observe(event)
    return filled


def steps(history: Any, n: int) -> Any:
    return history.episode(*((f"go {i}", f"OpenAIBackend {i} is open.") for i in range(1, n + 1)))


def test_short_of_the_trigger_it_is_the_full_history(history: Any) -> None:
    model, events = Summariser(), steps(history, 4)
    context = told(memory(model), events).recall(history.now(events, 40))
    assert context.text.startswith("[1] Action: go 1\n[1] Observation: OpenAIBackend 1 is open.")
    assert (context.truncated, model.asked) == (False, [])


def test_at_the_trigger_all_but_the_recent_steps_is_folded(history: Any) -> None:
    model, events = Summariser(), steps(history, 5)
    context = told(memory(model), events).recall(history.now(events, 40))
    assert context.text == (
        "Summary so far:\nA is on B.\n"
        "[3] Action: go 3\n[3] Observation: OpenAIBackend 3 is open.\n"
        "[4] Action: go 4\n[4] Observation: OpenAIBackend 4 is open.\n"
        "[5] Action: go 5"
    )
    assert context.refs == ("a1", "o1", "a2", "o2", "a3", "o3", "a4", "o4", "a5")
    (prompt,) = model.asked
    assert "at most 20 tokens" in prompt
    assert "# Next part\n[1] Action: go 1" in prompt
    assert "OpenAIBackend 3" not in prompt
    assert history.goal not in prompt


def test_the_next_summary_takes_in_the_one_before(history: Any) -> None:
    model, events = Summariser(), steps(history, 12)
    context = told(memory(model, recent="1"), events).recall(history.now(events, 40))
    assert len(model.asked) > 1
    assert "# Summary so far\nA is on B.\n\n# Next part\n[5] Action: go 5" in model.asked[1]
    assert context.text.count("A is on B.") == 1


def test_a_run_without_a_budget_has_the_rooms_own_size(history: Any) -> None:
    model, events = Summariser(), steps(history, 12)
    assert told(memory(model, None), events).recall(history.now(events)).text.count("Action") == 12
    told(memory(model, None, tokens="40"), events)
    assert len(model.asked) > 1


def test_an_empty_summary_keeps_the_history_and_is_not_asked_for_at_every_step(history: Any) -> None:
    model, events = Summariser("  \n"), steps(history, 30)
    context = told(memory(model), events).recall(history.now(events, 40))
    assert context.text.endswith("[30] Action: go 30")
    assert count_words(context.text) <= 40
    assert 1 < len(model.asked) <= 9


def test_a_summary_no_shorter_than_what_it_replaces_is_refused(history: Any) -> None:
    model, events = Summariser("word " * 9), steps(history, 2)
    context = told(memory(model, 100, trigger="0.1", recent="1"), events).recall(history.now(events, 100))
    assert context.text.startswith("[1] Action: go 1\n")
    assert len(model.asked) == 1


def test_a_summary_longer_than_its_room_is_cut_at_a_word(history: Any) -> None:
    events = steps(history, 9)
    context = told(memory(Summariser("word " * 500), 80), events).recall(history.now(events, 80))
    assert context.text.startswith("Summary so far:\n" + " ".join(["word"] * 40) + "\n[7]")


def test_a_talk_is_folded_as_it_grows(history: Any) -> None:
    model = Summariser("Ann moved.")
    events = history.conversation(*("I moved to Oslo in May." for _ in range(12)))
    context = told(memory(model, recent="2"), events).recall(history.question("Where?", 40))
    assert context.text.startswith("Summary so far:\nAnn moved.\n[")
    assert len(context.refs) == 12


@given(st.integers(0, 60), st.integers(0, 25), st.sampled_from(["", "A is on B.", "word " * 90]), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_a_budget_is_kept_to_the_token(history: Any, budget: int, n: int, text: str, recent: int) -> None:
    events = steps(history, n)
    filled = told(memory(Summariser(text), budget, recent=str(recent)), events)
    now = history.now(events, budget)
    assert count_words(filled.recall(now).text) <= budget
    assert filled.recall(now) == filled.recall(now)


def test_the_offline_model_keeps_the_latest_statement_of_each_fact(history: Any) -> None:
    door = [("go", "The door is open."), ("look", "Nothing happens."), ("push", "The lamp is on."), ("go", "x")]
    events = history.episode(*door, *door)
    context = told(memory(OfflineReader(RULES), 30, recent="1"), events).recall(history.now(events, 30))
    assert context.text.count("The door is open.") == 1
    assert "Nothing happens" not in context.text
    asked = (
        Message("system", "You keep a running summary of a story that goes on."),
        Message("user", "# Next part\nx"),
    )
    assert RuleTable(RULES).find(asked, "summarize") is RULES[0]
    assert RuleTable(RULES).find(asked, "act") is None


@pytest.mark.parametrize(
    "given_", [{"tokens": "30"}, {"recent": "1"}, {"trigger": "0"}, {"share": "0"}, {"share": "2"}]
)
def test_every_setting_keeps_the_rules(given_: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given_) if not result.passed] == []
