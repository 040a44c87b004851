"""ReAct: the full history with thoughts, told in words, or under the rule of the frame; the same after a restart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from baselines.react.strategy import STRATEGY
from bench.config import RunConfig
from bench.errors import BudgetStop
from bench.models.scripted import ScriptedModel
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Decision, Message, Shape, Stimulus, ThoughtRule, Trial


def decide(history: Any, given: dict[str, str], rule: ThoughtRule | None = None) -> tuple[Decision, str]:
    """Return a decision of a model that thinks, and the system message that it got."""
    seen: list[str] = []

    def reply(messages: Sequence[Message], _role: str) -> str:
        seen.append(messages[0].content)
        return "Action: think: where?"

    kit = history.kit(STRATEGY, given)
    kit = replace(kit, model=ScriptedModel(reply), frame=replace(kit.frame, thoughts=rule))
    return STRATEGY.build(kit).decide(Stimulus(Shape.EPISODE, "a mug", "Find it.", 1, "o0")), seen[0]


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, ThoughtRule()),
        ({"most": "3"}, ThoughtRule(most=3)),
        ({"thought": "free"}, ThoughtRule(costs_step=False, most=2)),
        ({"thought": "free", "most": "5"}, ThoughtRule(costs_step=False, most=5)),
    ],
)
def test_parameters_set_the_rule(history: Any, given: dict[str, str], rule: ThoughtRule) -> None:
    agent: Any = STRATEGY.build(history.kit(STRATEGY, given))
    assert agent.thoughts == rule


@pytest.mark.parametrize(
    ("given", "cost"),
    [
        ({}, "It takes a step like any action.\n"),
        ({"most": "1"}, "It takes a step like any action. After 1 thoughts in a row"),
        ({"thought": "free"}, "It takes no step, though it has a number in your memory. After 2 thoughts in a row"),
    ],
)
def test_prompt_tells_how_to_think_and_what_it_costs(history: Any, given: dict[str, str], cost: str) -> None:
    decision, system = decide(history, given)
    assert (decision.text, decision.reading.dialect) == ("think: where?", ("thought",))
    assert cost in system
    assert "{cost}" not in system


def test_frame_with_thoughts_leaves_nothing_to_add(history: Any) -> None:
    rule = ThoughtRule(most=1)
    decision, system = decide(history, {"thought": "free"}, rule)
    assert (decision.text, system) == ("think: where?", "Act.")
    kit = history.kit(STRATEGY)
    agent: Any = STRATEGY.build(replace(kit, frame=replace(kit.frame, thoughts=rule)))
    assert agent.thoughts == rule


def test_thoughts_stay_in_the_history(history: Any) -> None:
    events = history.episode(("think: where?", "OK."), ("go to desk 1", "a mug"))
    context = history.memory(STRATEGY, events).recall(history.now(events))
    assert "[1] Action: think: where?\n[1] Observation: OK." in context.text


def play(folder: Path, **more: Any) -> list[Trial]:
    config = RunConfig(suites=("toy",), strategies=("react", "react:thought=free", "full-history"), limit=2, **more)
    run(config, folder)
    return read_trials(folder)


def list_facts(trials: list[Trial]) -> list[Any]:
    """Return everything that must not depend on when a trial was played."""
    return [
        (t.key, t.status, t.end, [(s.decision, s.observation, s.stimulus.text) for s in t.steps],
         [(c.index, c.step, c.request_hash, c.reply) for c in t.calls])
        for t in trials
    ]  # fmt: skip


def test_offline_model_thinks_once_and_steps_are_counted_by_the_rule(tmp_path: Path) -> None:
    steps: dict[str, dict[str, float | None]] = {}
    for trial in play(tmp_path / "run"):
        found = {score.name: score.value for score in trial.items[0].scores}
        steps.setdefault(trial.key.task, {})[trial.key.strategy] = found["steps"]
        thoughts = [step for step in trial.steps if step.decision.reading.thought]
        assert len(thoughts) == ("react" in trial.key.strategy)
        assert found.get("thoughts", 0) == len(thoughts)
    for by_strategy in steps.values():
        plain = by_strategy["full-history"]
        assert plain is not None
        assert by_strategy == {"full-history": plain, "react": plain + 1, "react:thought=free": plain}


def test_run_that_was_stopped_goes_on_to_the_same_record(tmp_path: Path) -> None:
    whole = list_facts(play(tmp_path / "whole", workers=1))
    stops = 0
    for tokens in range(500, 12_000, 500):  # in the middle of trials too
        try:
            play(tmp_path / "parts", workers=1, max_tokens=tokens)
        except BudgetStop:
            stops += 1
    assert stops > 3
    assert list_facts(play(tmp_path / "parts", workers=1)) == whole
