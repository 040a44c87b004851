"""A user's own games: found by their task type, played, refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adapters.alfworld.grammar import Grammar
from adapters.alfworld.own import OwnGames
from adapters.alfworld.procedural import GeneratedGames
from bench.errors import DataError
from tests.conftest import RunBench


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two games as a user may lay them: one as alfworld does, one by its own name, saved on Windows."""
    pytest.importorskip("alfworld", reason="needs the games of package alfworld")
    games = GeneratedGames(Grammar("move"), tasks_a_type=1)
    for task in games.tasks()[:2]:
        data = games.read(task)
        home = tmp_path / "games" / task.cluster
        (home / "trial_1").mkdir(parents=True)
        (home / "trial_1" / "game.tw-pddl").write_bytes(data)
        (home / "mine.tw-pddl").write_bytes(json.dumps(json.loads(data), indent=1).replace("\n", "\r\n").encode())
    return tmp_path / "games"


def test_tasks_are_named_by_folder_and_typed_by_it(folder: Path) -> None:
    tasks = OwnGames(folder).tasks()
    assert [task.id.rsplit("/", 1)[1] for task in tasks] == ["mine", "trial_1"] * 2
    assert {task.group for task in tasks} == {task.id.split("-")[0] for task in tasks}
    assert [task.id for task in OwnGames(folder / tasks[0].cluster).tasks()] == ["mine", "trial_1"]


def test_folder_without_games_or_task_types_is_one_clear_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"expected path= a folder with games \(\*\.tw-pddl\) in it"):
        OwnGames(tmp_path / "none").tasks()
    (tmp_path / "games" / "loose.tw-pddl").write_text("{}")
    with pytest.raises(DataError, match="expected a folder above it that begins with a task type, got none"):
        OwnGames(folder).tasks()


def test_game_that_changes_during_a_run_is_refused(folder: Path) -> None:
    games = OwnGames(folder)
    task = games.tasks()[0]
    Path(task.source).write_text("{}")
    with pytest.raises(DataError, match="expected the game that the run began with"):
        games.read(task)


def test_run_of_own_games_costs_a_broken_one_its_own_task(bench: RunBench, folder: Path) -> None:
    home = sorted(folder.iterdir())[0]
    (home / "broken.tw-pddl").write_text("no game")
    done = bench("run", f"alfworld:path={folder}", "-s", "full-history", "-o", "mine")
    assert "data-error in 1 trial, the first is full-history@" in done.err
    assert "4/5" in done.out
