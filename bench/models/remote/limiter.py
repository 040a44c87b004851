"""The limits of an endpoint: calls at once, calls and tokens a minute; and the end of all waits when a run is stopped.

A ``Limiter`` is shared by every trial of an endpoint. The limit of calls at once grows by one a round while all is well
and is halved when the endpoint reports an overload (AIMD); calls start in the order in which they came.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from bench.errors import Interrupted
from bench.models.remote.endpoint_config import Rates

__all__ = ["Clock", "Limiter", "Permit", "Window"]

_WINDOW_S = 60.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the limits see it; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[threading.Event, float], object] = threading.Event.wait
    """Waits for an event, at most so many seconds."""


@dataclass(slots=True)
class Permit:
    """Permission to make one call. ``tokens`` is what it is expected to use."""

    began_s: float
    tokens: int


class Window:
    """The calls of the last minute. Not safe for threads: its owner holds a lock."""

    def __init__(self, rates: Rates):
        self._calls, self._tokens = rates.requests_per_minute, rates.tokens_per_minute
        self._recent: deque[Permit] = deque()
        self._sum = 0

    def wait_s(self, permit: Permit) -> float:
        """Record the call and return 0 if it may start at ``permit.began_s``; else return how long to wait first."""
        if not self._calls and not self._tokens:
            return 0.0
        now = permit.began_s
        while self._recent and self._recent[0].began_s <= now - _WINDOW_S:
            self._sum -= self._recent.popleft().tokens
        calls_full = bool(self._calls) and len(self._recent) >= self._calls
        # A single call that is larger than the limit starts when it is alone; it could never start otherwise.
        tokens_full = bool(self._tokens) and bool(self._recent) and self._sum + permit.tokens > self._tokens
        if calls_full or tokens_full:
            return max(1e-3, self._recent[0].began_s + _WINDOW_S - now)
        self._recent.append(permit)
        self._sum += permit.tokens
        return 0.0

    def correct(self, permit: Permit, tokens: int) -> None:
        """Replace the expected tokens of a call by those it used."""
        if self._recent and permit.began_s >= self._recent[0].began_s:
            self._sum += tokens - permit.tokens
            permit.tokens = tokens


class Limiter:
    """The limits of one endpoint; safe to use from any number of threads."""

    def __init__(self, rates: Rates, clock: Clock = Clock()):
        self._clock, self._ceiling = clock, rates.concurrency
        self._lock = threading.Lock()
        self._window = Window(rates)
        self._limit, self._active, self._cut_s = float(rates.concurrency), 0, float("-inf")
        self._waiting: deque[threading.Lock] = deque()
        self._stopped = threading.Event()

    @property
    def concurrency(self) -> float:
        """Calls that may be under way at once, now."""
        return self._limit

    @property
    def stopped(self) -> bool:
        """True once no call may begin any more."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """End every wait, now and later, with Interrupted; calls under way are let finish."""
        with self._lock:
            self._stopped.set()
            while self._waiting:
                self._active += 1
                self._waiting.popleft().release()

    def pause(self, seconds: float) -> None:
        """Wait. Raises: Interrupted as soon as the run is stopped."""
        if seconds and not self.stopped:
            self._clock.wait(self._stopped, seconds)
        if self.stopped:
            raise Interrupted

    def enter(self, tokens: int = 0) -> Permit:
        """Wait for permission to make a call of about so many tokens. Every permit must be handed back.

        Raises: Interrupted once the run is stopped: no call begins after that.
        """
        self._take_place()
        try:
            while True:
                with self._lock:
                    permit = Permit(self._clock.now(), tokens)
                    wait_s = self._window.wait_s(permit)
                if not wait_s:
                    self.pause(0.0)
                    return permit
                self.pause(wait_s)
        except Interrupted:
            with self._lock:
                self._active -= 1
            raise

    def _take_place(self) -> None:
        """Wait until fewer calls are under way than may be."""
        gate = None
        with self._lock:
            if self.stopped or (self._active < int(self._limit) and not self._waiting):
                self._active += 1
            else:
                gate = threading.Lock()
                gate.acquire()
                self._waiting.append(gate)
        if gate is not None:
            gate.acquire()  # the thread that opens it has counted this call as active

    def leave(self, permit: Permit, *, overloaded: bool = False, used: int | None = None) -> None:
        """Hand a permit back. ``overloaded``: the endpoint reported it; ``used``: tokens, None if unknown."""
        with self._lock:
            self._active -= 1
            if used is not None:
                self._window.correct(permit, used)
            if not overloaded:
                self._limit = min(float(self._ceiling), self._limit + 1 / self._limit)
            elif permit.began_s >= self._cut_s:  # of calls sent before the last cut, one report is enough
                self._limit, self._cut_s = max(1.0, self._limit / 2), self._clock.now()
            while self._waiting and self._active < int(self._limit):
                self._active += 1
                self._waiting.popleft().release()
