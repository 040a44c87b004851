"""The milestones of a game, as a data file tells them, and how far an episode has come along them.

A milestone is reached when its text is part of an observation, letters and digits alone compared and case kept; any
order; each observation reaches one new milestone at most, the first in the file's order. Progress = reached / all.
Source: AgentBoard (arXiv 2401.13178) section Jericho; its own labels are not openly available, so the files are ours
or the user's. Knows no engine.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.errors import DataError

__all__ = ["USER_FOLDER", "GameNotes", "Reached", "has_notes", "read_notes"]

USER_FOLDER = "jericho/milestones"
"""Where a user's own files lie below the data root; one for a game that we know takes nothing from ours."""
_OURS = Path(__file__).with_name("games")


@dataclass(frozen=True, slots=True)
class GameNotes:
    """What is known about a game that its story file does not tell."""

    id: str
    goal: str
    milestones: tuple[str, ...]
    walkthrough: tuple[str, ...] = ()
    """Commands that reach every milestone; for tests, never shown."""
    story_sha256: str = ""
    """The release that the walkthrough was played on."""
    max_score: int = 0
    digest: str = ""


class Reached:
    """The milestones of one episode that have been reached."""

    def __init__(self, milestones: tuple[str, ...]):
        self._all = len(milestones)
        self._open = [_bare(text) for text in milestones]

    def see(self, observation: str) -> float:
        """Take note of one observation and return the progress."""
        bare = _bare(observation)
        found = next((text for text in self._open if text in bare), None)
        if found is not None:
            self._open.remove(found)
        return self.progress

    @property
    def progress(self) -> float:
        return (self._all - len(self._open)) / self._all


def _bare(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", text)


def _path(data_root: Path, game: str) -> Path:
    ours = _OURS / f"{game}.toml"
    return ours if ours.is_file() else data_root / USER_FOLDER / f"{game}.toml"


def has_notes(data_root: Path, game: str) -> bool:
    """Return whether there is a milestone file for a game."""
    return _path(data_root, game).is_file()


def read_notes(data_root: Path, game: str) -> GameNotes:
    """Return what is known about a game. Raises: DataError if there is no file for it or the file is no such file."""
    path = _path(data_root, game)
    if not path.is_file():
        raise DataError(
            f"jericho {game}: expected its milestones in {path}, got no file; write one (keys id, goal, milestones) "
            "or play with measure=score"
        )
    content = path.read_bytes()
    try:
        table = tomllib.loads(content.decode("utf-8"))
        notes = GameNotes(
            id=str(table["id"]),
            goal=" ".join(str(table["goal"]).split()),
            milestones=tuple(map(str, table["milestones"])),
            walkthrough=tuple(map(str, table.get("walkthrough", ()))),
            story_sha256=str(table.get("story_sha256", "")),
            max_score=int(table.get("max_score", 0)),
            digest=hashlib.sha256(content).hexdigest(),
        )
    except (ValueError, KeyError, TypeError) as cause:
        raise DataError(f"jericho {game}: expected id, goal and milestones in {path}, got {cause!r}") from cause
    bare = [_bare(text) for text in notes.milestones]
    if notes.id != game or not notes.goal or not bare or "" in bare or len(set(bare)) < len(bare):
        raise DataError(
            f"jericho {game}: expected in {path} the id {game!r}, a goal and milestones that are not empty and all "
            f"different, got id {notes.id!r}, goal {notes.goal!r} and {len(bare)} milestones"
        )
    return notes
