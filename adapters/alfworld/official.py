"""The official engine (textworld 1.7.0, alfworld 0.4.2), one worker process for each environment that is open.

A worker that hangs is killed after a time limit, one that dies is an EnvError, and the next environment gets a fresh
one; a worker is replaced after a number of episodes because the engine keeps memory of every reset. Domain
randomisation is off, there is no expert and no step cap of the engine's own. Knows no data folder and no prompt.
"""

from __future__ import annotations

import importlib.util
import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from adapters.alfworld.world import FACTS, Engine, Fact, World
from bench.errors import DataError, EnvError, UsageError

__all__ = ["OfficialEngine", "OfficialEngines", "WorkerLimits"]

INSTALL = "pip install 'memfrontier[alfworld]'"
_WORKER = Path(__file__).with_name("worker.py")
_ERROR_TAIL_CHARS = 300
_EXIT_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """How long a worker may take, and how many episodes it may serve."""

    start_s: float = 120.0
    """Load and reset of one game, the import of the engine included."""
    step_s: float = 60.0
    episodes: int = 25


class OfficialEngines:
    """A pool of worker processes. Idle ones are kept for the next environment until ``close``."""

    name = "official"

    def __init__(self, limits: WorkerLimits = WorkerLimits(), command: Sequence[str] = (), *, planner: bool = False):
        """``command`` replaces the worker program (tests); ``planner`` asks the engine's own planner at every step."""
        if not command:
            for package in ("textworld", "alfworld"):
                if importlib.util.find_spec(package) is None:
                    raise UsageError(f"alfworld: expected package {package}, got none; {INSTALL}")
        self._limits, self._planner = limits, planner
        self._command = tuple(command) or (sys.executable, "-P", str(_WORKER))
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []
        self._closed = False

    def take(self) -> Engine:
        """Return an engine on an idle worker, or on a new one."""
        with self._lock:
            if self._closed:
                raise EnvError("alfworld engine: expected an open suite, got a closed one; build the suite again")
            worker = self._idle.pop() if self._idle else None
            if worker is None:
                worker = _Worker(self._command)
                self._all.append(worker)
        return OfficialEngine(worker, self._limits, self._give_back, planner=self._planner)

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            if worker.alive and worker.episodes < self._limits.episodes and not self._closed:
                self._idle.append(worker)
                return
            self._all.remove(worker)
        worker.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers, self._all, self._idle = self._all, [], []
        for worker in workers:
            worker.kill()


class OfficialEngine:
    """One game on one worker."""

    def __init__(self, worker: _Worker, limits: WorkerLimits, give_back: Callable[[_Worker], None], *, planner: bool):
        self._worker, self._limits, self._give_back, self._planner = worker, limits, give_back, planner
        self._closed = False
        self._admissible: tuple[str, ...] = ()
        self.plan: tuple[str, ...] = ()
        """The planner's way to the goal from here, where it was asked for."""

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
            raise DataError(f"alfworld engine: expected a playable game, got {answer['error']}; check the game's file")
        return self._world(answer)

    def step(self, command: str) -> World:
        answer = self._worker.ask({"step": command}, self._limits.step_s, "step")
        if "error" in answer:
            self._worker.kill()
            raise EnvError(
                f"alfworld engine: expected a reply to {command!r}, got {answer['error']}; resume the run to retry"
            )
        return self._world(answer)

    def admissible(self) -> Sequence[str]:
        return self._admissible

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._give_back(self._worker)

    def _world(self, answer: dict[str, Any]) -> World:
        if "missing" in answer:
            raise UsageError(f"alfworld: expected textworld and alfworld to load, got {answer['missing']}; {INSTALL}")
        self._admissible, self.plan = tuple(answer["admissible"]), tuple(answer["plan"])
        facts = frozenset(Fact(name, tuple(args)) for name, *args in answer["facts"])
        return World(answer["feedback"], answer["won"], answer["done"], facts)


class _Worker:
    """A worker process and its two pipes."""

    def __init__(self, command: Sequence[str]):
        self.episodes = 0
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- lives as long as the process
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            [*command, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            # The engine keeps sets: a fixed hash order makes two workers agree. Package alfworld creates the folder
            # that ALFWORLD_DATA names when it is imported: one that is there already.
            env={**os.environ, "PYTHONHASHSEED": "0", "ALFWORLD_DATA": tempfile.gettempdir()},
            bufsize=0,
            # Ctrl-C is for the harness: a worker ends with its pipe.
            start_new_session=True,
        )

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def ask(self, request: dict[str, Any], limit_s: float, what: str) -> dict[str, Any]:
        """Return the worker's answer. Raises EnvError, with the worker ended, if there is none in time."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise EnvError(f"alfworld engine: expected an open game at {what}, got a closed one; open it again")
        try:
            process.stdin.write((json.dumps(request) + "\n").encode())
            line = _read_line(process.stdout.fileno(), limit_s)
        except TimeoutError:
            self.kill()
            raise EnvError(
                f"alfworld engine: expected {what} within {limit_s:g} s, got none; worker ended, resume to retry"
            ) from None
        except OSError:
            line = b""
        if not line:
            code = self._end()
            tail = self._tail()
            self.kill()
            raise EnvError(
                f"alfworld engine: expected an answer to {what}, got the end of the worker (exit {code}) {tail!r}; "
                "resume the run to retry"
            )
        return dict(json.loads(line))

    def _tail(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-_ERROR_TAIL_CHARS:].strip()

    def _end(self) -> int | None:
        """Return the exit code of a process that has closed its pipe; None if it lives on."""
        try:
            return self._process.wait(_EXIT_WAIT_S) if self._process else None
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End the process, at once, and free its pipes; a second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        self._errors.close()


def _read_line(descriptor: int, limit_s: float) -> bytes:
    """Return what one line holds; empty at the end of the stream. Raises TimeoutError."""
    deadline = time.monotonic() + limit_s
    chunks: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                raise TimeoutError
            chunk = os.read(descriptor, 1 << 16)
            chunks.append(chunk)
            if not chunk or chunk.endswith(b"\n"):
                return b"".join(chunks) if chunk else b""
