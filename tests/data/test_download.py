"""Downloads: checked before they are used; the old files stay if anything is wrong."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.data.download import fetch
from bench.data.root import data_root
from bench.errors import StoreError
from bench.protocols import DataSource

Pack = Callable[[Path, dict[str, str]], str]


def write_url(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return path.as_uri()


FILES = {"top/games/one/game.txt": "one", "top/games/two/game.txt": "two", "top/notes.txt": "not wanted"}


def make_zip(path: Path, files: dict[str, str]) -> str:
    with zipfile.ZipFile(path, "w") as made:
        made.mkdir("top")
        for name, text in files.items():
            made.writestr(name, text)
    return path.as_uri()


def make_tar(path: Path, files: dict[str, str]) -> str:
    with tarfile.open(path, "w:gz") as made:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            made.addfile(entry, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("top/games/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    return path.as_uri()


def read_files(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def source(url: str, to: str = "toy", *, sha256: str = "", inside: str = "games") -> DataSource:
    return DataSource(url=url, to=to, sha256=sha256, inside=inside)


def test_fetch_stores_a_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    url, root, lines = write_url(tmp_path / "a.json", b"{}"), tmp_path / "data", list[str]()
    fetch(source(url, "toy/a.json", sha256=hashlib.sha256(b"{}").hexdigest(), inside=""), root, lines.append)
    assert read_files(root) == {"toy/a.json": "{}"}
    assert lines == [f"data: getting {url}"]


@pytest.mark.parametrize("make_archive", [make_zip, make_tar])
def test_fetch_unpacks_one_folder_of_an_archive(make_archive: Pack, tmp_path: Path) -> None:
    url = make_archive(tmp_path / "archive", FILES)
    fetch(source(url), tmp_path / "data")
    assert read_files(tmp_path / "data") == {"toy/one/game.txt": "one", "toy/two/game.txt": "two"}
    fetch(source(url, "toy/all.bin", inside=""), tmp_path / "whole")
    assert (tmp_path / "whole" / "toy" / "all.bin").read_bytes() == (tmp_path / "archive").read_bytes()


@pytest.mark.parametrize("make_archive", [make_zip, make_tar])
def test_fetch_rejects_an_archive_without_the_folder(make_archive: Pack, tmp_path: Path) -> None:
    url = make_archive(tmp_path / "archive", FILES)
    with pytest.raises(StoreError, match=r"expected a folder house in .*, got an archive without; report it"):
        fetch(source(url, inside="house"), tmp_path / "data")
    assert read_files(tmp_path / "data") == {}


@pytest.mark.parametrize("make_archive", [make_zip, make_tar])
def test_fetch_rejects_a_member_outside_the_target(make_archive: Pack, tmp_path: Path) -> None:
    url = make_archive(tmp_path / "archive", {**FILES, "games/../../../outside.txt": "gotcha"})
    with pytest.raises(StoreError, match=r"expected members inside .*, got 'games/\.\./.*outside\.txt'; do not use it"):
        fetch(source(url), tmp_path / "data")
    assert read_files(tmp_path / "data") == {}
    assert not (tmp_path / "outside.txt").exists()


def test_fetch_with_another_digest_keeps_the_old_file(tmp_path: Path) -> None:
    url, root = write_url(tmp_path / "a.json", b"changed"), tmp_path / "data"
    (root / "toy").mkdir(parents=True)
    (root / "toy" / "a.json").write_text("before")
    with pytest.raises(StoreError, match=r"expected sha256 0+ from .*, got [0-9a-f]{64}; the file changed upstream"):
        fetch(source(url, "toy/a.json", sha256="0" * 64, inside=""), root)
    assert read_files(root) == {"toy/a.json": "before"}


def test_fetch_of_a_missing_address_names_it_and_the_target(tmp_path: Path) -> None:
    gone = (tmp_path / "gone").as_uri()
    with pytest.raises(StoreError, match=r"expected to get .*gone, got .*check the network, or put the file at .*toy"):
        fetch(source(gone), tmp_path / "data")
    assert read_files(tmp_path / "data") == {}


@pytest.mark.parametrize("content", [b"no archive at all", b""])
def test_fetch_of_a_file_that_is_no_archive_fails_in_one_line(tmp_path: Path, content: bytes) -> None:
    url = write_url(tmp_path / "page.html", content)
    with pytest.raises(StoreError, match="expected to get") as caught:
        fetch(source(url), tmp_path / "data")
    assert "\n" not in str(caught.value)


def test_fetch_of_a_damaged_archive_keeps_the_old_files(tmp_path: Path) -> None:
    make_zip(tmp_path / "games.zip", FILES)
    content = bytearray((tmp_path / "games.zip").read_bytes())
    content[content.index(b"two/game.txt") + 12] ^= 1  # a byte of the content: its checksum no longer fits
    url = write_url(tmp_path / "bad.zip", bytes(content))
    (tmp_path / "data" / "toy" / "one").mkdir(parents=True)
    (tmp_path / "data" / "toy" / "one" / "game.txt").write_text("before")
    with pytest.raises(StoreError, match=r"expected to get .*Bad CRC"):
        fetch(source(url), tmp_path / "data")
    assert read_files(tmp_path / "data") == {"toy/one/game.txt": "before"}


def test_data_root_is_the_variable_or_the_platform_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_DATA", str(tmp_path / "x" / ".." / "data"))
    assert data_root() == (tmp_path / "data").resolve()
    monkeypatch.setenv("BENCH_DATA", "~/data")
    assert data_root() == (Path.home() / "data").resolve()
    monkeypatch.delenv("BENCH_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_root().name == "memfrontier"


@pytest.mark.parametrize("inside", ["", "games"])
def test_fetch_keeps_files_of_the_users_own(tmp_path: Path, inside: str) -> None:
    """Each fetch keeps what differs under a name of its own, and nothing where the file is the same."""
    url = make_zip(tmp_path / "a.zip", FILES) if inside else write_url(tmp_path / "a", b"one")
    root, lines = tmp_path / "data", list[str]()
    name = "toy/one/game.txt" if inside else "toy/a"
    for mine in ("first", "second", None):
        if mine:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(mine)
        fetch(source(url, "toy" if inside else "toy/a", inside=inside), root, lines.append)
    found = {path: text for path, text in read_files(root).items() if path.startswith(name)}
    assert found == {name: "one", f"{name}.replaced": "first", f"{name}.replaced1": "second"}
    assert [line.rpartition(" ")[2] for line in lines if "kept as" in line] == [
        f"{Path(name).name}.replaced",
        f"{Path(name).name}.replaced1",
    ]
