"""What ExpeL shows while it acts: similar successes, then insights, then the present; and a whole run of it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from baselines.expel.strategy import STRATEGY
from baselines.shared.experience import write_pool
from baselines.shared.insights import InsightPool, Kind, Operation
from bench.agents import EXPERIENCE_HEADING, EXPERIENCE_NOTE
from bench.config import LearnConfig, RunConfig
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Artifact, Context, Event, EventKind, Query, Shape
from tests.baselines.learners import Script, make_kit, make_trial

NEAR, FAR, LONG = "Bring the red map to the hall.", "Cool a tomato.", "Bring the red map to the attic."


def make_artifact() -> Artifact:
    trials = [
        make_trial("t1", FAR, ("cool tomato", "It is cold."), won=True),
        make_trial("t2", LONG, *[("go on", "A long corridor.")] * 9, won=True),
        make_trial("t3", NEAR, ("take map", "Taken."), won=True),
    ]
    pool = InsightPool(20)
    pool.apply([Operation(Kind.ADD, text="Look first."), Operation(Kind.ADD, text="Then act.")], ["t1"])
    pool.apply([Operation(Kind.UPVOTE, 2)], ["t1"])
    return Artifact({**write_pool(trials).files, **pool.write("insights/").files})


def recall(artifact: Artifact, budget: int | None = None, **given: str) -> Context:
    memory = STRATEGY.build(make_kit(STRATEGY, Script(["Action: look"]), artifact=artifact, **given)).memory
    goal = "Bring the blue map to the hall."
    memory.observe(Event("goal", EventKind.GOAL, goal))
    memory.observe(Event("a1", EventKind.ACTION, "look", 1))
    return memory.recall(Query("", goal, 2, Shape.EPISODE, budget))


def test_prompt_holds_successes_with_the_nearest_last_then_insights_then_the_present() -> None:
    text = recall(make_artifact()).text
    assert text.startswith(f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\nTask (solved): {LONG}\n")
    assert f"\n\nTask (solved): {NEAR}\n[1] Action: take map\n" in text
    assert text.index(NEAR) < text.index("Insights:\n- Then act.\n- Look first.\n\n## ")
    assert text.endswith("[1] Action: look")
    assert FAR not in text


def test_success_that_is_too_long_gives_its_place_to_the_next() -> None:
    text = recall(make_artifact(), longest="150").text
    assert LONG not in text
    assert text.index(FAR) < text.index(NEAR)
    assert LONG in recall(make_artifact(), longest="0").text


def test_no_success_is_shown_where_all_are_too_long() -> None:
    assert recall(make_artifact(), longest="10").text.startswith(
        f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\nInsights:\n"
    )


@pytest.mark.parametrize(
    ("given", "shown", "hidden"),
    [({"insights": "off"}, NEAR, "Insights"), ({"retrieve": "off"}, "Insights", NEAR), ({"k": "1"}, NEAR, LONG)],
)
def test_parameters_leave_parts_out(given: dict[str, str], shown: str, hidden: str) -> None:
    text = recall(make_artifact(), **given).text
    assert shown in text
    assert hidden not in text


@pytest.mark.parametrize("artifact", [Artifact(), Artifact({"skills/1.txt": "Jump.", "insights/operations.jsonl": ""})])
def test_artifact_without_a_success_or_insight_leaves_the_history_alone(artifact: Artifact) -> None:
    assert recall(artifact).text == "[1] Action: look"


def test_small_budget_keeps_the_insights_longest() -> None:
    context = recall(make_artifact(), budget=60)
    assert context.truncated
    assert "Insights:" in context.text
    assert "Task (solved)" not in context.text


def count_calls(folder: Path, phase: str) -> dict[str, int]:
    with sqlite3.connect(folder / "run.sqlite") as db:
        return dict(db.execute("SELECT role, count(*) FROM calls WHERE phase = ? GROUP BY role", (phase,)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("expel")
    gathering = LearnConfig(policy="half-random", attempts=4, collectors=("reflexion",))
    question = RunConfig(
        suites=("toy:houses=12",), strategies=("expel",), steps=8, embedder="hash", workers=1, learn=gathering
    )
    run(question, folder, root=folder)
    return folder


def test_run_learns_with_as_many_calls_as_the_cost_model_says(folder: Path) -> None:
    with sqlite3.connect(folder / "collect" / "reflexion" / "run.sqlite") as db:
        solved = {task for (task,) in db.execute("SELECT task FROM trials WHERE end_reason = 'won'")}
        failed = [task for (task,) in db.execute("SELECT task FROM trials WHERE end_reason != 'won'")]
    assert solved
    assert set(failed) & solved
    expected = sum(task in solved for task in failed) + -(-len(solved) // 8)
    assert count_calls(folder, "learn") == {"embed": 1, "insight": expected}


def test_run_evaluates_with_what_was_learned_in_every_prompt(folder: Path) -> None:
    assert set(count_calls(folder, "act")) == {"act"}
    trials = read_trials(folder, where="attempt = 1")
    contexts = [step.decision.context.text for trial in trials for step in trial.steps]
    assert contexts
    assert all("Insights:\n- To drop a thing, take it to the place that the task names" in text for text in contexts)
    assert all("Task (solved): You are in the " in text for text in contexts)
