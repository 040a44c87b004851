"""A user's own story files: found, checked before the engine sees them, scored by the game's own words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adapters.jericho.milestones import read_notes
from adapters.jericho.own import find_own_stories
from adapters.jericho.suite import SUITE, JerichoSuite
from bench.errors import DataError
from bench.protocols import Params, SuiteOptions
from tests.conftest import RunBench


def suite(path: Path, **params: str) -> JerichoSuite:
    return JerichoSuite(SuiteOptions("own", Params(SUITE.params, {"path": str(path), **params}), Path("none")))


def test_find_own_stories_takes_a_file_or_a_folder(story: Path) -> None:
    assert [one.id for one in find_own_stories(story)] == ["hut"]
    (story.parent / "more").mkdir()
    shutil.copy(story, story.parent / "more" / "b.Z5")
    (story.parent / "notes.txt").write_text("not a game")
    assert [one.id for one in find_own_stories(story.parent)] == ["hut", "more/b"]


def test_find_own_stories_refuses_nothing_and_two_of_a_name(tmp_path: Path, story: Path) -> None:
    with pytest.raises(DataError, match=r"expected path= a story file \(\.z1 to \.z8\)"):
        find_own_stories(tmp_path / "none.z5")
    shutil.copy(story, story.with_suffix(".z5"))
    with pytest.raises(DataError, match="got two of hut; rename one"):
        find_own_stories(story.parent)


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"", "a file without its header"), (b"\x09" + bytes(99), "a file without its header"), (None, "it is cut off")],
)
def test_file_that_is_no_story_costs_its_own_task_in_one_line(story: Path, content: bytes | None, fault: str) -> None:
    other = story.with_name("other.z3")
    other.write_bytes(story.read_bytes()[:200] if content is None else content)
    of = suite(story.parent)
    assert [task.id for task in of.tasks()] == ["hut", "other"]
    with pytest.raises(DataError, match=rf"jericho other: expected a story file for the Z-machine .*{fault}"):
        of.open(of.tasks()[1])


def test_story_that_changes_during_a_run_is_refused(story: Path) -> None:
    before = suite(story).tasks()[0]
    story.write_bytes(story.read_bytes() + b"\0")
    with pytest.raises(DataError, match="expected the story file that the run began with"):
        suite(story).open(before)


def test_own_notes_beside_the_story_give_goal_and_milestones(story: Path) -> None:
    plain = suite(story).tasks()[0].digest
    story.with_suffix(".toml").write_text('id = "hut"\ngoal = "Look around."\nmilestones = ["x"]\n')
    of = suite(story)
    assert of.tasks()[0].digest != plain
    of.close()
    story.with_suffix(".toml").write_text('id = "other"\ngoal = "Look around."\nmilestones = ["x"]\n')
    with pytest.raises(DataError, match=r"expected in .*hut\.toml the id 'hut'"):
        suite(story).tasks()


@pytest.mark.data
def test_score_of_a_game_is_read_off_its_own_words_and_costs_no_move(data_root: Path, tmp_path: Path) -> None:
    shutil.copy(data_root / "jericho" / "zork" / "zork1" / "zork1.z3", tmp_path / "house.z3")
    of = suite(tmp_path / "house.z3")
    env = of.open(of.tasks()[0])
    opening = env.reset()
    assert opening.goal.startswith("Your goal: Explore this world and get as many points as the game gives.")
    seen = [env.step(command) for command in read_notes(data_root, "zork1").walkthrough[:4]]
    assert [round(one.progress * 350) for one in seen] == [0, 0, 0, 10]
    moves = env.step("score").text
    assert "10 (total of 350 points), in 4 moves" in moves
    env.close()
    of.close()


@pytest.mark.data
def test_run_of_an_own_story_ends_in_a_table(bench: RunBench, data_root: Path, tmp_path: Path) -> None:
    shutil.copy(data_root / "jericho" / "zork" / "zork1" / "zork1.z3", tmp_path / "house.z3")
    (tmp_path / "broken.z5").write_bytes(b"no story")
    done = bench("run", f"jericho:path={tmp_path}", "-s", "window", "--steps", "3", "-o", tmp_path / "run")
    assert "data-error in 1 trial" in done.err
    assert "1/2" in done.out
