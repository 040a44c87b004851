"""Thoughts in an episode: never carried out, recorded as such, and counted as the rule says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.drivers import run_episode
from bench.scoring.metrics import measure
from bench.types import (
    Context,
    Decision,
    EndReason,
    Event,
    EventKind,
    Frame,
    Limits,
    Observation,
    Opening,
    Query,
    Status,
    Step,
    Stimulus,
    ThoughtRule,
    Trial,
    TrialKey,
)

STEP, FREE = ThoughtRule(), ThoughtRule(costs_step=False, most=2)


@dataclass
class Actor:
    """An agent that acts from a list, over and over, and keeps what it observes."""

    actions: Sequence[str]
    events: list[Event] = field(default_factory=list)

    @property
    def memory(self) -> Actor:
        return self

    def observe(self, event: Event) -> None:
        self.events.append(event)

    def recall(self, query: Query) -> Context:
        return Context()

    def decide(self, stimulus: Stimulus) -> Decision:
        return Decision(self.actions[(stimulus.step - 1) % len(self.actions)])


@dataclass
class Thinker(Actor):
    """An agent that brings a rule of its own."""

    thoughts: ThoughtRule | None = None


@dataclass
class World:
    """It is won by the action ``win``, and keeps what reached it."""

    taken: list[str] = field(default_factory=list)

    def reset(self) -> Opening:
        return Opening("Win.", Frame("f", "Act."))

    def step(self, action: str) -> Observation:
        self.taken.append(action)
        won = action == "win"
        return Observation(f"you {action}", won, won, float(won))

    def close(self) -> None:
        pass


def play(agent: Actor, rule: ThoughtRule | None, cap: int = 10, loop: int = 0) -> tuple[EndReason, list[Step], World]:
    world, record = World(), list[Step]()
    opening = Opening("Win.", Frame("f", "Act.", thoughts=rule))
    return run_episode(agent, world, opening, Limits(cap, loop), record), record, world


def scores(end: EndReason, record: Sequence[Step], cap: int) -> dict[str, float | None]:
    trial = Trial(TrialKey("s", "x", "t", "a", "m"), Status.DONE, end, steps=tuple(record))
    return {score.name: score.value for score in measure(trial, step_cap=cap, every=1, optimal_steps=1)}


def test_thought_is_answered_and_never_reaches_the_environment() -> None:
    agent = Actor(["think: how?", "win"])
    end, record, world = play(agent, STEP)
    assert (end, world.taken) == (EndReason.WON, ["win"])
    first = record[0]
    assert (first.decision.reading.thought, first.observation.text, first.observation.valid) == ("step", "OK.", True)
    assert not first.observation.helper
    assert [(e.kind, e.text) for e in agent.events[1:3]] == [
        (EventKind.ACTION, "think: how?"),
        (EventKind.OBSERVATION, "OK."),
    ]
    assert record[1].stimulus.text == "OK."


def test_thought_without_a_rule_is_an_action_like_any_other() -> None:
    _, record, world = play(Actor(["think: how?", "win"]), None)
    assert world.taken == ["think: how?", "win"]
    assert [step.decision.reading.thought for step in record] == ["", ""]


def test_thought_that_costs_a_step_counts_against_the_cap() -> None:
    end, record, world = play(Actor(["think: how?", "wait"]), STEP, cap=4)
    assert (end, len(record), world.taken) == (EndReason.STEP_CAP, 4, ["wait", "wait"])
    assert scores(end, record, 4)["steps"] == 4


def test_free_thought_does_not_count_against_the_cap() -> None:
    end, record, world = play(Actor(["think: how?", "wait"]), FREE, cap=4)
    assert (end, len(record), world.taken) == (EndReason.STEP_CAP, 8, ["wait"] * 4)
    assert [step.index for step in record] == list(range(1, 9))
    assert [step.counts for step in record] == [False, True] * 4
    found = scores(end, record, 4)
    assert (found["steps"], found["thoughts"]) == (4, 4)


def test_scores_of_a_win_leave_free_thoughts_out() -> None:
    end, record, _ = play(Actor(["think: how?", "wait", "think: now", "win"]), FREE)
    found = scores(end, record, 3)
    assert (found["steps"], found["steps_won"], found["steps_over_optimal"], found["thoughts"]) == (2, 2, 2, 2)
    assert [found[f"progress_at_{k}"] for k in (1, 2, 3)] == [0.0, 1.0, 1.0]
    costly = scores(*play(Actor(["think: how?", "wait", "think: now", "win"]), STEP)[:2], 4)
    assert (costly["steps"], costly["steps_over_optimal"]) == (4, 4)
    assert [costly[f"progress_at_{k}"] for k in (2, 3, 4)] == [0.0, 0.0, 1.0]


def test_third_free_thought_in_a_row_wastes_a_step() -> None:
    end, record, world = play(Actor(["think: again"]), FREE, cap=2)
    assert (end, world.taken) == (EndReason.STEP_CAP, [])
    assert [step.decision.reading.thought for step in record] == ["free", "free", "step", "step"]
    assert [step.observation.valid for step in record] == [True, True, False, False]
    assert record[2].observation.invalid_reason == "thoughts"


def test_free_thoughts_neither_end_nor_break_a_loop() -> None:
    assert play(Actor(["think: how?", "wait"]), FREE, loop=2)[0] is EndReason.LOOP_CAP
    end, record, _ = play(Actor(["think: how?", "think: how?", "wait", "win"]), FREE, loop=2)
    assert (end, len(record)) == (EndReason.WON, 4)


def test_rule_of_the_agent_wins_over_that_of_the_frame() -> None:
    assert play(Thinker(["think: how?", "win"], thoughts=FREE), None)[1][0].decision.reading.thought == "free"
    assert play(Thinker(["think: how?", "win"], thoughts=None), STEP)[2].taken == ["think: how?", "win"]


@given(st.lists(st.sampled_from(["think: a", "think: b", "wait", ""]), min_size=1, max_size=8), st.integers(1, 6))
def test_episode_ends_within_its_cap_whatever_is_thought(actions: list[str], cap: int) -> None:
    for rule in (STEP, FREE):
        end, record, world = play(Actor(actions), rule, cap=cap)
        assert end is EndReason.STEP_CAP
        assert sum(step.counts for step in record) == cap
        assert len(record) <= cap * (1 + rule.most)
        assert not any(action.startswith("think:") for action in world.taken)


def test_frame_rules_are_named_for_the_fingerprint() -> None:
    assert Frame("f", "Act.").rules == {}
    assert Frame("f", "Act.", thoughts=FREE, stop=("\n",)).rules == {
        "thoughts": "think: free, most 2, OK.",
        "stop": "('\\n',)",
    }


@pytest.mark.parametrize("action", ["think: x", "Think: x", "THINK:"])
def test_rule_matches_a_thought_in_any_case(action: str) -> None:
    assert STEP.matches(action)
    assert not STEP.matches(f"I {action}")
