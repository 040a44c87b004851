"""The papers' protocols: the whole prompt against the original files, and an episode of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.pddl.domain import DOMAINS
from bench.agents import compose
from bench.config import RunConfig
from bench.errors import DataError
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import EndReason, Shape, Stimulus

FILES = {"agentboard": "agentboard/pddl_vanilla_prompt.json", "hiagent": "hiagent/pddl_wretrieval.json"}


def first_task(suite: Any, domain: str) -> Any:
    return next(task for task in suite.tasks() if task.group == domain)


@pytest.mark.data
@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("protocol", FILES)
def test_prompt_holds_every_piece_of_the_paper_in_its_order(
    protocol: str, domain: str, arena: Any, data_root: Path
) -> None:
    suite = arena.suite("generated", data_root, protocol=protocol)
    opening = suite.open(first_task(suite, domain)).reset()
    stimulus = Stimulus(Shape.EPISODE, opening.observation, opening.goal, 1, "o0")
    system, user = (message.content for message in compose(opening.frame, stimulus, "", dialect="A dialect."))
    texts = json.loads((data_root / "prompts" / FILES[protocol]).read_text(encoding="utf-8"))[domain]
    pieces = [texts["system_msg"], texts["instruction"], "A dialect.", *texts["examples"]]
    places = [system.find(piece.strip("\n")) for piece in pieces]
    assert -1 not in places
    assert places == sorted(places)
    assert system.endswith(texts["examples"][-1].strip("\n"))
    assert user.startswith(f"# Task\n{opening.goal}\n\n# Now\nObservation: State at the start: ")


@pytest.mark.data
def test_protocol_sets_limits(arena: Any, data_root: Path) -> None:
    for protocol, tokens, stop in (("agentboard", 100, ("\n",)), ("hiagent", 512, ())):
        suite = arena.suite("generated", data_root, protocol=protocol)
        frame = suite.open(suite.tasks()[0]).reset().frame
        assert (suite.limits().step_cap, frame.max_tokens, frame.stop) == (30, tokens, stop)
        assert arena.suite("generated", data_root, 9, protocol=protocol).limits().step_cap == 9
        assert arena.suite("generated", data_root, protocol=protocol, preset="h2r").limits().step_cap == 40


@pytest.mark.data
@pytest.mark.parametrize(
    "suite", ["pddl:protocol=agentboard", "pddl:protocol=hiagent", "hiagent-five:protocol=hiagent"]
)
def test_offline_model_plays_the_prompt_of_a_paper(
    suite: str, data_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(data_root))
    config = RunConfig(suites=(suite,), strategies=("full-history", "hiagent"), split="generated", limit=4)
    run(config, tmp_path / "run")
    trials = read_trials(tmp_path / "run")
    assert [(trial.error, trial.end) for trial in trials] == [("", EndReason.WON)] * 8


def test_steps_are_told_in_the_suites_own_prompt(arena: Any) -> None:
    for cap in (40, 12):
        suite = arena.suite("generated", step_cap=cap)
        assert f"You have {cap} steps in all." in suite.open(suite.tasks()[0]).reset().frame.instructions


def test_hint_lists_valid_actions_after_one_that_is_not(arena: Any) -> None:
    for hint in ("on", "off"):
        suite = arena.suite("generated", hint=hint)
        env = suite.open(first_task(suite, "gripper"))
        env.reset()
        listed = env.step("check valid actions").text
        for action in ("sing", "drop ball1 rooma left"):
            assert (listed in env.step(action).text) == (hint == "on")
        assert dict(suite.fingerprint().entries)["hint"] == hint


def test_missing_prompts_are_named_with_the_command(arena: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"prompts/agentboard/.*; fetch it with: bench data get prompts"):
        arena.suite("generated", tmp_path, protocol="agentboard")
