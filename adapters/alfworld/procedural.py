"""Split ``procedural``: household tasks from seeds, ten of each type; no download. Knows no engine.

The payload of a task is its seed. The game is generated again when it is opened and its digest is checked, so that a
change in the texts of package alfworld is an error.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from adapters.alfworld.games import SUITE_NAME
from adapters.alfworld.generate.game import GeneratedGame, generate
from adapters.alfworld.generate.material import load_material
from adapters.alfworld.grammar import Grammar
from adapters.alfworld.progress import TASK_TYPES
from bench.errors import DataError
from bench.types import Task

__all__ = ["PROCEDURAL", "GeneratedGames"]

PROCEDURAL = "procedural"
TASKS_A_TYPE = 10


class GeneratedGames:
    """Generated tasks and their games."""

    def __init__(self, grammar: Grammar, tasks_a_type: int = TASKS_A_TYPE):
        self._grammar, self._tasks_a_type = grammar, tasks_a_type

    def tasks(self) -> Sequence[Task]:
        """Return the tasks sorted by id. Raises UsageError if package alfworld is missing."""
        tasks = [self._task(kind, seed) for kind in TASK_TYPES for seed in range(self._tasks_a_type)]
        return sorted(tasks, key=lambda task: task.id)

    def read(self, task: Task) -> bytes:
        if not task.payload.isdigit() or task.group not in TASK_TYPES:
            raise DataError(f"alfworld task {task.id}: expected a seed, got {task.payload!r}; list the tasks again")
        data = self._game(task.group, int(task.payload)).data
        if (got := hashlib.sha256(data).hexdigest()) != task.digest:
            raise DataError(
                f"alfworld task {task.id}: expected SHA-256 {task.digest[:12]}…, got {got[:12]}…; "
                "install alfworld 0.4.2 or list the tasks again"
            )
        return data

    def _game(self, kind: str, seed: int) -> GeneratedGame:
        return generate(load_material(), kind, seed, self._grammar)

    def _task(self, kind: str, seed: int) -> Task:
        game = self._game(kind, seed)
        return Task(
            id=f"{game.folder}/s{seed}",
            suite=SUITE_NAME,
            split=PROCEDURAL,
            group=kind,
            cluster=game.folder,
            spec=game.folder,
            room=game.folder.rpartition("-")[2],
            source=f"{PROCEDURAL}:{kind}:{seed}",
            payload=str(seed),
            digest=hashlib.sha256(game.data).hexdigest(),
        )
