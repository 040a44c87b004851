"""Milestones are matched as in AgentBoard; invalid milestone files are rejected."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.jericho.games import ZORK
from adapters.jericho.milestones import USER_FOLDER, MilestoneTracker, has_notes, read_notes
from bench.errors import DataError


def test_tracker_compares_letters_and_digits_with_case() -> None:
    tracker = MilestoneTracker(("You are in the kitchen.", "Room 12"))
    assert tracker.update("you are in the kitchen") == 0.0
    assert tracker.update("Suddenly: You are -- in the\nkitchen!") == 0.5
    assert tracker.update("Bedroom12") == 0.5
    assert tracker.update("Room 1, 2 beds") == 1.0


def test_tracker_counts_one_new_milestone_per_observation() -> None:
    tracker = MilestoneTracker(("lamp", "sword", "rope"))
    assert tracker.update("a sword, a lamp") == pytest.approx(1 / 3)
    assert tracker.update("a lamp") == pytest.approx(1 / 3)
    assert tracker.update("a sword, a lamp") == pytest.approx(2 / 3)
    assert tracker.update("the rope") == 1.0
    assert tracker.update("nothing") == 1.0


@given(st.lists(st.sampled_from(["lamp", "sword", "rope", "a lamp and a sword", "mud"])))
def test_tracker_progress_never_falls(texts: list[str]) -> None:
    tracker = MilestoneTracker(("lamp", "sword", "rope"))
    values = [0.0, *(tracker.update(text) for text in texts)]
    assert values == sorted(values)
    assert all(round((after - before) * 3, 6) in (0, 1) for before, after in pairwise(values))


@pytest.mark.parametrize("game", ZORK)
def test_read_notes_accepts_our_files(game: str, tmp_path: Path) -> None:
    notes = read_notes(tmp_path, game)
    assert notes.story_sha256 == ZORK[game]
    assert len(notes.milestones) == 6
    assert len(notes.walkthrough) <= 30
    assert notes.max_score > 0
    assert notes.goal.endswith(".")


def write(root: Path, text: str) -> None:
    (root / USER_FOLDER).mkdir(parents=True, exist_ok=True)
    (root / USER_FOLDER / "zenon.toml").write_text(text)


def test_read_notes_uses_user_file_only_for_other_games(tmp_path: Path) -> None:
    assert not has_notes(tmp_path, "zenon")
    write(tmp_path, 'id = "zenon"\ngoal = "Leave\\n the cell."\nmilestones = ["You are free."]\n')
    assert has_notes(tmp_path, "zenon")
    notes = read_notes(tmp_path, "zenon")
    assert (notes.goal, notes.milestones, notes.walkthrough, notes.max_score) == (
        "Leave the cell.", ("You are free.",), (), 0,
    )  # fmt: skip
    (tmp_path / USER_FOLDER / "zork1.toml").write_text('id = "zork1"\ngoal = "x"\nmilestones = ["x"]\n')
    assert len(read_notes(tmp_path, "zork1").milestones) == 6


def test_read_notes_error_for_missing_file_says_what_to_do(tmp_path: Path) -> None:
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
def test_read_notes_rejects_invalid_file(text: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    with pytest.raises(DataError, match="jericho zenon: expected"):
        read_notes(tmp_path, "zenon")
