"""What ``cmd`` names: files, command lines, TOML files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from baselines.agent_program.command import read_command
from bench.errors import UsageError
from bench.protocols.params import parse_name, split_names


def test_python_file_is_started_by_this_python(tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text("")
    found = read_command(str(program))
    assert (found.words, found.files) == ((sys.executable, str(program)), (program,))
    program.chmod(0o755)
    assert read_command(str(program)).words == (str(program),)


def test_command_line_makes_paths_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text("")
    found = read_command(f"{sys.executable} agent.py --k=3 'two words'")
    assert found.words == (sys.executable, str(tmp_path / "agent.py"), "--k=3", "two words")
    assert tmp_path / "agent.py" in found.files
    assert Path(sys.executable) in found.files  # a path that was written out is part of the program


def test_command_line_stands_in_a_list_of_strategies() -> None:
    names = split_names("agent:cmd=python3 a.py --k=3,timeout_s=5,window:k=2")
    assert names == ["agent:cmd=python3 a.py --k=3,timeout_s=5", "window:k=2"]
    assert parse_name(names[0], "strategy") == ("agent", {"cmd": "python3 a.py --k=3", "timeout_s": "5"})


def test_toml_has_words_with_any_characters(tmp_path: Path) -> None:
    for name in ("agent.py", "prompt.txt"):
        (tmp_path / name).write_text("")
    table = tmp_path / "mine.toml"
    table.write_text(
        'command = ["sh", "agent.py", "--rooms=a,b"]\nfiles = ["prompt.txt"]\nvariables = ["SEARCH_API_KEY"]\n'
    )
    found = read_command(str(table))
    assert found.words == ("sh", str(tmp_path / "agent.py"), "--rooms=a,b")
    assert found.files == (table, tmp_path / "agent.py", tmp_path / "prompt.txt")
    assert found.variables == ("SEARCH_API_KEY",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected cmd=PROGRAM, got none"),
        ("no-such-program --x", "expected a program, got 'no-such-program'"),
        ("'open", "No closing quotation"),
        ("''", "expected a program, got ''"),
    ],
)
def test_what_cannot_be_started_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        read_command(text)


def test_file_that_is_no_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(UsageError, match="make it executable"):
        read_command(str(tmp_path / "notes.txt"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command = 3", "expected command as a list of texts, got '3'"),
        ("command = []", "expected a command, got an empty one"),
        ("files = []", "expected command as a list of texts, got 'None'"),
        ('command = ["sh"]\nfiles = ["gone"]', "expected files, got nothing at"),
        ('command = ["sh"]\nshell = true', "expected command, files and variables, got 'shell'"),
        ("command", "expected TOML"),
    ],
)
def test_broken_toml_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_command(str(tmp_path / "mine.toml"))
