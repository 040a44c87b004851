"""Splits on disk: selection, completeness, altered and missing games, archives, user downloads."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from adapters.alfworld import games
from adapters.alfworld.data import Fault, check
from adapters.alfworld.games import OfficialGames, compute_content_digest, load_pins, parse_game
from bench.errors import DataError

GameBytes = Callable[..., bytes]
FOLDER = "pick_and_place_simple-{}-None-Shelf-1"


def write_game(root: Path, split: str, task_id: str, data: bytes, tree: str = "alfworld/json_2.1.1") -> Path:
    path = root / tree / split / task_id / "game.tw-pddl"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path


@pytest.fixture
def two_expected(monkeypatch: pytest.MonkeyPatch, game: GameBytes) -> None:
    """Let splits be complete with two games, of which valid_unseen pins the content."""
    digest = compute_content_digest(parse_game(game(), "g"))
    pins = {FOLDER.format(kind) + "/t1": digest for kind in ("Mug", "Pen")}
    monkeypatch.setattr(games, "EXPECTED", dict.fromkeys(games.EXPECTED, 2))
    monkeypatch.setattr(games, "load_pins", lambda: {"move": pins, "put": pins})


@pytest.mark.usefixtures("two_expected")
@pytest.mark.parametrize("tree", ["alfworld/json_2.1.1", "json_2.1.1"])
def test_tasks_drop_what_official_loader_drops(tmp_path: Path, game: GameBytes, tree: str) -> None:
    for kind in ("Mug", "Pen"):
        write_game(tmp_path, "valid_seen", FOLDER.format(kind) + "/t1", game(), tree)
    write_game(tmp_path, "valid_seen", FOLDER.format("AppleSliced") + "/t1", game(), tree)
    write_game(tmp_path, "valid_seen", "pick_and_place_with_movable_recep-A-B-C-1/t1", game(), tree)
    write_game(tmp_path, "valid_seen", FOLDER.format("Cup") + "/t1", game(solvable=False), tree)
    unsaid = json.loads(game())
    del unsaid["solvable"]
    write_game(tmp_path, "valid_seen", FOLDER.format("Pot") + "/t1", json.dumps(unsaid).encode(), tree)
    tasks = OfficialGames(tmp_path, "valid_seen", "move").tasks()
    assert [task.id for task in tasks] == [FOLDER.format("Mug") + "/t1", FOLDER.format("Pen") + "/t1"]
    first = tasks[0]
    assert (first.group, first.cluster) == ("pick_and_place_simple", FOLDER.format("Mug"))
    assert first.source == f"{tree}/valid_seen/{first.id}/game.tw-pddl"
    assert first.digest == hashlib.sha256(game()).hexdigest()


@pytest.mark.usefixtures("two_expected")
def test_tasks_names_missing_game_and_command(tmp_path: Path, game: GameBytes) -> None:
    write_game(tmp_path, "valid_unseen", FOLDER.format("Mug") + "/t1", game())
    with pytest.raises(
        DataError, match=r"expected 2 games, got 1; missing: \S*Pen-None-Shelf-1/t1/game.tw-pddl.*get alfworld"
    ):
        OfficialGames(tmp_path, "valid_unseen", "move").tasks()
    with pytest.raises(
        DataError, match=r"valid_seen: expected 2 games, got 0; get them with `bench data get alfworld`"
    ):
        OfficialGames(tmp_path, "valid_seen", "move").tasks()


@pytest.mark.usefixtures("two_expected")
@pytest.mark.parametrize("damage", [b"", b"{", b'{"solvable": true}'])
def test_broken_game_fails_its_own_task_only(tmp_path: Path, game: GameBytes, damage: bytes) -> None:
    write_game(tmp_path, "valid_unseen", FOLDER.format("Mug") + "/t1", game())
    write_game(tmp_path, "valid_unseen", FOLDER.format("Pen") + "/t1", damage)
    source = OfficialGames(tmp_path, "valid_unseen", "move")
    good, bad = source.tasks()
    assert source.read(good) == game()
    with pytest.raises(DataError, match=r"Pen-None-Shelf-1/t1/game.tw-pddl: .*bench data get alfworld"):
        source.read(bad)


@pytest.mark.usefixtures("two_expected")
def test_read_rejects_altered_game(tmp_path: Path, game: GameBytes) -> None:
    write_game(tmp_path, "valid_unseen", FOLDER.format("Mug") + "/t1", game())
    other = json.loads(game())
    other["pddl_problem"] = other["pddl_problem"].replace("Shelf", "Drawer")
    path = write_game(tmp_path, "valid_unseen", FOLDER.format("Pen") + "/t1", json.dumps(other).encode())
    source = OfficialGames(tmp_path, "valid_unseen", "move")
    tasks = source.tasks()
    with pytest.raises(DataError, match="expected the game of the official release"):
        source.read(tasks[1])
    path.write_bytes(game())
    with pytest.raises(DataError, match="expected SHA-256"):  # not what was listed
        source.read(tasks[1])
    path.unlink()
    with pytest.raises(DataError, match="expected a game file, got No such file"):
        source.read(tasks[1])


@pytest.mark.usefixtures("two_expected")
def test_read_compares_bytes_with_manifest(tmp_path: Path, game: GameBytes) -> None:
    path = write_game(tmp_path, "valid_seen", FOLDER.format("Mug") + "/t1", game())
    write_game(tmp_path, "valid_seen", FOLDER.format("Pen") + "/t1", game())
    (tmp_path / "MANIFEST.sha256").write_text(f"{'0' * 64}  {path.relative_to(tmp_path)}\n")
    source = OfficialGames(tmp_path, "valid_seen", "move")
    bad, good = source.tasks()
    assert source.read(good)
    with pytest.raises(DataError, match="expected SHA-256 000000000000…"):
        source.read(bad)
    faults = {fault.path: fault.problem for fault in check(tmp_path)}
    assert faults[path.relative_to(tmp_path).as_posix()].startswith("altered")


def pack(path: Path, members: Mapping[str, bytes]) -> None:
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w:xz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


@pytest.mark.usefixtures("two_expected")
def test_archive_tasks_need_no_unpacking(tmp_path: Path, game: GameBytes) -> None:
    mug, pen = (f"json_2.1.1/train/{FOLDER.format(kind)}/t1/game.tw-pddl" for kind in ("Mug", "Pen"))
    archive = tmp_path / "alfworld" / "archives" / "json_2.1.1_train_games.tar.xz"
    other = f"json_2.1.1_put/train/{FOLDER.format('Mug')}/t1/game.tw-pddl"
    pack(archive, {pen: game(), mug: game(n=1), other: b"{}", mug.replace("game.tw-pddl", "traj.json"): b"{}"})
    before = sorted(tmp_path.rglob("*"))
    source = OfficialGames(tmp_path, "train", "move")
    tasks = source.tasks()
    assert [task.source for task in tasks] == [
        f"{archive.relative_to(tmp_path)}::{mug}",
        f"{archive.relative_to(tmp_path)}::{pen}",
    ]
    assert source.read(tasks[0]) == game(n=1)
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(DataError, match="from this suite's list"):
        OfficialGames(tmp_path, "train", "move").read(tasks[0])
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"train_games.tar.xz: expected an archive of games"):
        OfficialGames(tmp_path, "train", "move").tasks()


def test_load_pins_has_134_games_of_both_wordings() -> None:
    move, put = load_pins()["move"], load_pins()["put"]
    assert len(move) == len(put) == 134
    assert list(move) == list(put) == sorted(move)
    assert not set(move.values()) & set(put.values())


@pytest.mark.data
@pytest.mark.parametrize("version", ["move", "put"])
def test_valid_unseen_split_has_134_games(data_root: Path, version: str) -> None:
    source = OfficialGames(data_root, "valid_unseen", version)
    tasks = source.tasks()
    assert sorted(Counter(task.group for task in tasks).values()) == [17, 18, 21, 23, 24, 31]
    assert len({task.cluster for task in tasks}) == 47
    assert all(source.read(task) for task in tasks)


@pytest.mark.data
def test_valid_train_split_is_read_from_archive(data_root: Path) -> None:
    source = OfficialGames(data_root, "valid_train", "move")
    tasks = source.tasks()
    assert len(tasks) == 200
    assert all("valid_train_games.tar.xz::json_2.1.1/valid_train/" in task.source for task in tasks)
    unpacked = data_root / "alfworld" / tasks[0].source.split("::")[1]
    assert source.read(tasks[0]) == unpacked.read_bytes()


@pytest.mark.data
def test_check_finds_damage_in_real_data(data_root: Path, tmp_path: Path) -> None:
    assert check(data_root) == ()
    tree = tmp_path / "json_2.1.1"
    shutil.copytree(data_root / "alfworld" / "json_2.1.1" / "valid_unseen", tree / "valid_unseen")
    assert check(tmp_path) == ()
    ids = sorted(load_pins()["move"])
    paths = [tree / "valid_unseen" / task_id / "game.tw-pddl" for task_id in ids[:3]]
    for path in paths:
        path.chmod(0o644)
        path.parent.chmod(0o755)
    paths[0].unlink()
    paths[1].write_bytes(b"{")
    paths[2].write_bytes(paths[2].read_bytes().replace(b"alarmclock", b"alarmbell"))
    found = check(tmp_path)
    assert [fault.path for fault in found] == [path.relative_to(tmp_path).as_posix() for path in paths]
    assert [fault.problem.split(" ")[0] for fault in found] == ["missing", "not", "altered"]


def test_check_without_data_is_one_fault(tmp_path: Path) -> None:
    assert check(tmp_path) == (Fault("alfworld/json_2.1.1/valid_unseen", "missing"),)
