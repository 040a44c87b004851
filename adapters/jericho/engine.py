"""The engine (jericho 3.3.1), with one worker process for each open environment.

Some games crash the engine: the next environment gets a new worker. Jericho's generator of valid actions is not used:
it hangs on some games and does not support the MIT releases. Knows no data folder and no prompt.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from adapters.shared.workers import WorkerLimits, WorkerPool
from bench.errors import DataError, EnvError, UsageError

__all__ = ["Engine", "GameReply", "JerichoEngine", "JerichoEngines"]

INSTALL = "pip install 'memfrontier[jericho]'"
_WORKER = Path(__file__).with_name("worker.py")
WHO = "jericho engine"
LIMITS = WorkerLimits(start_s=60.0, step_s=20.0)


@dataclass(frozen=True, slots=True)
class GameReply:
    """The text of a game after a command, and the engine's own state."""

    text: str
    score: int | None = None
    """The game's own score; None if it cannot be read."""
    max_score: int = 0
    """0 = the engine does not know this release."""
    won: bool = False
    over: bool = False
    halted: bool = False
    """The interpreter stopped at this command; the engine restored the state before it."""


class Engine(Protocol):
    """Plays one game at a time. Raises EnvError for a crash or a hang, DataError for a story it cannot load."""

    def start(self, story: Path, seed: int, *, asks_score: bool = False) -> GameReply: ...

    def step(self, command: str) -> GameReply: ...

    def close(self) -> None:
        """Return the engine to its pool; it must not be used afterwards."""


class JerichoEngines:
    """A pool of worker processes, safe to call from several threads. Idle ones are kept until ``close``."""

    def __init__(self, limits: WorkerLimits = LIMITS, command: Sequence[str] = ()):
        """``command`` replaces the worker program (tests)."""
        self._needs_package = not command
        self._pool = WorkerPool(WHO, command or (sys.executable, "-P", str(_WORKER)), limits)

    def take(self) -> Engine:
        """Return an engine on an idle worker, or on a new one. Raises: UsageError if jericho is not installed."""
        if self._needs_package and importlib.util.find_spec("jericho") is None:
            raise UsageError(f"jericho: expected package jericho, got none; {INSTALL}")
        return JerichoEngine(self._pool)

    def close(self) -> None:
        self._pool.close()


class JerichoEngine:
    """One game on one worker."""

    def __init__(self, pool: WorkerPool):
        self._pool, self._worker, self._limits = pool, pool.take(), pool.limits
        self._closed = False

    def start(self, story: Path, seed: int, *, asks_score: bool = False) -> GameReply:
        self._worker.episodes += 1
        answer = self._worker.ask(
            {"start": str(story), "seed": seed, "asks_score": asks_score}, self._limits.start_s, "reset"
        )
        if "error" in answer:
            raise DataError(f"{WHO}: expected a story file in {story}, got {answer['error']}; check the file")
        return _parse_reply(answer)

    def step(self, command: str) -> GameReply:
        answer = self._worker.ask({"step": command}, self._limits.step_s, "step")
        if "error" in answer:
            self._worker.kill()
            raise EnvError(f"{WHO}: expected a reply to {command!r}, got {answer['error']}; resume the run to retry")
        return _parse_reply(answer)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._pool.give_back(self._worker)


def _parse_reply(answer: dict[str, Any]) -> GameReply:
    if "missing" in answer:
        raise UsageError(f"jericho: expected package jericho to load, got {answer['missing']}; {INSTALL}")
    return GameReply(
        answer["text"], answer["score"], answer["max_score"], answer["won"], answer["over"], answer["halted"]
    )
