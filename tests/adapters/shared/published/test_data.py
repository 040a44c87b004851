"""The files of the papers: pinned, checked, and missing in a defined way."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from adapters.shared.published import data
from adapters.shared.published.data import DATA, FOLDER, PinnedFile, check, list_files, read_file
from bench.errors import DataError


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> PinnedFile:
    """One file in place of the real ones."""
    file = PinnedFile("x/a.json", hashlib.sha256(b"{}").hexdigest(), "https://example.org/a.json")
    monkeypatch.setattr(data, "list_files", lambda: {file.path: file})
    return file


def write(root: Path, file: PinnedFile, text: str) -> Path:
    path = root / FOLDER / file.path
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_every_file_is_pinned_by_digest_and_commit() -> None:
    for file in list_files().values():
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert re.match(r"https://raw\.githubusercontent\.com/[\w-]+/[\w-]+/[0-9a-f]{7,40}/", file.url)
    assert [source.sha256 for source in DATA.sources] == [file.sha256 for file in list_files().values()]
    assert [source.to for source in DATA.sources] == [f"{FOLDER}/{name}" for name in list_files()]


def test_read_file_returns_the_pinned_text(tmp_path: Path, pinned: PinnedFile) -> None:
    write(tmp_path, pinned, "{}")
    assert read_file(tmp_path, pinned.path) == "{}"
    assert check(tmp_path) == []


def test_missing_file_error_names_the_command(tmp_path: Path, pinned: PinnedFile) -> None:
    with pytest.raises(DataError, match=r"expected the file .*a\.json, got none .*; fetch it with: bench data get"):
        read_file(tmp_path, pinned.path)
    assert [(fault.path, fault.problem) for fault in check(tmp_path)] == [("prompts/x/a.json", "missing")]


def test_altered_file_error_names_it(tmp_path: Path, pinned: PinnedFile) -> None:
    write(tmp_path, pinned, "{ }")
    with pytest.raises(DataError, match=r"a\.json with SHA-256 .*get it again with: bench data get prompts"):
        read_file(tmp_path, pinned.path)
    assert [(fault.path, fault.problem) for fault in check(tmp_path)] == [("prompts/x/a.json", "altered")]


@pytest.mark.data
def test_files_of_the_data_root_are_the_pinned_ones(data_root: Path) -> None:
    assert check(data_root) == []
