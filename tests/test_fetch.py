"""Downloads: checked before they are used, and what was there before stays if anything is wrong."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from bench.data import data_root
from bench.errors import StoreError
from bench.fetch import fetch
from bench.protocols import DataSource


def served(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return path.as_uri()


@pytest.fixture
def archive(tmp_path: Path) -> str:
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as made:
        made.mkdir("games")
        made.writestr("games/one/game.txt", "one")
        made.writestr("games/two/notes.txt", "two")
    return (tmp_path / "games.zip").as_uri()


def left(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_file_lies_where_it_should_and_nothing_else_is_left(tmp_path: Path) -> None:
    url, root, said = served(tmp_path / "a.json", b"{}"), tmp_path / "data", list[str]()
    fetch(DataSource(url, "toy/a.json", hashlib.sha256(b"{}").hexdigest()), root, said.append)
    assert left(root) == {"toy/a.json": "{}"}
    assert said == [f"data: getting {url}"]


def test_a_zip_is_unpacked_or_part_of_it(tmp_path: Path, archive: str) -> None:
    fetch(DataSource(archive, "toy"), tmp_path / "all")
    assert left(tmp_path / "all") == {"toy/games/one/game.txt": "one", "toy/games/two/notes.txt": "two"}
    fetch(DataSource(archive, "toy", keep="game.txt"), tmp_path / "some")
    assert left(tmp_path / "some") == {"toy/games/one/game.txt": "one"}
    fetch(DataSource(archive, "toy/all.zip"), tmp_path / "whole")
    assert zipfile.is_zipfile(tmp_path / "whole" / "toy" / "all.zip")


def test_an_altered_download_leaves_what_was_there(tmp_path: Path) -> None:
    url, root = served(tmp_path / "a.json", b"changed"), tmp_path / "data"
    (root / "toy").mkdir(parents=True)
    (root / "toy" / "a.json").write_text("before")
    with pytest.raises(StoreError, match=r"expected sha256 0+ from .*, got [0-9a-f]{64}; the file changed upstream"):
        fetch(DataSource(url, "toy/a.json", "0" * 64), root)
    assert left(root) == {"toy/a.json": "before"}


def test_an_address_that_does_not_answer_names_it_and_the_place(tmp_path: Path) -> None:
    gone = (tmp_path / "gone").as_uri()
    with pytest.raises(StoreError, match=r"expected to get .*gone, got .*check the network, or put the file at .*toy"):
        fetch(DataSource(gone, "toy"), tmp_path / "data")
    assert left(tmp_path / "data") == {}


@pytest.mark.usefixtures("archive")
def test_a_broken_zip_leaves_nothing_half_done(tmp_path: Path) -> None:
    content = bytearray((tmp_path / "games.zip").read_bytes())
    content[content.index(b"two/notes.txt") + 13] ^= 1  # a byte of a member's content: its checksum no longer fits
    url = served(tmp_path / "bad.zip", bytes(content))
    with pytest.raises(StoreError, match="expected to get"):
        fetch(DataSource(url, "toy"), tmp_path / "data")
    assert left(tmp_path / "data") == {}


def test_a_zip_that_climbs_out_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as made:
        made.writestr("../../outside.txt", "gotcha")
    with pytest.raises(StoreError, match=r"expected members inside .*, got '../../outside.txt'; do not use this file"):
        fetch(DataSource((tmp_path / "evil.zip").as_uri(), "toy"), tmp_path / "data")
    assert not (tmp_path / "outside.txt").exists()


def test_the_data_root_is_the_variable_s_else_the_platform_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_DATA", str(tmp_path / "x" / ".." / "data"))
    assert data_root() == (tmp_path / "data").resolve()
    monkeypatch.setenv("BENCH_DATA", "~/data")
    assert data_root() == (Path.home() / "data").resolve()
    monkeypatch.delenv("BENCH_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_root().name == "memfrontier"
