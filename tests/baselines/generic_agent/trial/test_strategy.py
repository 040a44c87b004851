"""One decision: what costs no step, what is capped, and that no word of the dialect reaches a world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baselines.generic_agent.trial.strategy import STRATEGY, GenericAgent, build_dialect
from bench.conformance.rules import check_strategy
from bench.drivers import run_episode
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.protocols import Model
from bench.types import Artifact, Frame, Limits, Message, Observation, Opening, Reply, Shape, Step, Stimulus

GOAL = "You are in a hall.\n\nYour task is to: find the mug."
LEAK = re.compile(r"summary|key_info|key info|checkpoint|read\s*\(", re.IGNORECASE)
FILES = Artifact({"l1.txt": "Never sell the lamp.", "l2/hall.txt": "The mug is under the stairs."})


@dataclass
class Recorder:
    """A scripted model that keeps what it was asked."""

    replies: Sequence[str]
    heard: list[str] = field(default_factory=list)
    limits: list[int | None] = field(default_factory=list)

    name = "recorder"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.heard.append(messages[-1].content)
        self.limits.append(max_tokens)
        assert role == "act"
        return ScriptedModel([self.replies[(len(self.heard) - 1) % len(self.replies)]]).chat(messages, role=role)


@dataclass
class Hall:
    """A world that says the same to everything and remembers what it was told."""

    told: list[str] = field(default_factory=list)

    def reset(self) -> Opening:
        return Opening(GOAL, Frame("hall", "Act."))

    def step(self, action: str) -> Observation:
        self.told.append(action)
        return Observation(f"You see a shelf {len(self.told)}, a lamp, a book and a broken chair.", executed=action)

    def close(self) -> None:
        pass


def agent(history: Any, model: Model, budget: int | None = None) -> GenericAgent:
    kit = replace(history.kit(STRATEGY, count=count_tokens, budget=budget), model=model, artifact=FILES)
    built = STRATEGY.build(kit)
    assert isinstance(built, GenericAgent)
    return built


def play_episode(
    history: Any, replies: Sequence[str], steps: int = 3, budget: int | None = None
) -> tuple[Recorder, list[Step]]:
    model, hall, record = Recorder(replies), Hall(), list[Step]()
    run_episode(agent(history, model, budget), hall, hall.reset(), Limits(step_cap=steps), record)
    assert [text for step in record if (text := step.decision.text)] == hall.told
    return model, record


def test_summary_replaces_an_evicted_turn(history: Any) -> None:
    _, record = play_episode(history, ["<summary>a chair is broken</summary>\nAction: go on"], 25)
    assert {step.decision.text for step in record} == {"go on"}
    assert "[1] Summary: a chair is broken\n" not in record[1].decision.context.text
    text = record[-1].decision.context.text
    assert "Past turns:\n[5] Summary: a chair is broken\n[6] Summary:" in text  # the newest twenty
    assert "[24] Action: go on" in text
    assert "[1] Action" not in text


def test_key_info_above_an_action_costs_no_call_and_no_step(history: Any) -> None:
    model, record = play_episode(history, ["checkpoint(mug not in the hall)\nAction: go on", "Action: go on"], 2)
    assert len(model.heard) == 2
    assert record[0].decision.notes == ("checkpoint(mug not in the hall)",)
    assert "Key info:\n[1] mug not in the hall" in model.heard[1]


def test_key_info_alone_is_stored_and_an_action_asked_for(history: Any) -> None:
    model, record = play_episode(history, ["Action: checkpoint(mug not here)", "Action: go on"], 1)
    assert record[0].decision.text == "go on"
    assert "Notice: the key info is kept. Now give an action." in model.heard[1]


def test_read_shows_a_file_in_the_same_step(history: Any) -> None:
    model, record = play_episode(history, ["Action: read(l2/hall.txt)", "Action: go on"], 1)
    assert "Index of the memory files:\nNever sell the lamp.\nl2/hall*: 1 file" in model.heard[0]
    assert "[1] Note: read(l2/hall.txt) The mug is under the stairs.\nNotice: l2/hall.txt is in view" in model.heard[1]
    assert (record[0].decision.text, record[0].decision.notes) == ("go on", ("read(l2/hall.txt)",))


def test_unknown_file_gets_a_notice_with_known_names(history: Any) -> None:
    model, _ = play_episode(history, ["Action: read(l7/none)", "Action: read()", "Action: go on"], 1)
    assert "Notice: there is no file l7/none; known are: read(l0), read(l2). Now" not in model.heard[0]
    assert "Notice: there is no file l7/none; known are: read(l0), read(l2)." in model.heard[1]
    assert "Notice: there is no file without a name; known are: read(l0), read(l2)." in model.heard[2]


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        ("Action: read(l0)", 4),
        ("checkpoint(a)", 3),
        ("checkpoint(a)\nAction: read(l0)", 5),
        ("checkpoint()", 2),
        ("<summary>only a summary</summary>", 2),
        ("<summary><summary><summary>", 2),
        ("", 2),
    ],
)
def test_endless_requests_end_in_an_empty_action(history: Any, reply: str, calls: int) -> None:
    model, record = play_episode(history, [reply], 3)
    assert [step.decision.text for step in record] == ["", "", ""]
    assert len(model.heard) == 3 * calls <= 3 * STRATEGY.inner_calls


def test_reply_without_an_action_is_asked_for_once_more_in_the_common_words(history: Any) -> None:
    model, record = play_episode(history, ["<summary>hm</summary>", "Action: go on"], 1)
    assert record[0].decision.text == "go on"
    assert "No action could be made out in that reply." in model.heard[1]
    assert record[0].decision.reading.asked_again == 1
    assert record[0].decision.reading.dialect == ()


def test_decide_reminds_of_the_key_info(history: Any) -> None:
    model, _ = play_episode(history, ["Action: go on"], 13, budget=5000)
    assert ["Notice: write the key info" in heard for heard in model.heard] == [False] * 12 + [True]


def test_reply_limit_is_the_one_of_the_frame(history: Any) -> None:
    model, _ = play_episode(history, ["Action: go on"], 1)
    assert model.limits == [Frame("hall", "Act.").max_tokens]


def test_dialect_tells_the_limit_and_speaks_of_files_where_there_are_some(history: Any) -> None:
    assert "at most 133 tokens" in build_dialect(133, has_files=True)
    without = build_dialect(133, has_files=False)
    assert "read(" not in without
    assert "index" not in without
    assert "{" not in without
    built = STRATEGY.build(replace(history.kit(STRATEGY), model=Recorder(["read(l0)", "Action: go on"])))
    decision = built.decide(Stimulus(Shape.EPISODE, "", GOAL, 1))
    assert (decision.text, decision.reading.asked_again) == ("go on", 1)


def test_reading_counts_the_lines_of_the_dialect(history: Any) -> None:
    replies = ["read(l7/none)", "<summary>a</summary>\ncheckpoint(b)\nAction: go on"]
    _, record = play_episode(history, replies, 1)
    assert record[0].decision.reading.dialect == ("read", "refused", "summary", "checkpoint")


def test_key_info_that_is_too_long_is_trimmed_and_noted(history: Any) -> None:
    _, record = play_episode(history, [f"checkpoint({'No mug here. ' * 90})\nAction: go on"], 1)
    assert record[0].decision.notes[0] == "trimmed: key info"
    assert record[0].decision.notes[1].endswith("No mug here.)")


@pytest.mark.parametrize(
    "given", [{"version": "code"}, {"version": "code-april"}, {"budget_tokens": "30"}, {"nudge_at": "0.1"}]
)
def test_check_strategy_passes_with_every_setting(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


def test_strategy_serves_episodes_alone() -> None:
    assert STRATEGY.serves == frozenset({Shape.EPISODE})
    assert "checkpoint(" in STRATEGY.dialect
    assert "read(" in STRATEGY.dialect


def test_each_decision_leaves_one_line(history: Any) -> None:
    built = agent(history, Recorder(["<summary>a\nb</summary>\nAction: go\nAction: stay"]))
    assert built.decide(Stimulus(Shape.EPISODE, "", GOAL, 1)).text == "go"


REPLIES = st.lists(
    st.sampled_from(
        (
            "<summary>", "</summary>", "<summary>a</summary>", "<summary><summary>", "<key_info>", "key_info: x",
            "checkpoint(", "checkpoint(a)", "checkpoint(checkpoint(a))", "Checkpoint: a", "read(", "read(l0)",
            "read(l2/hall)", "read(nothing)", "Action: ", "Action:", "go on", "\n", "\n", " ", ")", "Observation: x",
            "word " * 300, "Summary: x", "\u2028",
        )
    ),
    max_size=8,
).map("".join)  # fmt: skip


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(REPLIES, min_size=1, max_size=6), st.sampled_from([None, 0, 3, 60, 250]))
def test_no_command_reaches_the_environment(history: Any, replies: list[str], budget: int | None) -> None:
    model, record = play_episode(history, replies, 4, budget)
    assert len(model.heard) <= 4 * STRATEGY.inner_calls
    for step in record:
        assert not LEAK.search(step.decision.text)
        assert len(step.decision.text.splitlines()) <= 1
        assert count_tokens(step.decision.context.text) <= (400 if budget is None else budget)
