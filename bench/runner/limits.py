"""The limits of a run while it plays: every try at a call is reserved before it is made, and corrected when booked.

A try begins while what is spent and what is under way stay below a limit, so that no more than the try that reaches it
goes over. What a try under way will take is not known: the most that one of this run took, or that its request allows,
if that is more. Before any has ended, one is made at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from bench.config import RunConfig
from bench.errors import BudgetStop, Interrupted
from bench.protocols import Estimate
from bench.runner.budget import find_excess, has_limit
from bench.store.database import Spending

__all__ = ["SpendingLimits"]


class SpendingLimits:
    """What a run has spent and what is under way; safe to use from any number of threads."""

    def __init__(self, config: RunConfig, spent: Spending = Spending()):
        self._config, self._spent = config, spent
        self._limited = has_limit(config)
        self._most_tokens, self._most_usd, self._ended = 0, 0.0, False
        self._under_way: dict[object, Spending] = {}
        self._stopped = False
        self._changed = threading.Condition()

    @property
    def spent(self) -> Spending:
        """All calls so far."""
        return self._spent

    def add(self, call: Spending) -> None:
        """Count a call that was booked."""
        with self._changed:
            self._spent += call
            self._most_tokens = max(self._most_tokens, call.tokens)
            self._most_usd = max(self._most_usd, call.cost_usd or 0.0)

    def find_excess(self) -> BudgetStop | None:
        """Return why the run has to stop, None if it need not."""
        return find_excess(self._config, self._spent)

    def reserve(self, estimate: Estimate) -> Callable[[], None]:
        """Wait until one more try may be made; what is returned ends its reservation.

        Raises: BudgetStop if a limit is reached, Interrupted once the run is stopped.
        """
        if not self._limited:
            return lambda: None
        tokens, usd = estimate()
        token = object()
        with self._changed:
            while not self._may_begin():
                self._changed.wait()
            self._under_way[token] = Spending(1, max(tokens, self._most_tokens), max(usd, self._most_usd))
        return lambda: self._release(token)

    def _may_begin(self) -> bool:
        """Raises: BudgetStop, Interrupted."""
        if self._stopped:
            raise Interrupted
        if stop := self.find_excess():
            raise stop
        with_others = sum(self._under_way.values(), self._spent)
        return not self._under_way or (self._ended and find_excess(self._config, with_others) is None)

    def _release(self, token: object) -> None:
        with self._changed:
            self._ended = True
            self._under_way.pop(token, None)
            self._changed.notify_all()

    def stop(self) -> None:
        """Let no further try begin, and end every wait for one."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
