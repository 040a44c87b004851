"""ACE: which calls each attempt makes, what the playbook and its log hold, what is shown; and whole runs of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from baselines.ace.strategy import STRATEGY
from bench.agents import EXPERIENCE_HEADING, EXPERIENCE_NOTE
from bench.config import LearnConfig, RunConfig
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Artifact, Event, EventKind, Query, Trial
from tests.baselines.learners import CountingEmbedder, Script, make_kit, make_trial

TRIALS = [
    make_trial("t2", "Cool a tomato.", ("cool tomato", "It is cold."), won=True),
    make_trial("t1", "Bring the map.", ("look", "A hall."), won=False),
]
BULLET = "Playbook, strategies:\n- To "


def make_reflection(*lessons: str, **tags: str) -> str:
    named = [{"id": int(name[1:]), "tag": tag} for name, tag in tags.items()]
    return json.dumps({"analysis": "Hm.", "lessons": lessons, "tags": named})


def make_delta(*operations: Mapping[str, object]) -> str:
    return json.dumps({"operations": operations})


def add(text: str, section: str = "strategies") -> Mapping[str, object]:
    return {"op": "add", "section": section, "text": text}


def learn(script: Script, trials: list[Trial] = TRIALS, **given: str) -> Artifact:
    assert STRATEGY.learn is not None
    return STRATEGY.learn(trials, make_kit(STRATEGY, script, **given))


def recall(artifact: Artifact, budget: int | None = None) -> str:
    memory = STRATEGY.build(make_kit(STRATEGY, Script(["Action: look"]), artifact=artifact)).memory
    memory.observe(Event("goal", EventKind.GOAL, "Bring the map."))
    memory.observe(Event("a1", EventKind.ACTION, "look", 1))
    return memory.recall(Query("", "Bring the map.", 2, budget_tokens=budget)).text


def test_each_attempt_is_reflected_on_and_curated_in_the_order_of_tasks() -> None:
    script = Script(
        {
            "reflect": [make_reflection("Look."), make_reflection("Cool.", _1="helpful")],
            "update": [make_delta(add("Look first.")), make_delta(add("Fridges cool.", "facts"))],
        }
    )
    artifact = learn(script)
    assert [role for role, _ in script.asked] == ["reflect", "update"] * 2
    assert script.requests()[0].startswith("# Playbook so far\n(empty)\n\n# Task\nBring the map.")
    assert "#1 Look first. (helpful 0, harmful 0)" in script.requests("reflect")[1]
    assert "#1 Look first. (helpful 1, harmful 0)" in script.requests("update")[1]  # counted before it is curated
    assert artifact.files["playbook/0001.txt"].startswith("Look first.\n")
    assert artifact.sources == {"playbook/0001.txt": ("t1",), "playbook/0002.txt": ("t2",)}


def test_curator_is_not_asked_where_there_is_no_lesson_and_tags_count_all_the_same() -> None:
    script = Script(
        {
            "reflect": [make_reflection("Look."), make_reflection(_1="harmful")],
            "update": [make_delta(add("Look first."))],
        }
    )
    artifact = learn(script)
    assert script.calls == {"reflect": 2, "update": 1}
    assert artifact.files["playbook/0001.txt"] == "Look first.\n(bullet 1 of strategies, helpful 0, harmful 1)\n"


def test_log_holds_what_each_attempt_changed_and_counts_what_was_refused() -> None:
    script = Script(
        {
            "reflect": ["<think>Hm.</think>", "", make_reflection("Cool.", _7="helpful")],
            "update": [make_delta(add("Cool it."), {"op": "remove", "id": 5})],
        }
    )
    artifact = learn(script)
    lost, won = map(json.loads, artifact.files["log/deltas.jsonl"].splitlines())
    nothing = {"analysis": "", "lessons": [], "tags": [], "operations": []}
    assert lost == {"task": "t1", "won": False, **nothing, "bullets": 0}
    assert won["analysis"] == "Hm."
    assert won["lessons"] == ["Cool."]
    assert won["tags"] == [{"id": 7, "helpful": True}]
    assert [one["op"] for one in won["operations"]] == ["add", "remove"]
    assert won["bullets"] == 1
    assert artifact.files["log/learning.txt"].splitlines() == [
        "attempts = 2",
        "reflect: asked again = 1",
        "reflect: given up = 1",
        "rejected: unknown id = 2",
    ]


def test_epochs_go_through_the_attempts_again_with_the_playbook_so_far() -> None:
    script = Script({"reflect": make_reflection("Look."), "update": make_delta(add("Look first."))})
    artifact = learn(script, TRIALS[:1], epochs="3")
    assert script.calls == {"reflect": 3, "update": 3}
    assert [name for name in artifact.files if name.startswith("playbook")] == ["playbook/0001.txt"]


def test_cap_and_similar_are_those_of_the_playbook() -> None:
    def count(**given: str) -> int:
        delta = make_delta(add("Look at the map first."), add("Look at a map first."), add("Cool it."))
        script = Script({"reflect": make_reflection("Look."), "update": delta})
        return sum(name.startswith("playbook") for name in learn(script, TRIALS[:1], **given).files)

    assert [count(), count(cap="1"), count(similar="0.5")] == [3, 1, 2]


@pytest.mark.parametrize("trials", [[], [make_trial("t1", "Bring the map.", won=False)]])
def test_pool_without_a_step_gives_no_call_and_no_bullet(trials: list[Trial]) -> None:
    script = Script([make_reflection("Look.")])
    assert learn(script, trials).files == {"log/deltas.jsonl": "", "log/learning.txt": ""}
    assert script.asked == []


def make_artifact(*bullets: str) -> Artifact:
    return Artifact({f"playbook/{number:04d}.txt": text for number, text in enumerate(bullets, start=1)})


SHOWN = make_artifact(
    "Look first.\n(bullet 1 of strategies, helpful 1, harmful 0)\n",
    "Maps are in halls.\n(bullet 2 of facts, helpful 0, harmful 0)\n",
    "Go slowly.\n(bullet 3 of strategies, helpful 4, harmful 1)\n",
)


def test_playbook_stands_above_the_present_best_bullets_first_and_without_ids_and_counts() -> None:
    assert recall(SHOWN) == (
        f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\nPlaybook, facts:\n- Maps are in halls.\n\n"
        "Playbook, strategies:\n- Go slowly.\n- Look first.\n\n# This task so far\n[1] Action: look"
    )


def test_sections_leave_a_small_budget_one_by_one_and_strategies_last() -> None:
    with_both = recall(SHOWN)
    kit = make_kit(STRATEGY, Script(["Action: look"]))
    smaller = recall(SHOWN, kit.budget.count(with_both) - 1)
    assert "Playbook, facts" not in smaller
    assert "Playbook, strategies:\n- Go slowly." in smaller
    assert recall(SHOWN, 10) == "[1] Action: look"


def test_artifact_from_elsewhere_leaves_the_history_alone() -> None:
    assert recall(Artifact({"insights/0001.txt": "Jump."})) == "[1] Action: look"


def test_embedder_sees_bullets_alone() -> None:
    embedder = CountingEmbedder()
    script = Script({"reflect": make_reflection("Look."), "update": make_delta(add("Look first."))})
    assert STRATEGY.learn is not None
    STRATEGY.learn(TRIALS, make_kit(STRATEGY, script, embedder=embedder))
    assert embedder.calls == [["Look first."]]


def play(folder: Path, **given: Any) -> list[Trial]:
    question = RunConfig(suites=("toy:houses=8",), strategies=("ace",), steps=12, workers=1, embedder="hash", **given)
    run(question, folder, root=folder)
    return read_trials(folder, where="attempt = 1")


def read_roles(folder: Path) -> dict[str, int]:
    with sqlite3.connect(folder / "run.sqlite") as db:
        return dict(db.execute("SELECT role, count(*) FROM calls WHERE phase = 'learn' GROUP BY role"))


def test_run_reflects_on_each_gathered_attempt_and_shows_the_playbook(tmp_path: Path) -> None:
    trials = play(tmp_path, learn=LearnConfig(policy="half-random", attempts=2))
    with sqlite3.connect(tmp_path / "collect" / "full-history" / "run.sqlite") as db:
        ((gathered,),) = db.execute("SELECT count(*) FROM trials")
    roles = read_roles(tmp_path)
    assert set(roles) == {"reflect", "update", "embed"}
    assert roles["reflect"] == gathered >= roles["update"] > 0
    assert all(BULLET in step.decision.context.text for trial in trials for step in trial.steps)


def test_stream_begins_without_a_playbook_and_then_shows_what_was_learned(tmp_path: Path) -> None:
    trials = play(tmp_path, stream=3)
    taught = [BULLET in trial.steps[0].decision.context.text for trial in trials]
    assert len(trials) == 8
    assert taught.count(False) == 3
    first = tmp_path / "stream" / "toy_houses=8" / "ace" / "seed-0" / "after-0003"
    assert (first / "playbook" / "0001.txt").read_text().startswith("To ")
