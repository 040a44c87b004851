"""Dynamic Cheatsheet: what the curator is shown after each attempt, what is kept and shown; and a whole run of it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from baselines.dynamic_cheatsheet.strategy import STRATEGY
from bench.agents import EXPERIENCE_HEADING, EXPERIENCE_NOTE
from bench.config import LearnConfig, RunConfig
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Artifact, Event, EventKind, Query, Trial
from tests.baselines.learners import Script, make_kit, make_trial

TRIALS = [
    make_trial("t2", "Cool a tomato.", ("cool tomato", "It is cold."), won=True),
    make_trial("t1", "Bring the map.", ("take map", "Taken."), won=True, attempt=2),
    make_trial("t1", "Bring the map.", ("look", "A hall."), won=False),
]


def learn(script: Script, trials: list[Trial], **given: str) -> Artifact:
    assert STRATEGY.learn is not None
    return STRATEGY.learn(trials, make_kit(STRATEGY, script, **given))


def test_cheatsheet_is_written_anew_after_each_attempt_in_the_order_of_tasks() -> None:
    script = Script(["Look first.", "Take maps.", "Cool things."])
    artifact = learn(script, TRIALS)
    assert [role for role, _ in script.asked] == ["distill"] * 3
    sheets = [request.partition("\n\n# Task\n")[0] for request in script.requests()]
    assert sheets == [f"# Cheatsheet so far\n{text}" for text in ("(empty)", "Look first.", "Take maps.")]
    assert script.requests()[0].endswith("# Outcome\nThe attempt did not solve the task.")
    assert "# Attempt\n[1] Action: take map\n" in script.requests()[1]
    assert artifact.files["cheatsheet.txt"] == "Cool things.\n"
    assert artifact.sources["cheatsheet.txt"] == ("t1", "t2")


def test_one_more_attempt_goes_on_from_the_artifact_alone() -> None:
    script = Script(["Take maps."])
    assert STRATEGY.update is not None
    before = Artifact({"cheatsheet.txt": "Look first.\n", "curate.jsonl": "{}\n"}, {"curate.jsonl": ("t9",)})
    artifact = STRATEGY.update(TRIALS[1], make_kit(STRATEGY, script, artifact=before))
    assert script.requests()[0].startswith("# Cheatsheet so far\nLook first.\n\n# Task\nBring the map.")
    assert artifact.files["cheatsheet.txt"] == "Take maps.\n"
    assert artifact.files["curate.jsonl"].count("\n") == 2
    assert artifact.sources["cheatsheet.txt"] == ("t1", "t9")


def test_empty_reply_leaves_the_cheatsheet_as_it_was_and_is_logged() -> None:
    artifact = learn(Script(["Look first.", "<think>Hm.</think>", ""]), TRIALS)
    assert artifact.files["cheatsheet.txt"] == "Look first.\n"
    log = [json.loads(line) for line in artifact.files["curate.jsonl"].splitlines()]
    assert [entry["written"] for entry in log] == [True, False, False]


def test_cheatsheet_may_stay_empty() -> None:
    script = Script(["(empty)"])
    assert list(learn(script, TRIALS).files) == ["curate.jsonl"]
    assert all(request.startswith("# Cheatsheet so far\n(empty)\n") for request in script.requests())


def test_cheatsheet_keeps_to_its_length_and_the_prompt_names_it() -> None:
    script = Script(["One two three. Four five six. Seven eight."])
    artifact = learn(script, TRIALS[:1], tokens="8")
    assert artifact.files["cheatsheet.txt"] == "One two three. Four five six. …\n"
    assert "about 6 words" in script.asked[0][1][0].content


@pytest.mark.parametrize("trials", [[], [make_trial("t1", "Bring the map.", won=False)]])
def test_pool_without_a_step_gives_no_call_and_no_cheatsheet(trials: list[Trial]) -> None:
    script = Script(["Look first."])
    assert learn(script, trials).files == {"curate.jsonl": ""}
    assert script.asked == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"cheatsheet.txt": "Look first.\n"},
            f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\nCheatsheet:\nLook first.\n\n## ",
        ),
        ({"cheatsheet.txt": " \n", "insights/0001.txt": "Jump."}, "[1] Action: look"),
    ],
)
def test_cheatsheet_stands_above_the_present_and_nothing_else_does(files: dict[str, str], expected: str) -> None:
    memory = STRATEGY.build(make_kit(STRATEGY, Script(["Action: look"]), artifact=Artifact(files))).memory
    memory.observe(Event("goal", EventKind.GOAL, "Bring the map."))
    memory.observe(Event("a1", EventKind.ACTION, "look", 1))
    text = memory.recall(Query("", "Bring the map.", 2)).text
    assert text.startswith(expected)
    assert text.endswith("[1] Action: look")


def test_run_makes_one_call_for_each_gathered_attempt_and_shows_what_it_wrote(tmp_path: Path) -> None:
    question = RunConfig(
        suites=("toy:houses=8",),
        strategies=("dynamic-cheatsheet",),
        steps=12,
        workers=1,
        learn=LearnConfig(policy="half-random", attempts=2),
    )
    run(question, tmp_path, root=tmp_path)
    with sqlite3.connect(tmp_path / "collect" / "full-history" / "run.sqlite") as db:
        ((gathered,),) = db.execute("SELECT count(*) FROM trials")
    with sqlite3.connect(tmp_path / "run.sqlite") as db:
        roles = dict(db.execute("SELECT role, count(*) FROM calls WHERE phase = 'learn' GROUP BY role"))
    trials = read_trials(tmp_path, where="attempt = 1")
    assert roles == {"distill": gathered}
    assert all("Cheatsheet:\nTo " in step.decision.context.text for trial in trials for step in trial.steps)
