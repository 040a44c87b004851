"""AWM: what is induced from which tasks, what the prompt shows, what comes of bad replies."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from baselines.awm.offline import InduceRule
from baselines.awm.strategy import STRATEGY
from bench.agents import EXPERIENCE_HEADING
from bench.types import Artifact, Event, EventKind, Message, Query, Trial
from tests.baselines.learners import Reply, Script, make_kit, make_trial

GOAL = "A kitchen.\n\nYour task is to: heat a mug."
STEPS = [("go to shelf 1", "A mug 1."), ("go to oven 1", "An oven."), ("heat mug 1", "It is hot.")]
TITLE, FOUND = "heat a {thing}", ["find the {thing}", "heat {thing}"]


def make_reply(*workflows: tuple[str, list[str]]) -> str:
    return json.dumps({"workflows": [{"title": title, "steps": steps} for title, steps in workflows]})


def make_trials(n: int) -> list[Trial]:
    return [make_trial(f"task-{i}", GOAL, *STEPS, won=True) for i in range(n)]


def learn(trials: Sequence[Trial], reply: Reply | Sequence[str], **given: str) -> tuple[Artifact, Script]:
    script = Script({"distill": reply})
    assert STRATEGY.learn is not None
    return STRATEGY.learn(trials, make_kit(STRATEGY, script, **given)), script


def show(artifact: Artifact, budget: int | None = None, **given: str) -> str:
    memory = STRATEGY.build(make_kit(STRATEGY, Script({}), artifact=artifact, **given)).memory
    memory.observe(Event("goal", EventKind.GOAL, GOAL))
    return memory.recall(Query("", GOAL, budget_tokens=budget)).text


def test_one_call_is_made_for_each_batch_of_solved_tasks() -> None:
    lost = make_trial("task-9", GOAL, *STEPS, won=False)
    artifact, script = learn([*make_trials(5), lost], make_reply((TITLE, FOUND)), batch="2")
    assert script.calls == {"distill": 3}
    assert [request.count("# Solved task") for request in script.requests("distill")] == [2, 2, 1]
    assert "solved tasks = 5" in artifact.files["log/learning.txt"]


def test_workflows_with_the_same_steps_are_kept_once_with_all_their_tasks() -> None:
    artifact, _ = learn(make_trials(3), make_reply((TITLE, FOUND), ("cool", ["cool {thing}", "wait"])), batch="2")
    assert [name for name in artifact.files if name.startswith("workflows/")] == [
        "workflows/0001.txt",
        "workflows/0002.txt",
    ]
    assert artifact.sources["workflows/0001.txt"] == ("task-0", "task-1", "task-2")


def test_labels_of_a_workflow_are_not_kept() -> None:
    plain, _ = learn(make_trials(1), make_reply((TITLE, ["find the {thing}", "heat {thing}"])))
    labelled = make_reply((f"Workflow 1: {TITLE}", ["1. find the {thing}", "**Step 2:** heat {thing}"]))
    assert learn(make_trials(1), labelled)[0].files == plain.files


def test_every_workflow_stands_in_the_prompt_as_experience() -> None:
    artifact, _ = learn(make_trials(1), make_reply((TITLE, FOUND), ("cool", ["cool {thing}"])))
    text = show(artifact)
    assert text.startswith(EXPERIENCE_HEADING)
    assert "Workflow: heat a {thing}\n1. find the {thing}\n2. heat {thing}" in text
    assert "Workflow: cool" in text


def test_only_as_many_are_shown_as_asked_for_or_fit() -> None:
    artifact, _ = learn(make_trials(1), make_reply((TITLE, FOUND), ("cool", ["cool {thing}"])))
    assert "Workflow: cool" not in show(artifact, most="1")
    assert "Workflow: cool" not in show(artifact, budget=48)
    assert "Workflow: heat" in show(artifact, budget=48)


@pytest.mark.parametrize("trials", [[], [make_trial("t", GOAL, *STEPS, won=False)]], ids=["nothing", "failures only"])
def test_pool_without_success_makes_no_call_and_shows_nothing(trials: list[Trial]) -> None:
    artifact, script = learn(trials, "")
    assert not script.asked
    assert show(artifact) == ""


@pytest.mark.parametrize("bad", ["I cannot.", '{"workflows": []}', '{"workflows": [{"title": "x", "steps": []}]}'])
def test_reply_that_cannot_be_read_is_asked_for_once_more(bad: str) -> None:
    artifact, script = learn(make_trials(1), [bad, make_reply((TITLE, FOUND))])
    assert len(script.asked) == 2
    assert "distill: asked again = 1" in artifact.files["log/learning.txt"]


def test_second_bad_reply_leaves_the_actions_as_they_were() -> None:
    artifact, _ = learn(make_trials(2), "I cannot.")
    assert "batches left as they were = 1" in artifact.files["log/learning.txt"]
    assert "1. go to shelf 1\n2. go to oven 1\n3. heat mug 1" in show(artifact)


def test_offline_rule_writes_telling_actions_with_placeholders() -> None:
    def reply(request: str) -> str:
        return InduceRule().reply((Message("system", ""), Message("user", request)))

    steps = [*STEPS[:1], ("take mug 1 from shelf 1", "Taken."), *STEPS[1:]]
    artifact, _ = learn([make_trial("t", GOAL, *steps, won=True)], reply)
    assert artifact.files["workflows/0001.txt"].endswith("take {thing} from {somewhere}\nheat {thing}\n")
