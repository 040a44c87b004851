"""Downloads: checked before they are used, gone on with where they were cut; old files stay if anything is wrong."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.data.download import fetch
from bench.data.root import data_root
from bench.errors import StoreError, Unreachable
from bench.protocols import DataSource
from tests.servers.file_server import FileServer
from tests.servers.hub_server import COMMIT, FakeHub

ROOT = Path(__file__).parents[2]
Pack = Callable[[dict[str, str]], bytes]
FILES = {"top/games/one/game.txt": "one", "top/games/two/game.txt": "two", "top/notes.txt": "not wanted"}


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer({}) as made:
        yield made


def make_zip(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.mkdir("top")
        for name, text in files.items():
            made.writestr(name, text)
    return packed.getvalue()


def make_tar(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            made.addfile(entry, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("top/games/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    return packed.getvalue()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_files(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def source(url: str, to: str = "toy", *, sha256: str = "", inside: str = "games") -> DataSource:
    return DataSource(url=url, to=to, sha256=sha256, inside=inside)


def test_fetch_stores_a_file_and_leaves_nothing_else(server: FileServer, tmp_path: Path) -> None:
    url, root, lines = server.url("a.json"), tmp_path / "data", list[str]()
    server.files["a.json"] = b"{}"
    fetch(source(url, "toy/a.json", sha256=digest(b"{}"), inside=""), root, lines.append)
    assert read_files(root) == {"toy/a.json": "{}"}
    assert sorted(path.name for path in root.iterdir()) == ["toy"]
    assert lines == [f"data: getting {url}"]


@pytest.mark.parametrize("make_archive", [make_zip, make_tar])
def test_fetch_unpacks_one_folder_of_an_archive(make_archive: Pack, server: FileServer, tmp_path: Path) -> None:
    url = server.url("archive")
    server.files["archive"] = make_archive(FILES)
    fetch(source(url), tmp_path / "data")
    assert read_files(tmp_path / "data") == {"toy/one/game.txt": "one", "toy/two/game.txt": "two"}
    fetch(source(url, "toy/all.bin", inside=""), tmp_path / "whole")
    assert (tmp_path / "whole" / "toy" / "all.bin").read_bytes() == server.files["archive"]


@pytest.mark.parametrize("make_archive", [make_zip, make_tar])
def test_fetch_rejects_an_archive_without_the_folder(make_archive: Pack, server: FileServer, tmp_path: Path) -> None:
    url = server.url("archive")
    server.files["archive"] = make_archive(FILES)
    with pytest.raises(StoreError, match=r"expected a folder house in .*, got an archive without; report it"):
        fetch(source(url, inside="house"), tmp_path / "data")
    assert read_files(tmp_path / "data") == {}


@pytest.mark.parametrize("make_archive", [make_zip, make_tar])
def test_fetch_rejects_a_member_outside_the_target(make_archive: Pack, server: FileServer, tmp_path: Path) -> None:
    url = server.url("archive")
    server.files["archive"] = make_archive({**FILES, "games/../../../outside.txt": "gotcha"})
    with pytest.raises(StoreError, match=r"expected members inside .*, got 'games/\.\./.*outside\.txt'; do not use it"):
        fetch(source(url), tmp_path / "data")
    assert read_files(tmp_path / "data") == {}
    assert not (tmp_path / "outside.txt").exists()


def test_fetch_with_another_digest_keeps_the_old_file(server: FileServer, tmp_path: Path) -> None:
    url, root = server.url("a.json"), tmp_path / "data"
    server.files["a.json"] = b"changed"
    (root / "toy").mkdir(parents=True)
    (root / "toy" / "a.json").write_text("before")
    with pytest.raises(StoreError, match=r"expected sha256 0+ from .*, got [0-9a-f]{64}; the file changed upstream"):
        fetch(source(url, "toy/a.json", sha256="0" * 64, inside=""), root)
    assert read_files(root) == {"toy/a.json": "before"}


@pytest.mark.parametrize("gone", ["http://127.0.0.1:1/gone", "http://nowhere.invalid/gone", ""])
def test_fetch_of_a_missing_address_names_it_and_the_target(gone: str, server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"expected to get .*gone, got .*or put the file at .*toy") as caught:
        fetch(source(gone or server.url("gone"), sha256="0" * 64), tmp_path / "data")
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize("content", [b"no archive at all", b""])
def test_fetch_of_a_file_that_is_no_archive_fails_in_one_line(
    server: FileServer, tmp_path: Path, content: bytes
) -> None:
    url = server.url("page.html")
    server.files["page.html"] = content
    with pytest.raises(StoreError, match="expected to get") as caught:
        fetch(source(url), tmp_path / "data")
    assert "\n" not in str(caught.value)


def test_fetch_of_a_damaged_archive_keeps_the_old_files(server: FileServer, tmp_path: Path) -> None:
    content = bytearray(make_zip(FILES))
    content[content.index(b"two/game.txt") + 12] ^= 1  # a byte of the content: its checksum no longer fits
    server.files["bad.zip"], url = bytes(content), server.url("bad.zip")
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
def test_fetch_keeps_files_of_the_users_own(server: FileServer, tmp_path: Path, inside: str) -> None:
    """Each fetch keeps what differs under a name of its own, and nothing where the file is the same."""
    server.files["a"], url = make_zip(FILES) if inside else b"one", server.url("a")
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


CONTENT = bytes(range(256)) * 40


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_fetch_goes_on_where_the_connection_was_cut(server: FileServer, tmp_path: Path, knows_ranges: bool) -> None:
    server.files["a.bin"], server.cut_after, server.knows_ranges = CONTENT, 4000, knows_ranges
    one = source(server.url("a.bin"), "toy/a.bin", sha256=digest(CONTENT), inside="")
    with pytest.raises(Unreachable, match="check the network and say it again"):
        fetch(one, tmp_path)
    assert not (tmp_path / "toy").exists()
    server.cut_after = None
    fetch(one, tmp_path)
    assert (tmp_path / "toy" / "a.bin").read_bytes() == CONTENT
    assert server.spans == ["", "bytes=4000-"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["toy"]


def test_fetch_begins_again_where_no_digest_could_tell(server: FileServer, tmp_path: Path) -> None:
    server.files["a.bin"], server.cut_after = CONTENT, 4000
    one = source(server.url("a.bin"), "toy/a.bin", inside="")
    with pytest.raises(Unreachable):
        fetch(one, tmp_path)
    server.cut_after = None
    fetch(one, tmp_path)
    assert (tmp_path / "toy" / "a.bin").read_bytes() == CONTENT
    assert server.spans == ["", ""]


def test_fetch_of_a_file_that_changed_meanwhile_fails_once(server: FileServer, tmp_path: Path) -> None:
    server.files["a.bin"], server.cut_after = CONTENT[::-1], 4000
    one = source(server.url("a.bin"), "toy/a.bin", sha256=digest(CONTENT), inside="")
    with pytest.raises(Unreachable):
        fetch(one, tmp_path)
    server.files["a.bin"], server.cut_after = CONTENT, None
    with pytest.raises(StoreError, match="try again, else report it"):
        fetch(one, tmp_path)
    fetch(one, tmp_path)
    assert server.spans == ["", "bytes=4000-", ""]


FROM_HUB = f"""
import hashlib, sys
from pathlib import Path
from bench.data.download import fetch
from bench.protocols import DataSource
url = "https://huggingface.co/datasets/owner/talks/resolve/{COMMIT}/talks.bin"
for one in (url, url.replace("talks.bin", "gone.bin")):
    try:
        fetch(DataSource(one, "talks/talks.bin", sha256=sys.argv[2]), Path(sys.argv[1]))
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.mark.needs("huggingface_hub")
def test_fetch_from_the_hub_goes_through_its_client_and_goes_on(tmp_path: Path) -> None:
    content = bytes(12 << 20)  # the client writes in pieces of 10 MiB
    with FakeHub("owner/talks", {"talks.bin": content}) as hub:
        hub.cut_after = 11 << 20
        environment = {
            "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HF_ENDPOINT": hub.address,
            "HF_HOME": str(tmp_path / "hf"),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-P", "-c", FROM_HUB, str(tmp_path / "data"), digest(content)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        spans = [span for _, span in hub.list_downloads()]
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Unreachable data: expected to get https://huggingface.co/datasets/owner/talks")
    assert done.stdout.count("\n") == 1
    assert (tmp_path / "data" / "talks" / "talks.bin").read_bytes() == content
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["talks"]
    assert spans == ["", f"bytes={10 << 20}-"]
