"""Plays tries in processes of their own: one that dies, hangs or eats the memory costs its try alone."""

from __future__ import annotations

import multiprocessing
import os
import queue
import resource
import shutil
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

from tests.faults.campaign.guard import install_guard
from tests.faults.campaign.tries import Found, Place, Try

__all__ = ["play_tries"]

_PATIENCE_S = 300.0
"""After this a try counts as one that does not end; no try that ends is judged by it."""
_MEMORY_BYTES = 4 << 30


def play_tries(tries: Sequence[Try], workers: int, shared: Path) -> Iterator[tuple[Try, Found]]:
    """Yield what came of each try, in the order in which they end."""
    waiting: queue.SimpleQueue[Try] = queue.SimpleQueue()
    ended: queue.SimpleQueue[tuple[Try, Found]] = queue.SimpleQueue()
    for one in tries:
        waiting.put(one)
    for _ in range(min(workers, len(tries))):
        threading.Thread(target=_serve, args=(waiting, ended, shared), daemon=True).start()
    for _ in tries:
        yield ended.get()


def _serve(waiting: queue.SimpleQueue[Try], ended: queue.SimpleQueue[tuple[Try, Found]], shared: Path) -> None:
    child = _Child(shared)
    while True:
        try:
            one = waiting.get_nowait()
        except queue.Empty:
            child.end()
            return
        ended.put((one, child.play(one)))


class _Child:
    """A process that plays one try after the other, replaced when it dies."""

    def __init__(self, shared: Path):
        self._shared = shared
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def play(self, one: Try) -> Found:
        about = ("(unknown)", one.command)
        pipe = self._pipe or self._start()
        try:
            pipe.send(one)
            while pipe.poll(_PATIENCE_S):
                said = pipe.recv()
                if isinstance(said, Found):
                    return said
                about = said
            got = f"no end after {_PATIENCE_S:g} s"
        except (EOFError, OSError):
            got = "the process died"
        return Found(*about, "an end", f"{got} (exit {self.end()})")

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=_run_child, args=(theirs, self._shared))
        self._process.start()
        theirs.close()
        self._pipe = ours
        return ours

    def end(self) -> int | None:
        """End the process; return its exit code."""
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is None or pipe is None:
            return None
        pipe.close()
        process.join(2)
        if process.is_alive():
            process.kill()
            process.join()
        return process.exitcode


def _run_child(pipe: Connection, shared: Path) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
    install_guard(shared.parent)
    while True:
        try:
            one = pipe.recv()
        except EOFError:
            return
        pipe.send(play_one(one, shared, lambda *about: pipe.send(about)))


def play_one(one: Try, shared: Path, tell: Callable[[str, str], None] = lambda *_: None) -> Found:
    """Play a try in an empty folder that is gone afterwards."""
    play: Callable[[Try, Place], Found] = import_module(f"tests.faults.campaign.{one.kind}").play
    folder = Path(tempfile.mkdtemp(prefix=f"{one.kind}-{one.number}-", dir=shared.parent))
    try:
        return play(one, Place(folder, shared, tell))
    except Exception:
        return Found("(the campaign itself)", one.command, "a verdict", traceback.format_exc())
    finally:
        os.chdir(shared)
        shutil.rmtree(folder, ignore_errors=True)
