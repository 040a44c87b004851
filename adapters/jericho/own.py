"""A user's own story files: any game for the Z-machine, versions 1 to 8.

A file ``GAME.toml`` beside ``GAME.z5`` may give a goal and milestones (``milestones``); without it the game's own score
counts. What the engine knows of a release is used; of another game the score is read off the reply to SCORE, which the
worker asks for and takes back, so that it costs no move. Knows no engine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.jericho.games import compute_digest
from adapters.jericho.milestones import GameNotes, read_own_notes
from bench.errors import DataError

__all__ = ["OwnStory", "find_own_stories", "read_own_story"]

_SUFFIXES = frozenset(f".z{version}" for version in range(1, 9))
_HEADER_BYTES = 64
_LENGTH_AT = slice(0x1A, 0x1C)


def _unit(version: int) -> int:
    """Return the bytes that one unit of the length in the header stands for. Source: Z-machine standard 1.1, 11.1.6."""
    return 2 if version <= 3 else 4 if version <= 5 else 8


@dataclass(frozen=True, slots=True)
class OwnStory:
    """A story file, and the user's notes on it where there are any."""

    id: str
    path: Path
    digest: str
    """Of the story and the notes."""
    notes: GameNotes | None


def find_own_stories(path: Path) -> tuple[OwnStory, ...]:
    """Return the story at a path, or every story below a folder, sorted by id. Raises: DataError if there is none."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    stories = [file for file in files if file.is_file() and (file.suffix.lower() in _SUFFIXES or file == path)]
    if not stories:
        raise DataError(
            f"jericho: expected path= a story file (.z1 to .z8) or a folder of them, got {path}; name one that is there"
        )
    names = [file.relative_to(path).with_suffix("").as_posix() if path.is_dir() else file.stem for file in stories]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"jericho: expected one story file of each name, got two of {twice[0]}; rename one")
    return tuple(_read(name, file) for name, file in sorted(zip(names, stories, strict=True)))


def read_own_story(task_id: str, digest: str, stories: Sequence[OwnStory]) -> OwnStory:
    """Return the story of a task. Raises: DataError if it is no story file, or not the one of the run any more."""
    story = next((one for one in stories if one.id == task_id), None)
    if story is None or story.digest != digest:
        raise DataError(f"jericho {task_id}: expected the story file that the run began with, got another; put it back")
    if fault := _find_fault(story.path):
        raise DataError(f"jericho {task_id}: expected a story file for the Z-machine in {story.path}, got {fault}")
    return story


def _read(name: str, path: Path) -> OwnStory:
    beside = path.with_suffix(".toml")
    notes = read_own_notes(name, beside) if beside.is_file() else None
    try:
        content = compute_digest(path)
    except OSError as cause:
        raise DataError(f"jericho {name}: expected a file that can be read, got {path} ({cause.strerror})") from cause
    digest = hashlib.sha256(f"{content} {notes.digest if notes else ''}".encode()).hexdigest()
    return OwnStory(name, path, digest, notes)


def _find_fault(path: Path) -> str:
    """Return why a file is no story file; empty if it looks like one. A wrong one could take the engine down."""
    data = path.read_bytes()
    if len(data) < _HEADER_BYTES or not 1 <= data[0] <= 8:
        return "a file without its header"
    length = int.from_bytes(data[_LENGTH_AT], "big") * _unit(data[0])
    return f"{len(data):,} bytes of {length:,}: it is cut off" if length > len(data) else ""
