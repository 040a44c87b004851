"""Worker processes for engines that hang, crash, leak memory or keep global state: one for each open environment.

A worker is a program that reads one JSON line per request from its standard input and writes one JSON line per reply to
its standard output. A worker that hangs is killed after a time limit; one that exits is an EnvError; both are replaced
by a new one, and so is a worker that has served a number of episodes. Each worker runs in an empty folder of its own,
so that files written by an engine land there. Knows no engine and no game.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from bench.errors import EnvError

__all__ = ["Worker", "WorkerLimits", "WorkerPool"]

_ERROR_TAIL_CHARS = 300
_EXIT_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """The time limits of a worker, in seconds, and how many episodes it may serve."""

    start_s: float = 120.0
    """Load and reset of one game, the import of the engine included."""
    step_s: float = 60.0
    episodes: int = 25


class WorkerPool:
    """Workers of one program, safe to call from several threads. Idle ones are kept until ``close``."""

    def __init__(self, who: str, command: Sequence[str], limits: WorkerLimits, env: Mapping[str, str] | None = None):
        """``who`` names the engine in errors; ``env`` is added to the workers' environment."""
        self.limits = limits
        self._who, self._command, self._env = who, tuple(command), dict(env or {})
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: list[Worker] = []
        self._closed = False

    def take(self) -> Worker:
        """Return an idle worker, or a new one. Raises: EnvError if the pool is closed."""
        with self._lock:
            if self._closed:
                raise EnvError(f"{self._who}: expected an open suite, got a closed one; build the suite again")
            if self._idle:
                return self._idle.pop()
            worker = Worker(self._who, self._command, self._env)
            self._all.append(worker)
            return worker

    def give_back(self, worker: Worker) -> None:
        """Return a worker to the pool; one that is dead or has served all its episodes is ended."""
        with self._lock:
            if worker.alive and worker.episodes < self.limits.episodes and not self._closed:
                self._idle.append(worker)
                return
            if worker in self._all:
                self._all.remove(worker)
        worker.kill()

    def close(self) -> None:
        """End every worker, also those in use."""
        with self._lock:
            self._closed = True
            workers, self._all, self._idle = self._all, [], []
        for worker in workers:
            worker.kill()


class Worker:
    """A worker process, its two pipes and its folder."""

    def __init__(self, who: str, command: Sequence[str], env: Mapping[str, str]):
        self.episodes = 0
        """Games started so far; the caller counts them."""
        self._who = who
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- lives as long as the process
        self._folder = tempfile.TemporaryDirectory(prefix="memfrontier-")
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            [*command, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=self._folder.name,
            # Engines keep sets: a fixed hash order makes two workers agree.
            env={**os.environ, "PYTHONHASHSEED": "0", **env},
            bufsize=0,
            # Ctrl-C is for the harness: a worker ends with its pipe.
            start_new_session=True,
        )

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def ask(self, request: dict[str, Any], limit_s: float, what: str) -> dict[str, Any]:
        """Return the worker's reply. Raises: EnvError, with the worker ended, if none comes within ``limit_s``."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise EnvError(f"{self._who}: expected an open game at {what}, got a closed one; open it again")
        try:
            process.stdin.write((json.dumps(request) + "\n").encode())
            line = _read_bytes_line(process.stdout.fileno(), limit_s)
        except TimeoutError:
            self.kill()
            raise EnvError(
                f"{self._who}: expected {what} within {limit_s:g} s, got none; worker ended, resume to retry"
            ) from None
        except OSError:
            line = b""
        if not line:
            code, tail = self._end(), self._read_errors()
            self.kill()
            raise EnvError(
                f"{self._who}: expected an answer to {what}, got the end of the worker (exit {code}) {tail!r}; "
                "resume the run to retry"
            )
        return dict(json.loads(line))

    def _read_errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-_ERROR_TAIL_CHARS:].strip()

    def _end(self) -> int | None:
        """Return the exit code of a process that has closed its pipe; None if it still runs."""
        try:
            return self._process.wait(_EXIT_WAIT_S) if self._process else None
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End the process at once and free its pipes and folder; a second call does nothing."""
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


def _read_bytes_line(descriptor: int, limit_s: float) -> bytes:
    """Return one line with its line break; empty at the end of the stream. Raises: TimeoutError."""
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
