"""``bench data get``: what is whole is not downloaded again, and no network is one line and exit code 1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.longmemeval import data as longmemeval
from bench.cli import data as command
from bench.protocols import DataSource, DataSpec
from tests.conftest import RunBench
from tests.servers.file_server import FileServer

CONTENT = b"{}"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """One file in two places, as the data of a suite ``toys``."""
    places = ("toys/a.json", "toys/b.json")

    def check(root: Path) -> list[longmemeval.Fault]:
        whole = [name for name in places if (root / name).is_file() and (root / name).read_bytes() == CONTENT]
        return [longmemeval.Fault(name, "missing or altered") for name in places if name not in whole]

    with FileServer({"a.json": CONTENT, "b.json": CONTENT}) as made:
        sources = tuple(DataSource(made.url(Path(name).name), name, sha256=SHA256) for name in places)
        monkeypatch.setattr(command, "data_specs", lambda: {"toys": DataSpec("toys", sources, check, "MIT")})
        yield made


def test_get_downloads_what_is_missing_and_nothing_else(bench: RunBench, server: FileServer, tmp_path: Path) -> None:
    first = bench("data", "get", "toys")
    assert (first.code, len(server.spans)) == (0, 2)
    assert first.out.startswith("toys: complete")
    again = bench("data", "get", "toys")
    assert (again.code, len(server.spans)) == (0, 2)
    assert again.err.splitlines()[1:] == ["toys: toys/a.json is there already", "toys: toys/b.json is there already"]
    (tmp_path / "no-data" / "toys" / "b.json").write_text("altered")
    assert bench("data", "get", "toys").code == 0
    assert len(server.spans) == 3
    assert (tmp_path / "no-data" / "toys" / "b.json.replaced").read_text() == "altered"


def test_get_without_network_is_one_line_and_exit_code_1(bench: RunBench, server: FileServer) -> None:
    server.cut_after = 1
    done = bench("data", "get", "toys")
    assert (done.code, done.out) == (1, "")
    lines = done.err.splitlines()
    assert lines[:2] == ["toys: licence MIT", f"data: getting {server.url('a.json')}"]
    assert len(lines) == 3
    assert lines[2].startswith(f"bench: data: expected to get {server.url('a.json')}, got ")
