"""What to start: a command line, one file, or a TOML file that says both and more. Starts nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.errors import UsageError, reading

__all__ = ["Command", "read_command"]

_WHO = "strategy agent"
_HOW = "see docs/agents.md"


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, the files that it is made of as far as they are known, and the names of the
    variables that it is given although they hold keys."""

    words: tuple[str, ...]
    files: tuple[Path, ...]
    variables: tuple[str, ...] = ()


def read_command(text: str) -> Command:
    """Read the parameter ``cmd``: the path of a program, of a Python file or of a TOML file, or a command line.

    Raises: UsageError if nothing can be started.
    """
    if not text.strip():
        raise UsageError(f"{_WHO}: expected cmd=PROGRAM, got none; name a program that speaks its protocol, {_HOW}")
    path = Path(text).expanduser()
    if path.is_file():
        path = path.absolute()
        return _read_table(path) if path.suffix == ".toml" else _make_command((str(path),), path.parent)
    try:
        words = tuple(shlex.split(text))
    except ValueError as cause:
        raise UsageError(f"{_WHO}: expected cmd=PROGRAM, got {text[:80]!r} ({cause}); {_HOW}") from None
    return _make_command(words, Path())


def _read_table(path: Path) -> Command:
    with reading(str(path), "TOML", _HOW):
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    command, files, names = table.pop("command", None), table.pop("files", []), table.pop("variables", [])
    if table:
        raise UsageError(f"{path}: expected command, files and variables, got {sorted(table)[0]!r}; {_HOW}")
    for name, value in (("command", command), ("files", files), ("variables", names)):
        if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
            raise UsageError(f"{path}: expected {name} as a list of texts, got {str(value)[:80]!r}; {_HOW}")
    if not command:
        raise UsageError(f"{path}: expected a command, got an empty one; {_HOW}")
    found = _make_command(tuple(command), path.parent)
    listed = [path.parent / name for name in files]
    if missing := [one for one in listed if not one.is_file()]:
        raise UsageError(f"{path}: expected files, got nothing at {missing[0]}; {_HOW}")
    every = dict.fromkeys(one.absolute() for one in (path, *found.files, *listed))
    return Command(found.words, tuple(every), tuple(names))


def _make_command(words: tuple[str, ...], folder: Path) -> Command:
    """Return a command whose words that name files in ``folder`` are their absolute paths: it runs elsewhere."""
    paths = [folder / Path(word).expanduser() for word in words]
    files = {at: path.absolute() for at, path in enumerate(paths) if path.is_file()}
    placed = tuple(str(files[at]) if at in files else word for at, word in enumerate(words))
    if not placed:
        raise UsageError(f"{_WHO}: expected cmd=PROGRAM, got no word; {_HOW}")
    if 0 in files and files[0].suffix == ".py" and not os.access(files[0], os.X_OK):
        placed = (sys.executable, *placed)
    elif shutil.which(placed[0]) is None:
        raise UsageError(
            f"{_WHO}: expected a program, got {placed[0][:80]!r}, which is none that can be started here; name a file "
            f"(make it executable), a command line or a TOML file, {_HOW}"
        )
    return Command(placed, tuple(files.values()))
