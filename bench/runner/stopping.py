"""How a run is stopped from outside: Ctrl-C or SIGTERM once lets the calls in flight finish, twice leaves at once.

A signal may come between any two instructions of the main thread, while that holds any lock. So the handler does
nothing but put a word into a queue that takes one at any time; a thread of its own reads it and tells the run.
"""

from __future__ import annotations

import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Stop", "catch_signals"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LOOK_EVERY_S = 0.5


class Stop:
    """The wish that a run ends: asked for once and for all. Safe in threads, not in a handler of signals."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = False
        self._listeners: list[Callable[[], None]] = []

    @property
    def asked(self) -> bool:
        return self._asked

    def ask(self) -> None:
        """Tell everybody who listens; once."""
        with self._lock:
            told = [] if self._asked else list(self._listeners)
            self._asked = True
        for listener in told:
            listener()

    def add(self, listener: Callable[[], None]) -> None:
        """Call a function when the run is to end: at once if that is so already."""
        with self._lock:
            self._listeners.append(listener)
            asked = self._asked
        if asked:
            listener()

    def remove(self, listener: Callable[[], None]) -> None:
        with self._lock:
            self._listeners.remove(listener)

    def wait(self) -> None:
        """Return when it is asked for.

        The main thread looks up now and then: a signal that comes just as it goes to sleep wakes nobody, and its
        handler would run when the sleep is over.
        """
        ended = threading.Event()
        self.add(ended.set)
        while not ended.wait(_LOOK_EVERY_S):
            pass
        self.remove(ended.set)


@contextmanager
def catch_signals(outer: Stop | None = None, *, says: bool = True) -> Iterator[Stop]:
    """Give a stop that the first Ctrl-C or SIGTERM asks for; the second raises KeyboardInterrupt in the main thread.

    ``outer``: the stop of a run that this is a part of, which is given on. In another thread than the main one, where
    Python handles no signals, nothing is caught; a signal that the process ignores stays ignored. ``says``: print what
    happens now.
    """
    if outer is not None or threading.current_thread() is not threading.main_thread():
        yield outer or Stop()
        return
    stop, came, handled = Stop(), queue.SimpleQueue[bool](), list[int]()

    def handle(number: int, _frame: FrameType | None) -> None:
        handled.append(number)
        if len(handled) > 1:
            raise KeyboardInterrupt
        came.put(True)

    before = {one: found for one in _SIGNALS if (found := signal.getsignal(one)) not in (None, signal.SIG_IGN)}
    threading.Thread(target=_tell, args=(came, stop, says), daemon=True).start()
    for one in before:
        signal.signal(one, handle)
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        came.put(False)


def _tell(came: queue.SimpleQueue[bool], stop: Stop, says: bool) -> None:
    """Ask for the stop when the word comes; end with the block that catches signals."""
    if not came.get():
        return
    stop.ask()
    if says:
        print("bench: stopping after the calls in flight; once more stops at once", file=sys.stderr, flush=True)
