"""A user's own games: every ``*.tw-pddl`` file below a folder.

The folder of a game, or the one above it, begins with one of the six task types, as alfworld names them:
``pick_and_place_simple-Mug-None-Desk-301/trial_1/game.tw-pddl``. Progress needs the type. Knows no engine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from adapters.alfworld.games import SUITE_NAME
from adapters.alfworld.progress import TASK_TYPES
from bench.errors import DataError
from bench.types import Task

__all__ = ["OWN", "OwnGames"]

OWN = "own"
_SUFFIX = ".tw-pddl"


class OwnGames:
    """The games below a folder."""

    def __init__(self, folder: Path):
        self._folder = folder

    def tasks(self) -> Sequence[Task]:
        """Return the tasks sorted by id. Raises: DataError if there is no game, or one without a task type."""
        paths = sorted(path for path in self._folder.rglob(f"*{_SUFFIX}") if path.is_file())
        if not paths:
            raise DataError(
                f"alfworld: expected path= a folder with games (*{_SUFFIX}) in it, got {self._folder} without"
            )
        return sorted((self._build_task(path) for path in paths), key=lambda task: task.id)

    def read(self, task: Task) -> bytes:
        data = self._read(Path(task.source))
        if hashlib.sha256(data).hexdigest() != task.digest:
            raise DataError(f"{task.source}: expected the game that the run began with, got another; put it back")
        return data

    def _build_task(self, path: Path) -> Task:
        inner = path.relative_to(self._folder)
        typed = [part for part in (self._folder.name, *inner.parent.parts) if part.split("-")[0] in TASK_TYPES]
        if not typed:
            raise DataError(
                f"{path}: expected a folder above it that begins with a task type, got none; name one of "
                f"{', '.join(TASK_TYPES)}, as in {TASK_TYPES[0]}-Mug-None-Desk-301"
            )
        name = inner.parent.as_posix() if path.name == f"game{_SUFFIX}" else inner.with_suffix("").as_posix()
        return Task(
            id=name,
            suite=SUITE_NAME,
            split=OWN,
            group=typed[-1].split("-")[0],
            cluster=typed[-1],
            spec=typed[-1],
            room=typed[-1].rpartition("-")[2],
            source=path.as_posix(),
            digest=hashlib.sha256(self._read(path)).hexdigest(),
        )

    def _read(self, path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError as cause:
            raise DataError(f"{path}: expected a game file that can be read, got {cause.strerror}") from cause
