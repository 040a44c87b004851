"""The suite: tasks, fingerprint, and the walkthrough of each game."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.jericho.games import ZORK
from adapters.jericho.milestones import read_notes
from adapters.jericho.suite import SUITE, JerichoSuite
from bench.errors import DataError
from bench.protocols import Params, SuiteOptions
from bench.types import Observation, Task


def suite(root: Path, split: str = "zork", step_cap: int = 0, **params: str) -> JerichoSuite:
    return JerichoSuite(SuiteOptions(split, Params(SUITE.params, params), root, step_cap))


@pytest.fixture
def user_root(tmp_path: Path, story: Path) -> Path:
    """A data folder with one game of AgentBoard's list, as a user may have it: no release that anybody knows."""
    (tmp_path / "data" / "jericho").mkdir(parents=True)
    shutil.copy(story, tmp_path / "data" / "jericho" / "zenon.z5")
    return tmp_path / "data"


def task(of: JerichoSuite, game: str) -> Task:
    return next(one for one in of.tasks() if one.id == game)


def test_tasks_without_data_folder_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="bench data get jericho"):
        suite(tmp_path).tasks()


def test_missing_game_fails_its_own_task_only(user_root: Path) -> None:
    played = suite(user_root, "agentboard")
    tasks = played.tasks()
    assert [one.id for one in tasks] == sorted(one.id for one in tasks)
    assert len(tasks) == 20
    assert [one.id for one in tasks if one.digest] == ["zenon"]
    assert {one.group for one in tasks} == {"jericho"}
    with pytest.raises(DataError, match="expected its story file"):
        played.open(task(played, "905"))
    with pytest.raises(DataError, match="expected its milestones"):
        played.open(task(played, "zenon"))
    played.close()


def test_user_milestones_make_game_playable(user_root: Path) -> None:
    before = task(suite(user_root, "agentboard"), "zenon").digest
    (user_root / "jericho" / "milestones").mkdir()
    notes = 'id = "zenon"\ngoal = "Score."\nmilestones = ["Done."]\nmax_score = 2\n'
    (user_root / "jericho" / "milestones" / "zenon.toml").write_text(notes)
    played = suite(user_root, "agentboard")
    assert task(played, "zenon").digest != before
    env = played.open(task(played, "zenon"))
    assert env.reset().goal.startswith("Your goal: Score.\nHut")
    assert env.step("point").won
    env.close()
    played.close()
    scored = suite(user_root, "agentboard", measure="score")
    env = scored.open(task(scored, "zenon"))
    assert "Your goal: Explore" in env.reset().goal
    assert [env.step("point").progress for _ in range(2)] == [0.5, 1.0]
    env.close()
    scored.close()


def test_step_cap_of_run_overrides_preset(tmp_path: Path) -> None:
    caps = {preset: suite(tmp_path, preset=preset).limits().step_cap for preset in ("default", "agentboard", "code")}
    assert caps == {"default": 30, "agentboard": 30, "code": 50}
    assert suite(tmp_path, step_cap=7, preset="code").limits().step_cap == 7


@pytest.fixture
def zork(data_root: Path) -> Iterator[JerichoSuite]:
    made = suite(data_root)
    yield made
    made.close()


def replay(of: JerichoSuite, root: Path, game: str) -> list[Observation]:
    env = of.open(task(of, game))
    try:
        env.reset()
        return [env.step(command) for command in read_notes(root, game).walkthrough]
    finally:
        env.close()


@pytest.mark.data
@pytest.mark.parametrize("game", ZORK)
def test_walkthrough_reaches_every_milestone(game: str, zork: JerichoSuite, data_root: Path) -> None:
    seen = replay(zork, data_root, game)
    assert seen[-1].won
    assert seen[-1].progress == 1.0
    assert not any(one.won for one in seen[:-1])
    assert all(one.valid and not one.repairs for one in seen)
    assert seen == replay(zork, data_root, game)


@pytest.mark.data
@pytest.mark.parametrize(("game", "points"), [("zork1", 35), ("zork2", 0), ("zork3", 1)])
def test_native_score_equals_score_of_the_game(game: str, points: int, data_root: Path) -> None:
    notes = read_notes(data_root, game)
    scored = suite(data_root, measure="score")
    env = scored.open(task(scored, game))
    env.reset()
    seen = [env.step(command) for command in notes.walkthrough]
    said = env.step("score").text
    env.close()
    scored.close()
    assert seen[-1].progress == points / notes.max_score
    assert f" {points} " in said
    assert str(notes.max_score) in said


@pytest.mark.data
def test_real_engine_continues_after_halting_command(zork: JerichoSuite) -> None:
    env = zork.open(task(zork, "zork3"))
    env.reset()
    for command in ("take lamp", "turn on lamp", "s", "s", "e", "e", "s"):
        env.step(command)
    assert env.step("take seal").invalid_reason == "engine-fault"
    assert env.step("look").text.startswith("Royal Hall\n")
    env.close()


@pytest.mark.data
def test_reset_shows_no_title_page_and_no_suite_name(zork: JerichoSuite) -> None:
    for one in zork.tasks():
        env = zork.open(one)
        goal = env.reset().goal
        env.close()
        assert goal.startswith("Your goal: ")
        assert "Copyright" not in goal
        assert "jericho" not in goal.lower()


@pytest.mark.data
def test_fingerprint_differs_by_measure_split_and_cap(data_root: Path) -> None:
    made = [
        suite(data_root),
        suite(data_root, measure="score"),
        suite(data_root, "agentboard"),
        suite(data_root, step_cap=9),
    ]
    prints = [dict(one.fingerprint().entries) for one in made]
    assert prints[0]["engine"] == "jericho 3.3.1"
    assert len({tuple(sorted(one.items())) for one in prints}) == 4
    assert prints[0]["data"] != prints[1]["data"] != prints[2]["data"]
    assert prints[0]["data"] == prints[3]["data"]
