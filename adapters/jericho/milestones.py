"""The milestones of a game, read from a data file, and the progress of an episode along them.

A milestone is reached when its text is part of an observation; only letters and digits are compared, with case. The
order does not matter; an observation reaches at most one new milestone, the first in the file. Progress = reached /
all. Source: AgentBoard (arXiv 2401.13178), section Jericho. Its labels are not openly available: the files are our own
or the user's. Knows no engine.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.errors import DataError

__all__ = ["USER_FOLDER", "GameNotes", "MilestoneTracker", "has_notes", "read_notes", "read_own_notes"]

USER_FOLDER = "jericho/milestones"
"""The folder of the user's own files below the data root; a game of our own files ignores it."""
_OURS = Path(__file__).with_name("games")


@dataclass(frozen=True, slots=True)
class GameNotes:
    """Goal and milestones of a game, from its data file."""

    id: str
    goal: str
    milestones: tuple[str, ...]
    walkthrough: tuple[str, ...] = ()
    """Commands that reach every milestone; for tests, never part of a prompt."""
    story_sha256: str = ""
    """The release that the walkthrough was played on."""
    max_score: int = 0
    digest: str = ""


class MilestoneTracker:
    """Tracks which milestones an episode has reached."""

    def __init__(self, milestones: tuple[str, ...]):
        self._all = len(milestones)
        self._missing = [_normalise(text) for text in milestones]

    def update(self, observation: str) -> float:
        """Take in one observation and return the progress, in 0..1."""
        bare = _normalise(observation)
        found = next((text for text in self._missing if text in bare), None)
        if found is not None:
            self._missing.remove(found)
        return self.progress

    @property
    def progress(self) -> float:
        return (self._all - len(self._missing)) / self._all


def _normalise(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", text)


def _find_file(data_root: Path, game: str) -> Path:
    ours = _OURS / f"{game}.toml"
    return ours if ours.is_file() else data_root / USER_FOLDER / f"{game}.toml"


def has_notes(data_root: Path, game: str) -> bool:
    """Return whether there is a milestone file for a game."""
    return _find_file(data_root, game).is_file()


def read_notes(data_root: Path, game: str) -> GameNotes:
    """Return the notes of a game. Raises: DataError if there is no file for it or the file is invalid."""
    path = _find_file(data_root, game)
    if not path.is_file():
        raise DataError(
            f"jericho {game}: expected its milestones in {path}, got no file; write one (keys id, goal, milestones) "
            "or play with measure=score"
        )
    return read_own_notes(game, path)


def read_own_notes(game: str, path: Path) -> GameNotes:
    """Return the notes on a game in a file of one's own. Raises: DataError if the file is invalid."""
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
    bare = [_normalise(text) for text in notes.milestones]
    if notes.id != game or not notes.goal or not bare or "" in bare or len(set(bare)) < len(bare):
        raise DataError(
            f"jericho {game}: expected in {path} the id {game!r}, a goal and milestones that are not empty and all "
            f"different, got id {notes.id!r}, goal {notes.goal!r} and {len(bare)} milestones"
        )
    return notes
