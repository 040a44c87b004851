"""``bench show --workspace`` and ``--tree``: the files of a memory on disk, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.cli.show_workspace import read_workspace, write_workspace
from bench.errors import UsageError
from bench.store.read import read_trials

RUN = ("run", "toy-talk", "-s", "horma-untrained,window:k=2", "--limit", "1", "-o", "out")


@pytest.fixture
def ran(bench: Any) -> Any:
    assert bench(*RUN).code == 0
    return bench


def test_workspace_is_written_as_files_a_person_can_read(ran: Any, tmp_path: Path) -> None:
    done = ran("show", "out", "horma-untrained@talk-00", "--workspace", "files")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("files of horma-untrained@talk-00 in files\n")
    index = (tmp_path / "files" / "index.md").read_text()
    assert index.startswith("# Index\n\n- entities/ ")
    turns = sorted((tmp_path / "files" / "raw_logs").rglob("turn_*.md"))
    assert turns[0].read_text().startswith("---\nref: D1:1\nkind: turn\n")
    notes = sorted((tmp_path / "files" / "entities").iterdir())
    assert notes[0].read_text().startswith(f"---\nid: entities/{notes[0].stem}\nkind: entity\n")
    assert int(done.out.split()[0]) == len([path for path in (tmp_path / "files").rglob("*") if path.is_file()])


def test_tree_lists_folders_and_files(ran: Any) -> None:
    lines = ran("show", "out", "horma-untrained@talk-00", "--tree").out.splitlines()
    assert lines[0] == "entities/"
    assert "raw_logs/" in lines
    assert lines[lines.index("raw_logs/") + 1].startswith("  session_001")
    assert lines[-1].startswith("    turn_")


def test_workspace_may_be_an_empty_folder_and_no_other(ran: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert ran("show", "out", "horma-untrained@talk-00", "--workspace", "empty").code == 0
    again = ran("show", "out", "horma-untrained@talk-00", "--workspace", "empty")
    assert (again.code, "a folder with files in it, empty; name another" in again.err) == (2, True)
    (tmp_path / "file").write_text("x")
    assert "got a file, file" in ran("show", "out", "horma-untrained@talk-00", "--workspace", "file").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("window:k=2@talk-00", "--tree"), "expected a strategy that keeps files, got window:k=2"),
        (("--tree",), "expected a trial of a run for --workspace or --tree, got none"),
        (("horma-untrained@talk-99", "--tree"), "expected a trial, got 'horma-untrained@talk-99'"),
    ],
)
def test_what_has_no_files_is_a_usage_error(ran: Any, words: tuple[str, ...], message: str) -> None:
    done = ran("show", "out", *words)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())


@pytest.mark.usefixtures("ran")
@pytest.mark.parametrize("path", ["../x.md", "/x.md", "a/../../x.md", "", "a\\b.md", "a\0b.md"])
def test_paths_that_leave_the_folder_are_refused(tmp_path: Path, path: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("baselines.horma.memory.HormaMemory.files", lambda _: ((path, "text"),))
    (trial,) = [one for one in read_trials(tmp_path / "out") if one.key.strategy == "horma-untrained"]
    with pytest.raises(UsageError, match="expected paths below a folder"):
        read_workspace(tmp_path / "out", trial)


def test_text_that_no_file_can_hold_is_written_with_marks(tmp_path: Path) -> None:
    write_workspace((("a/b.md", "x\ud800y\r\n"),), tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder" / "a" / "b.md").read_bytes() == b"x?y\r\n"


def test_a_folder_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="expected a folder that can be written"):
        write_workspace((("a.md", "x"),), tmp_path / "file" / "below")
