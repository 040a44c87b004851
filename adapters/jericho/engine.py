"""The engine (jericho 3.3.1), one worker process for each environment that is open.

A worker that hangs is killed after a time limit, one that crashes (some games take the engine down) is an EnvError, and
the next environment gets a fresh one; a worker is replaced after a number of episodes. It runs in an empty folder of
its own, so that a game which writes a file writes it there. No valid-action generator: it hangs on
some games and knows none of the MIT releases. Knows no data folder and no prompt.
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
from typing import IO, Any, Protocol

from bench.errors import DataError, EnvError, UsageError

__all__ = ["Engine", "JerichoEngine", "JerichoEngines", "Told", "WorkerLimits"]

INSTALL = "pip install 'memfrontier[jericho]'"
_WORKER = Path(__file__).with_name("worker.py")
_ERROR_TAIL_CHARS = 300
_EXIT_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Told:
    """What a game said, and what its engine knows beside it."""

    text: str
    score: int | None = None
    """The game's own score; None if it keeps none that can be read."""
    max_score: int = 0
    """0 = the engine does not know this release."""
    won: bool = False
    over: bool = False
    halted: bool = False
    """The interpreter stopped at this command and was set back to before it."""


class Engine(Protocol):
    """Plays one game at a time. Raises EnvError for a crash or a hang, DataError for a story it cannot load."""

    def start(self, story: Path, seed: int) -> Told: ...

    def step(self, command: str) -> Told: ...

    def close(self) -> None:
        """Give the engine back; it is not used afterwards."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """How long a worker may take, and how many episodes it may serve."""

    start_s: float = 60.0
    """Load and reset of one game, the import of the engine included."""
    step_s: float = 20.0
    episodes: int = 25


class JerichoEngines:
    """A pool of worker processes, safe to call from several threads. Idle ones are kept until ``close``."""

    def __init__(self, limits: WorkerLimits = WorkerLimits(), command: Sequence[str] = ()):
        """``command`` replaces the worker program (tests)."""
        self._limits = limits
        self._command = tuple(command) or (sys.executable, "-P", str(_WORKER))
        self._needs_package = not command
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []
        self._closed = False

    def take(self) -> Engine:
        """Return an engine on an idle worker, or on a new one. Raises: UsageError if jericho is not installed."""
        if self._needs_package and importlib.util.find_spec("jericho") is None:
            raise UsageError(f"jericho: expected package jericho, got none; {INSTALL}")
        with self._lock:
            if self._closed:
                raise EnvError("jericho engine: expected an open suite, got a closed one; build the suite again")
            worker = self._idle.pop() if self._idle else None
            if worker is None:
                worker = _Worker(self._command)
                self._all.append(worker)
        return JerichoEngine(worker, self._limits, self._give_back)

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            if worker.alive and worker.episodes < self._limits.episodes and not self._closed:
                self._idle.append(worker)
                return
            if worker in self._all:
                self._all.remove(worker)
        worker.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers, self._all, self._idle = self._all, [], []
        for worker in workers:
            worker.kill()


class JerichoEngine:
    """One game on one worker."""

    def __init__(self, worker: _Worker, limits: WorkerLimits, give_back: Callable[[_Worker], None]):
        self._worker, self._limits, self._give_back = worker, limits, give_back
        self._closed = False

    def start(self, story: Path, seed: int) -> Told:
        self._worker.episodes += 1
        answer = self._worker.ask({"start": str(story), "seed": seed}, self._limits.start_s, "reset")
        if "error" in answer:
            raise DataError(f"jericho engine: expected a story file in {story}, got {answer['error']}; check the file")
        return _told(answer)

    def step(self, command: str) -> Told:
        answer = self._worker.ask({"step": command}, self._limits.step_s, "step")
        if "error" in answer:
            self._worker.kill()
            raise EnvError(
                f"jericho engine: expected a reply to {command!r}, got {answer['error']}; resume the run to retry"
            )
        return _told(answer)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._give_back(self._worker)


def _told(answer: dict[str, Any]) -> Told:
    if "missing" in answer:
        raise UsageError(f"jericho: expected package jericho to load, got {answer['missing']}; {INSTALL}")
    return Told(answer["text"], answer["score"], answer["max_score"], answer["won"], answer["over"], answer["halted"])


class _Worker:
    """A worker process, its two pipes and its folder."""

    def __init__(self, command: Sequence[str]):
        self.episodes = 0
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- lives as long as the process
        self._folder = tempfile.TemporaryDirectory(prefix="memfrontier-")
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            [*command, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=self._folder.name,
            env={**os.environ, "PYTHONHASHSEED": "0"},
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
            raise EnvError(f"jericho engine: expected an open game at {what}, got a closed one; open it again")
        try:
            process.stdin.write((json.dumps(request) + "\n").encode())
            line = _read_line(process.stdout.fileno(), limit_s)
        except TimeoutError:
            self.kill()
            raise EnvError(
                f"jericho engine: expected {what} within {limit_s:g} s, got none; worker ended, resume to retry"
            ) from None
        except OSError:
            line = b""
        if not line:
            code, tail = self._end(), self._tail()
            self.kill()
            raise EnvError(
                f"jericho engine: expected an answer to {what}, got the end of the worker (exit {code}) {tail!r}; "
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
        """End the process, at once, and free what it had; a second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        self._errors.close()
        self._folder.cleanup()


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
