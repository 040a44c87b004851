"""Where story files are looked for, and what is said of those that are missing or altered."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.jericho.games import AGENTBOARD, DATA, ROOT, ZORK, check, find_story, games_of, read_story
from bench.errors import DataError


def put(root: Path, path: str, content: bytes = b"story") -> Path:
    target = root / ROOT / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def test_the_splits_are_agentboard_s_20_games_and_the_three_free_ones() -> None:
    assert len(AGENTBOARD) == 20
    assert games_of("zork") == ["zork1", "zork2", "zork3"]
    assert set(games_of("zork")) < set(games_of("agentboard"))
    assert games_of("agentboard") == sorted(AGENTBOARD)
    assert {suffix: list(AGENTBOARD.values()).count(suffix) for suffix in (".z5", ".z8")} == {".z5": 18, ".z8": 2}


def test_a_game_is_found_by_name_wherever_it_lies(tmp_path: Path) -> None:
    assert find_story(tmp_path, "agentboard", "zenon") is None
    path = put(tmp_path, "z-machine-games/jericho-game-suite/zenon.z5")
    assert read_story(tmp_path, "agentboard", "zenon") == path
    put(tmp_path, "weapon.z3")
    assert find_story(tmp_path, "agentboard", "weapon") is None


def test_the_suite_s_own_release_comes_first_where_agentboard_is_asked_for(tmp_path: Path) -> None:
    free = put(tmp_path, "zork/zork1/zork1.z3")
    assert find_story(tmp_path, "agentboard", "zork1") == free.relative_to(tmp_path)
    own = put(tmp_path, "suite/zork1.z5")
    assert find_story(tmp_path, "agentboard", "zork1") == own.relative_to(tmp_path)
    assert find_story(tmp_path, "zork", "zork1") == free.relative_to(tmp_path)


def test_missing_and_altered_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"jericho zork1: expected its story file .* bench data get jericho"):
        read_story(tmp_path, "zork", "zork1")
    with pytest.raises(DataError, match=r"jericho zenon: .* get zenon\.z5 from https://github\.com/BYU-PCCL"):
        read_story(tmp_path, "agentboard", "zenon")
    put(tmp_path, "zork/zork1/zork1.z3")
    with pytest.raises(DataError, match=f"with SHA-256 {ZORK['zork1'][:12]}, got"):
        read_story(tmp_path, "zork", "zork1")
    assert [(fault.path, fault.problem) for fault in check(tmp_path)] == [
        ("jericho/zork/zork1/zork1.z3", "altered"),
        ("jericho/zork/zork2/zork2.z3", "missing"),
        ("jericho/zork/zork3/zork3.z3", "missing"),
    ]


def test_an_altered_file_is_noticed_when_it_changes(tmp_path: Path) -> None:
    path = put(tmp_path, "zenon.z5")
    first = read_story(tmp_path, "agentboard", "zenon")
    path.unlink()
    with pytest.raises(DataError, match="got none"):
        read_story(tmp_path, "agentboard", "zenon")
    assert first == path


def test_every_download_has_its_digest() -> None:
    assert [source.sha256 for source in DATA.sources] == list(ZORK.values())


@pytest.mark.data
def test_the_three_games_are_whole(data_root: Path) -> None:
    assert check(data_root) == ()
