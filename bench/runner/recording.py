"""Where the calls of a run go while it plays: into the store, against its limits; and how it ends before its time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from bench.config import RunConfig
from bench.models.ledger.meter import Release
from bench.protocols import Estimate
from bench.runner.budget import sum_run
from bench.runner.limits import SpendingLimits
from bench.runner.refusals import Refusals
from bench.store.database import Spending, Store
from bench.types import Call, TrialKey

__all__ = ["RunRecorder"]


class RunRecorder:
    """The recorder of all trials of a run, and of its judge's calibration. Safe in threads."""

    def __init__(self, config: RunConfig, store: Store, end_waits: Callable[[], None] = lambda: None):
        """``end_waits`` ends what waits for a model, when the run is to end."""
        self._store, self._end_waits = store, end_waits
        self._limits = SpendingLimits(config, sum_run(store))
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self.refusals = Refusals(0)
        self.cause: BaseException | None = None
        """The first thing that ended the run; None while it goes on."""

    @property
    def spent(self) -> Spending:
        """By all calls of the run so far."""
        return self._limits.spent

    def commit_call(self, key: TrialKey, call: Call) -> None:
        self._store.commit_call(key, call)
        self._limits.add(Spending.of(call))
        self.refusals.count(call)
        self.check_limits()

    def supersede(self, key: TrialKey) -> None:
        self._store.supersede(key)

    def reserve(self, estimate: Estimate) -> Release:
        return self._limits.reserve(estimate)

    def check_limits(self) -> None:
        """End the run if a limit is reached: no further call is made; what is in flight is paid for and recorded."""
        if stop := self._limits.find_excess():
            self.end_with(stop)

    def end_with(self, cause: BaseException) -> None:
        """Remember the first thing that ended the run and let every worker finish its commit."""
        with self._lock:
            if self.cause is None:
                self.cause = cause
        self.halt()

    def halt(self) -> None:
        """Let no further call begin."""
        self._stop.set()
        self._limits.stop()
        self._end_waits()

    def stopped(self) -> bool:
        """True if no further call may begin."""
        return self._stop.is_set()
