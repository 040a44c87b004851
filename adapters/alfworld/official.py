"""The official engine (textworld 1.7.0, alfworld 0.4.2), with one worker process for each open environment.

Workers are replaced after a number of episodes because the engine leaks memory at every reset. Domain randomisation is
off, there is no expert and no step cap of the engine's own. Knows no data folder and no prompt.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adapters.alfworld.world import FACTS, Engine, Fact, World
from adapters.shared.workers import WorkerLimits, WorkerPool
from bench.errors import DataError, EnvError, UsageError

__all__ = ["OfficialEngine", "OfficialEngines"]

INSTALL = "pip install 'memfrontier[alfworld]'"
_WORKER = Path(__file__).with_name("worker.py")
WHO = "alfworld engine"


class OfficialEngines:
    """A pool of worker processes. Idle ones are reused until ``close``."""

    name = "official"

    def __init__(self, limits: WorkerLimits = WorkerLimits(), command: Sequence[str] = (), *, planner: bool = False):
        """``command`` replaces the worker program (tests); ``planner`` asks the engine's own planner at every step."""
        if not command:
            for package in ("textworld", "alfworld"):
                if importlib.util.find_spec(package) is None:
                    raise UsageError(f"alfworld: expected package {package}, got none; {INSTALL}")
        # At import, package alfworld creates the folder of ALFWORLD_DATA: name one that exists.
        env = {"ALFWORLD_DATA": tempfile.gettempdir()}
        self._pool = WorkerPool(WHO, command or (sys.executable, "-P", str(_WORKER)), limits, env)
        self._planner = planner

    def take(self) -> Engine:
        """Return an engine on an idle worker, or on a new one."""
        return OfficialEngine(self._pool, planner=self._planner)

    def close(self) -> None:
        self._pool.close()


class OfficialEngine:
    """One game on one worker."""

    def __init__(self, pool: WorkerPool, *, planner: bool):
        self._pool, self._planner = pool, planner
        self._worker, self._limits = pool.take(), pool.limits
        self._closed = False
        self._admissible: tuple[str, ...] = ()
        self.plan: tuple[str, ...] = ()
        """The planner's commands to the goal, if ``planner`` is set."""

    def start(self, game: bytes) -> World:
        self._worker.episodes += 1
        handle, path = tempfile.mkstemp(suffix=".tw-pddl", prefix="memfrontier-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(game)
            request = {"start": path, "keep": sorted(FACTS), "planner": self._planner}
            answer = self._worker.ask(request, self._limits.start_s, "reset")
        finally:
            Path(path).unlink(missing_ok=True)
        if "error" in answer:
            raise DataError(f"{WHO}: expected a playable game, got {answer['error']}; check the game's file")
        return self._world(answer)

    def step(self, command: str) -> World:
        answer = self._worker.ask({"step": command}, self._limits.step_s, "step")
        if "error" in answer:
            self._worker.kill()
            raise EnvError(f"{WHO}: expected a reply to {command!r}, got {answer['error']}; resume the run to retry")
        return self._world(answer)

    def admissible(self) -> Sequence[str]:
        return self._admissible

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._pool.give_back(self._worker)

    def _world(self, answer: dict[str, Any]) -> World:
        if "missing" in answer:
            raise UsageError(f"alfworld: expected textworld and alfworld to load, got {answer['missing']}; {INSTALL}")
        self._admissible, self.plan = tuple(answer["admissible"]), tuple(answer["plan"])
        facts = frozenset(Fact(name, tuple(args)) for name, *args in answer["facts"])
        return World(answer["feedback"], answer["won"], answer["done"], facts)
