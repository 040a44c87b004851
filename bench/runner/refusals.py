"""When an endpoint refuses every call: after a few equal answers that no further try mends, a run stops."""

from __future__ import annotations

import threading
from collections import Counter

from bench.errors import EndpointStop
from bench.types import Call, CallStatus, Status, Trial

__all__ = ["Refusals"]

_INCURABLE = (CallStatus.AUTH, CallStatus.NOT_FOUND, CallStatus.QUOTA)
_MOST = 3
_WHY = "every call is answered like this: the run stopped, the same command goes on from here"


class Refusals:
    """Counts the refused calls of each model since its last good reply. Safe in threads."""

    def __init__(self, trials: int):
        """``trials``: how many there are to play; where they are fewer than the limit, all of them reach it."""
        self._most = max(1, min(_MOST, trials))
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, CallStatus]] = Counter()

    def count(self, call: Call) -> None:
        """Count a call that was committed; a good reply begins anew."""
        with self._lock:
            if call.status in _INCURABLE:
                self._counts[call.model, call.status] += 1
            elif call.status.completed:
                for status in _INCURABLE:
                    self._counts.pop((call.model, status), None)

    def hit(self, trial: Trial) -> bool:
        """True if a trial ended with a refused call."""
        last = trial.calls[-1] if trial.calls else None
        return trial.status is Status.MODEL_ERROR and last is not None and last.status in _INCURABLE

    def find_stop(self, trial: Trial) -> EndpointStop | None:
        """Return why a run has to stop after a trial, None if it need not."""
        if not self.hit(trial):
            return None
        last = trial.calls[-1]
        with self._lock:
            count = self._counts[last.model, last.status]
        if count < self._most:
            return None
        return EndpointStop(f"run: {trial.error} ({_WHY})")
