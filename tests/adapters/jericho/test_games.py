"""Finding story files, and errors for missing or altered ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.jericho.games import AGENTBOARD, DATA, ROOT, ZORK, check, find_story, list_games, read_story
from bench.errors import DataError


def put(root: Path, path: str, content: bytes = b"story") -> Path:
    target = root / ROOT / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def test_splits_have_20_and_3_games() -> None:
    assert len(AGENTBOARD) == 20
    assert list_games("zork") == ["zork1", "zork2", "zork3"]
    assert set(list_games("zork")) < set(list_games("agentboard"))
    assert list_games("agentboard") == sorted(AGENTBOARD)
    assert {suffix: list(AGENTBOARD.values()).count(suffix) for suffix in (".z5", ".z8")} == {".z5": 18, ".z8": 2}


def test_find_story_searches_by_name(tmp_path: Path) -> None:
    assert find_story(tmp_path, "agentboard", "zenon") is None
    path = put(tmp_path, "z-machine-games/jericho-game-suite/zenon.z5")
    assert read_story(tmp_path, "agentboard", "zenon") == path
    put(tmp_path, "weapon.z3")
    assert find_story(tmp_path, "agentboard", "weapon") is None


def test_find_story_prefers_release_of_jericho_suite(tmp_path: Path) -> None:
    free = put(tmp_path, "zork/zork1/zork1.z3")
    assert find_story(tmp_path, "agentboard", "zork1") == free.relative_to(tmp_path)
    own = put(tmp_path, "suite/zork1.z5")
    assert find_story(tmp_path, "agentboard", "zork1") == own.relative_to(tmp_path)
    assert find_story(tmp_path, "zork", "zork1") == free.relative_to(tmp_path)


def test_read_story_names_missing_and_altered_files(tmp_path: Path) -> None:
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


def test_compute_digest_notices_changed_file(tmp_path: Path) -> None:
    path = put(tmp_path, "zenon.z5")
    first = read_story(tmp_path, "agentboard", "zenon")
    path.unlink()
    with pytest.raises(DataError, match="got none"):
        read_story(tmp_path, "agentboard", "zenon")
    assert first == path


def test_data_sources_have_digests() -> None:
    assert [source.sha256 for source in DATA.sources] == list(ZORK.values())


@pytest.mark.data
def test_check_passes_on_downloaded_games(data_root: Path) -> None:
    assert check(data_root) == ()
