"""MemP: a procedure for each solved task, which are shown, and how a failed attempt corrects a script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from baselines.memp.offline import CorrectRule, ScriptRule
from baselines.memp.strategy import STRATEGY
from bench.agents import EXPERIENCE_HEADING
from bench.types import Artifact, Event, EventKind, Message, Query, Trial
from tests.baselines.learners import CountingEmbedder, Reply, Script, make_kit, make_trial

HEAT, COOL = (f"A kitchen.\n\nYour task is to: {what}." for what in ("heat a mug", "cool a plate"))
WON = [("go to shelf 1", "A mug 1."), ("go to oven 1", "An oven."), ("heat mug 1", "It is hot.")]
LOST = [("heat shelf 1", "Nothing happens.")]
SCRIPT, CORRECTED = '{"script": ["find the mug", "heat it"]}', '{"script": ["find the mug", "heat only the mug"]}'
REPLIES: Mapping[str, Reply | Sequence[str]] = {"distill": SCRIPT, "update": CORRECTED}
POOL = [
    make_trial("task-1", HEAT, *LOST, won=False),
    make_trial("task-1", HEAT, *WON, won=True, attempt=2),
    make_trial("task-2", COOL, ("cool plate 1", "It is cold."), won=True),
]


def learn(trials: Sequence[Trial], replies: Mapping[str, Reply | Sequence[str]] = REPLIES, **given: str) -> Artifact:
    assert STRATEGY.learn is not None
    return STRATEGY.learn(trials, make_kit(STRATEGY, Script(replies), **given))


def show(artifact: Artifact, goal: str = HEAT, **given: str) -> str:
    memory = STRATEGY.build(make_kit(STRATEGY, Script({}), artifact=artifact, **given)).memory
    memory.observe(Event("goal", EventKind.GOAL, goal))
    return memory.recall(Query("", goal)).text


def test_calls_are_one_a_solved_task_and_one_for_a_correction() -> None:
    script = Script(REPLIES)
    assert STRATEGY.learn is not None
    STRATEGY.learn(POOL, make_kit(STRATEGY, script))
    assert script.calls == {"distill": 2, "update": 1}
    assert "heat shelf 1" in script.requests("update")[0]
    assert "heat shelf 1" not in "".join(script.requests("distill"))


def test_procedure_is_shown_with_its_corrected_script_and_its_steps() -> None:
    text = show(learn(POOL), k="1")
    assert text.startswith(EXPERIENCE_HEADING)
    assert "Task (solved): Your task is to: heat a mug.\nScript:\n1. find the mug\n2. heat only the mug" in text
    assert "2. heat only the mug\nIts steps:\n[1] Action: go to shelf 1\n" in text
    assert "[3] Action: heat mug 1" in text
    assert "cool a plate" not in text


def test_nearest_task_is_chosen_by_the_text_that_states_it() -> None:
    assert "cool plate 1" in show(learn(POOL), COOL, k="1")
    embedder = CountingEmbedder()
    kit = make_kit(STRATEGY, Script({}), artifact=learn(POOL), embedder=embedder)
    STRATEGY.build(kit).memory.observe(Event("goal", EventKind.GOAL, COOL))
    assert embedder.calls == [["Your task is to: cool a plate."]]


@pytest.mark.parametrize(
    ("form", "script", "steps"), [("both", True, True), ("script", True, False), ("trajectory", False, True)]
)
def test_form_says_what_a_procedure_holds(form: str, script: bool, steps: bool) -> None:
    text = show(learn(POOL, form=form))
    assert ("Script:" in text, "[3] Action: heat mug 1" in text) == (script, steps)
    assert ("Its steps:" in text) == (script and steps)


def test_trajectories_alone_need_no_call() -> None:
    assert "heat mug 1" in show(learn(POOL, {}, form="trajectory"))


def test_correction_can_be_switched_off() -> None:
    assert "2. heat it" in show(learn(POOL, {"distill": SCRIPT}, correct="off"))


def test_numbers_and_labels_of_steps_are_written_once() -> None:
    reply = '{"script": ["1. find the mug", "**Step 2:** heat it"]}'
    assert "Script:\n1. find the mug\n2. heat it\n" in show(learn(POOL, {"distill": reply}, correct="off"))


@pytest.mark.parametrize("form", ["both", "script"])
def test_script_that_cannot_be_read_leaves_the_trajectory(form: str) -> None:
    artifact = learn(POOL, {"distill": "I cannot."}, form=form)
    assert "distill: given up = 2" in artifact.files["log/learning.txt"]
    text = show(artifact)
    assert "Script:" not in text
    assert "[3] Action: heat mug 1" in text


def test_correction_that_cannot_be_read_leaves_the_script() -> None:
    artifact = learn(POOL, {"distill": SCRIPT, "update": "I cannot."})
    assert "update: given up = 1" in artifact.files["log/learning.txt"]
    assert "2. heat it" in show(artifact)


@pytest.mark.parametrize("trials", [[], POOL[:1]], ids=["nothing", "failures only"])
def test_pool_without_success_makes_no_call_and_shows_nothing(trials: list[Trial]) -> None:
    artifact = learn(trials, {})
    assert artifact.files == {"log/learning.txt": "procedures = 0\n"}
    assert show(artifact) == ""


def test_files_name_their_task() -> None:
    artifact = learn(POOL)
    assert artifact.sources["procedures/0001.txt"] == artifact.sources["vectors/procedures/0001.txt"] == ("task-1",)


def test_offline_rules_lift_the_telling_actions_and_what_was_refused() -> None:
    def apply(rule: ScriptRule | CorrectRule) -> Reply:
        return lambda request: rule.reply((Message("system", ""), Message("user", request)))

    artifact = learn(POOL[:2], {"distill": apply(ScriptRule()), "update": apply(CorrectRule())})
    assert "# Script\nheat mug\nTo heat shelf had no effect.\n" in artifact.files["procedures/0001.txt"]
    assert json.loads(CorrectRule().reply((Message("system", ""), Message("user", "")))) == {"script": []}
