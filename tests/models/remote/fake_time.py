"""A clock for tests of waits: nobody waits."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from bench.models.remote.limiter import Clock


@dataclass
class Time:
    """A clock that only moves when a thread waits."""

    now_s: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def wait(self, _event: threading.Event, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now_s, self.wait)
