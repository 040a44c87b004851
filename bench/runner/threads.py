"""Threads that are waited for in a way that a signal cannot disturb."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress

__all__ = ["run_threads"]

_LOOK_EVERY_S = 1.0


def run_threads(work: Callable[[], None], count: int) -> None:
    """Call a function in so many threads at once and return when every call has ended.

    The threads say themselves that they have: ``Thread.join`` with a timeout, interrupted by an exception of a signal's
    handler, marks a running thread as one that has ended (CPython 3.11). The count decides; if a word of the queue is
    lost with such an exception, that costs a moment.
    """
    lock, ended = threading.Lock(), queue.SimpleQueue[None]()
    working = 0

    def call() -> None:
        nonlocal working
        try:
            work()
        finally:
            with lock:
                working -= 1
            ended.put(None)

    for _ in range(count):
        with lock:
            working += 1
        threading.Thread(target=call, daemon=True).start()
    while working:
        with suppress(queue.Empty):
            ended.get(timeout=_LOOK_EVERY_S)
