"""ACON's guidelines: which calls are made on what, and what is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from baselines.acon.learning import learn
from baselines.acon.memory import read_guideline
from baselines.acon.strategy import STRATEGY
from bench.types import Artifact, Trial
from tests.baselines.acon.trials import WHOLE, attempt, gather
from tests.baselines.learners import Script, make_kit


def say(history: str = "", observation: str = "") -> str:
    return json.dumps({"history": history, "observation": observation})


def run(trials: Sequence[Trial], *replies: str, **given_: str) -> tuple[Artifact, Script]:
    script = Script({"guideline": [*replies]} if replies else {"guideline": say("It lacked keys.", "It lacked doors.")})
    return learn(trials, make_kit(STRATEGY, script, **given_)), script


@pytest.mark.parametrize(
    "trials",
    [
        [],
        [attempt("t1", WHOLE, won=True)],  # nothing failed
        [attempt("t1", "Some hall.", won=False)],  # nothing succeeded
        [attempt("t1", WHOLE, won=True), attempt("t2", "Some hall.", won=False)],  # other tasks
        [attempt("t1", WHOLE, won=True), attempt("t1", WHOLE, won=False, number=2)],  # failed with everything in view
    ],
)
def test_pool_without_a_contrast_costs_no_call_and_leaves_the_guidelines_of_the_folder(trials: list[Trial]) -> None:
    artifact, script = run(trials)
    assert (artifact, script.asked) == (Artifact(), [])


def test_each_contrast_is_analysed_in_task_order_and_each_guideline_written_from_what_concerns_it() -> None:
    replies = [say("The first lacked keys."), say("The second lacked keys.", "It lacked doors.")]
    artifact, script = run(gather("t2", "t1"), *replies, "Keep keys.", "Keep doors.")
    assert [role for role, _ in script.asked] == ["guideline"] * 4
    assert "Open the door of t1." in script.requests("guideline")[0]
    history, observation = script.requests("guideline")[2:]
    assert history == (
        f"# Guideline so far\n{read_guideline('history', {})}\n\n"
        "# What was found\n- The first lacked keys.\n- The second lacked keys."
    )
    assert observation == (
        f"# Guideline so far\n{read_guideline('observation', {})}\n\n# What was found\n- It lacked doors."
    )
    assert artifact.files["history_guideline.txt"] == "Keep keys.\n"
    assert artifact.files["observation_guideline.txt"] == "Keep doors.\n"
    assert artifact.files["log/analyses.txt"].splitlines()[-1] == "observation: It lacked doors."
    assert set(artifact.sources.values()) == {("t1", "t2")}
    assert set(artifact.files) - set(artifact.sources) == {"log/learning.txt"}


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_guidelines_are_rewritten_after_every_batch(batch: int) -> None:
    _, script = run(gather("t1", "t2", "t3"), batch=str(batch))
    assert len(script.asked) == 3 + 2 * -(-3 // batch)


def test_guideline_that_nothing_was_said_on_is_not_written_again() -> None:
    artifact, script = run(gather("t1"), say("It lacked keys."), "Keep keys.")
    assert len(script.asked) == 2
    assert artifact.files["observation_guideline.txt"].strip() == read_guideline("observation", {})


def test_empty_reply_keeps_the_guideline_so_far() -> None:
    artifact, _ = run(gather("t1"), say("It lacked keys.", "It lacked doors."), "", "Keep doors.")
    assert artifact.files["history_guideline.txt"].strip() == read_guideline("history", {})
    assert artifact.files["observation_guideline.txt"] == "Keep doors.\n"


@pytest.mark.parametrize(
    "reply",
    [
        "**What the memory should have kept:**\n```json\n" + say("**History:** It lacked keys.") + "\n```",
        '{"History": "It lacked keys."}',
    ],
)
def test_own_label_of_an_analysis_is_not_passed_on(reply: str) -> None:
    _, script = run(gather("t1"), reply, "Keep keys.")
    assert script.requests("guideline")[-1].endswith("# What was found\n- It lacked keys.")


def test_analysis_without_json_is_asked_for_once_more_then_taken_as_said_of_the_history() -> None:
    artifact, script = run(gather("t1"), "It lacked keys.", "# Analysis\nIt lacked\nkeys.", "Keep keys.")
    assert len(script.asked) == 3
    assert script.requests("guideline")[-1].endswith("# What was found\n- It lacked keys.")
    assert artifact.files["log/learning.txt"] == "guideline: asked again = 1\nguideline: given up = 1\n"


SUCCESS = attempt("t2", "Some hall.", won=True)


def test_second_step_asks_what_successes_did_not_need() -> None:
    replies = [say("It lacked keys."), "Keep keys.", say("It kept cats."), "Keep keys, drop cats."]
    artifact, script = run([*gather("t1"), SUCCESS], *replies)
    assert "Open the door of t2." in script.requests("guideline")[2]
    assert script.requests("guideline")[3] == "# Guideline so far\nKeep keys.\n\n# What was found\n- It kept cats."
    assert artifact.files["history_guideline.txt"] == "Keep keys, drop cats.\n"
    assert artifact.sources["history_guideline.txt"] == ("t1", "t2")


def test_second_step_can_be_left_out() -> None:
    artifact, script = run([*gather("t1"), SUCCESS], say("It lacked keys."), "Keep keys.", shorten="off")
    assert len(script.asked) == 2
    assert artifact.sources["history_guideline.txt"] == ("t1",)
