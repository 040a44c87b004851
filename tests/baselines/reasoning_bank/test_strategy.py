"""ReasoningBank: which attempts are distilled, what of the replies is kept, what is recalled; and a whole run of it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from baselines.reasoning_bank.bank import read_bank
from baselines.reasoning_bank.strategy import STRATEGY
from bench.agents import EXPERIENCE_HEADING, EXPERIENCE_NOTE
from bench.config import LearnConfig, RunConfig
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Artifact, Event, EventKind, Query, Trial
from tests.baselines.learners import Script, make_kit, make_trial

MAP, TOMATO = "Bring the red map to the hall.", "Cool a tomato."
TRIALS = [
    make_trial("t2", TOMATO, ("look", "A tomato."), won=False),
    make_trial("t1", MAP, ("look", "A hall."), won=False),
    make_trial("t1", MAP, ("take map", "Taken."), won=True, attempt=2),
]


def make_reply(*contents: str) -> str:
    return json.dumps({"items": [{"title": "T", "description": "D", "content": one} for one in contents]})


def learn(script: Script, trials: list[Trial] | None = None, **given: str) -> Artifact:
    assert STRATEGY.learn is not None
    return STRATEGY.learn(TRIALS if trials is None else trials, make_kit(STRATEGY, script, **given))


def recall(artifact: Artifact, goal: str, **given: str) -> str:
    memory = STRATEGY.build(make_kit(STRATEGY, Script(["Action: look"]), artifact=artifact, **given)).memory
    memory.observe(Event("goal", EventKind.GOAL, goal))
    memory.observe(Event("a1", EventKind.ACTION, "look", 1))
    return memory.recall(Query("", goal, 2)).text


def test_each_attempt_is_distilled_once_with_its_outcome_and_the_solved_one_of_a_task_first() -> None:
    script = Script([make_reply("One."), make_reply("Two.", "Three."), make_reply()])
    artifact = learn(script)
    assert [role for role, _ in script.asked] == ["distill"] * 3
    outcomes = [request.rpartition("# Outcome\n")[2] for request in script.requests()]
    assert outcomes == ["The attempt solved the task.", *["The attempt did not solve the task."] * 2]
    assert f"# Task\n{MAP}\n\n# Attempt\n[1] Action: take map\n" in script.requests()[0]
    assert {name: found for name, found in artifact.sources.items() if name.startswith("items/")} == {
        "items/0001.txt": ("t1",),
        "items/0002.txt": ("t1",),
    }
    log = [json.loads(line) for line in artifact.files["distill.jsonl"].splitlines()]
    assert [(entry["task"], entry["won"], entry["items"]) for entry in log] == [
        ("t1", True, 1),
        ("t1", False, 2),
        ("t2", False, 0),
    ]


def test_bank_goes_on_attempt_by_attempt_in_the_order_of_play() -> None:
    script = Script([make_reply("One."), make_reply(), make_reply("Three.")])
    assert STRATEGY.update is not None
    artifact = Artifact()
    for trial in TRIALS:
        artifact = STRATEGY.update(trial, make_kit(STRATEGY, script, artifact=artifact))
    assert [name for name in artifact.files if name.startswith("items/")] == ["items/0001.txt", "items/0003.txt"]
    assert artifact.sources["items/0003.txt"] == artifact.sources["vectors/items/0003.txt"] == ("t1",)
    log = [json.loads(line) for line in artifact.files["distill.jsonl"].splitlines()]
    assert [(entry["task"], entry["items"]) for entry in log] == [("t2", 1), ("t1", 0), ("t1", 1)]
    assert "Three." in recall(artifact, MAP)


def test_successes_alone_are_distilled_on_request() -> None:
    script = Script([make_reply("One.")])
    learn(script, learn_from="won")
    assert len(script.asked) == 1


def test_items_of_the_nearest_attempt_are_shown_above_the_present() -> None:
    artifact = learn(Script([make_reply("One."), make_reply("Two."), make_reply("Three.", "Four.")]))
    assert recall(artifact, "Bring the blue map to the hall.").startswith(
        f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\nT\nD\nOne.\n\n## "
    )
    shown = recall(artifact, "Cool a red tomato.")
    assert "T\nD\nThree.\n\nT\nD\nFour." in shown
    assert "One." not in shown
    assert shown.endswith("[1] Action: look")


def test_k_is_the_number_of_attempts_with_the_nearest_last() -> None:
    artifact = learn(Script([make_reply("One."), make_reply("Two."), make_reply("Three.")]))
    shown = recall(artifact, MAP, k="2")
    assert shown.index("Two.") < shown.index("One.")
    assert "Three." not in shown


def test_reply_without_json_is_asked_for_once_more() -> None:
    script = Script(["Look first.", make_reply("One.")])
    artifact = learn(script, TRIALS[:1])
    assert "That reply cannot be used" in script.asked[1][1][-1].content
    assert [entry.render() for entry in read_bank(artifact).values()] == ["T\nD\nOne."]


def test_second_reply_without_json_is_counted_and_kept_as_one_item() -> None:
    artifact = learn(Script(["**Lesson**\nLook first."]), TRIALS[:1])
    assert [entry.render() for entry in read_bank(artifact).values()] == ["**Lesson** Look first."]
    assert json.loads(artifact.files["distill.jsonl"])["rejected"] == {"no JSON": 1}


def test_reply_that_is_nothing_but_a_thought_is_counted_and_leaves_no_file() -> None:
    artifact = learn(Script(["<think>Hm.</think>"]), TRIALS[:1])
    assert list(artifact.files) == ["distill.jsonl"]


@pytest.mark.parametrize("trials", [[], [make_trial("t1", MAP, won=False)]])
def test_pool_without_a_step_gives_no_call_and_no_item(trials: list[Trial]) -> None:
    script = Script([make_reply("One.")])
    artifact = learn(script, trials)
    assert script.asked == []
    assert artifact.files == {"distill.jsonl": ""}


def test_artifact_from_elsewhere_leaves_the_history_alone() -> None:
    assert recall(Artifact({"insights/0001.txt": "Jump."}), MAP) == "[1] Action: look"


def test_run_makes_one_call_for_each_gathered_attempt_and_shows_what_it_learned(tmp_path: Path) -> None:
    gathering = LearnConfig(policy="half-random", attempts=2, collectors=("full-history",))
    question = RunConfig(
        suites=("toy:houses=8",), strategies=("reasoning-bank",), steps=12, embedder="hash", workers=1, learn=gathering
    )
    run(question, tmp_path, root=tmp_path)
    with sqlite3.connect(tmp_path / "collect" / "full-history" / "run.sqlite") as db:
        ((gathered,),) = db.execute("SELECT count(*) FROM trials")
    with sqlite3.connect(tmp_path / "run.sqlite") as db:
        roles = dict(db.execute("SELECT role, count(*) FROM calls WHERE phase = 'learn' GROUP BY 1"))
    trials = read_trials(tmp_path, where="attempt = 1")
    contexts = [step.decision.context.text for trial in trials for step in trial.steps]
    assert roles == {"embed": 1, "distill": gathered}
    assert contexts
    assert all("To drop a thing, take it to the place that the task names" in text for text in contexts)
