"""Milestones are matched as AgentBoard does, joined by the game's id, and refused when they could not be scored."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.jericho.games import ZORK
from adapters.jericho.milestones import USER_FOLDER, Reached, has_notes, read_notes
from bench.errors import DataError


def test_letters_and_digits_alone_are_compared_and_case_counts() -> None:
    reached = Reached(("You are in the kitchen.", "Room 12"))
    assert reached.see("you are in the kitchen") == 0.0
    assert reached.see("Suddenly: You are -- in the\nkitchen!") == 0.5
    assert reached.see("Bedroom12") == 0.5
    assert reached.see("Room 1, 2 beds") == 1.0


def test_an_observation_reaches_one_new_milestone_at_most() -> None:
    reached = Reached(("lamp", "sword", "rope"))
    assert reached.see("a sword, a lamp") == pytest.approx(1 / 3)
    assert reached.see("a lamp") == pytest.approx(1 / 3)
    assert reached.see("a sword, a lamp") == pytest.approx(2 / 3)
    assert reached.see("the rope") == 1.0
    assert reached.see("nothing") == 1.0


@given(st.lists(st.sampled_from(["lamp", "sword", "rope", "a lamp and a sword", "mud"])))
def test_progress_never_falls(texts: list[str]) -> None:
    reached = Reached(("lamp", "sword", "rope"))
    seen = [0.0, *(reached.see(text) for text in texts)]
    assert seen == sorted(seen)
    assert all(round((after - before) * 3, 6) in (0, 1) for before, after in pairwise(seen))


@pytest.mark.parametrize("game", ZORK)
def test_our_files_are_whole(game: str, tmp_path: Path) -> None:
    notes = read_notes(tmp_path, game)
    assert notes.story_sha256 == ZORK[game]
    assert len(notes.milestones) == 6
    assert len(notes.walkthrough) <= 30
    assert notes.max_score > 0
    assert notes.goal.endswith(".")


def write(root: Path, text: str) -> None:
    (root / USER_FOLDER).mkdir(parents=True, exist_ok=True)
    (root / USER_FOLDER / "zenon.toml").write_text(text)


def test_a_user_s_own_file_is_taken_and_ours_is_not_replaced(tmp_path: Path) -> None:
    assert not has_notes(tmp_path, "zenon")
    write(tmp_path, 'id = "zenon"\ngoal = "Leave\\n the cell."\nmilestones = ["You are free."]\n')
    assert has_notes(tmp_path, "zenon")
    notes = read_notes(tmp_path, "zenon")
    assert (notes.goal, notes.milestones, notes.walkthrough, notes.max_score) == (
        "Leave the cell.", ("You are free.",), (), 0,
    )  # fmt: skip
    (tmp_path / USER_FOLDER / "zork1.toml").write_text('id = "zork1"\ngoal = "x"\nmilestones = ["x"]\n')
    assert len(read_notes(tmp_path, "zork1").milestones) == 6


def test_a_missing_file_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"jericho zenon: expected its milestones .*zenon\.toml.*measure=score"):
        read_notes(tmp_path, "zenon")


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        'id = "zenon"\ngoal = "x"\n',
        'id = "zork1"\ngoal = "x"\nmilestones = ["x"]\n',
        'id = "zenon"\ngoal = ""\nmilestones = ["x"]\n',
        'id = "zenon"\ngoal = "x"\nmilestones = []\n',
        'id = "zenon"\ngoal = "x"\nmilestones = ["..."]\n',
        'id = "zenon"\ngoal = "x"\nmilestones = ["one two", "onetwo"]\n',
    ],
)
def test_a_file_that_could_not_be_scored_is_refused(text: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    with pytest.raises(DataError, match="jericho zenon: expected"):
        read_notes(tmp_path, "zenon")
