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
        assert all(text.isidentifier() for text in file.texts)
    pins = ["" if file.texts else file.sha256 for file in list_files().values()]
    assert [source.sha256 for source in DATA.sources] == pins
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
    faults = [(fault.path, fault.problem) for fault in check(data_root)]
    # The one file of which only the texts are known, elsewhere; see the tests of the suite locomo.
    assert faults in ([], [("prompts/locomo/gpt_utils.py", "missing")])


def test_file_pinned_by_its_texts_may_differ_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = hashlib.sha256(b"one\0two").hexdigest()
    file = PinnedFile("x/a.py", digest, "https://example.org/a.py", ("A", "B"))
    monkeypatch.setattr(data, "list_files", lambda: {file.path: file})
    path = write(tmp_path, file, "B = 'two'\nA = 'one'\ndef more(): return 1\n")
    assert check(tmp_path) == []
    for text in ("A = 'one'\nB = 'too'\n", "A = 'one'\n", "A = 'one'\nB = (\n"):
        path.write_text(text)
        assert [fault.problem for fault in check(tmp_path)] == ["altered"]
