from __future__ import annotations

import signal
import threading
from types import FrameType

import pytest

from bench.runner.threads import run_threads


def test_run_threads_returns_when_every_call_has_ended() -> None:
    together, done = threading.Barrier(4), list[int]()

    def work() -> None:
        done.append(together.wait(60))

    run_threads(work, 4)
    assert sorted(done) == [0, 1, 2, 3]
    run_threads(work, 0)
    assert len(done) == 4


def test_call_that_raises_has_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append(args.exc_type))

    def work() -> None:
        raise LookupError

    run_threads(work, 2)
    assert seen == [LookupError] * 2


def test_signals_while_waiting_end_no_wait_early() -> None:
    """Each worker goes on when the main thread, which waits for it, has handled a signal in the middle of its wait."""
    handled, done = threading.Semaphore(0), list[int]()

    def handle(_number: int, _frame: FrameType | None) -> None:
        handled.release()

    def work() -> None:
        for _ in range(20):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
            handled.acquire()
        done.append(1)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        run_threads(work, 1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert done == [1]
