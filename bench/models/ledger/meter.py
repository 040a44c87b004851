"""The meter around a model: every reply is recorded and committed before it is used, and replayed on resume.

One meter serves one trial. It gives each call of the kit's model and embedder its phase, step and index, hands it to
``commit`` (the run store, or a pipe to it) and only then returns the reply. Replies that were committed before a crash
are handed out again in order, so a resumed trial takes the same path and pays nothing twice. The model and the embedder
that strategies see are in ``metered.py`` and ``embedder.py``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from bench.errors import (
    BenchError,
    BudgetStop,
    EndpointStop,
    EnvError,
    Interrupted,
    NoVerdict,
    StoreError,
    StrategyError,
)
from bench.protocols import Estimate
from bench.secrets import Secrets, scrub
from bench.types import Attempt, Call, CallStatus, Phase, Reply

__all__ = ["Meter", "Release", "ReplayMismatchError", "reserve_nothing"]


class ReplayMismatchError(EnvError):
    """A resumed trial made another request than before: the strategy or the environment is not deterministic."""


Release = Callable[[], None]
"""Ends a reservation; calling it twice does nothing more."""


def reserve_nothing(_estimate: Estimate) -> Release:
    """Reserve nothing, where there is no limit to keep."""
    return lambda: None


class Meter:
    """Records the calls of one trial.

    ``committed``: the calls already in the store, by index. ``cap``: the most calls one decision may make; 0 = no cap.
    ``stopped``: True once the run is to make no further call. ``book_as``: one phase that all calls are booked under.
    ``reserve``: asks the run's limits for one more try; the reservation ends when the try is booked.
    """

    def __init__(
        self,
        commit: Callable[[Call], None],
        committed: Sequence[Call] = (),
        *,
        cap: int = 0,
        stopped: Callable[[], bool] = lambda: False,
        book_as: Phase | None = None,
        reserve: Callable[[Estimate], Release] = reserve_nothing,
    ):
        self._commit, self._stopped, self._book_as, self._reserve = commit, stopped, book_as, reserve
        self._release: Release | None = None
        self._end: BenchError | None = None
        self._samples: dict[str, int] = {}
        self.redact = Secrets(os.environ).redact
        """Takes keys out of a text."""
        self._completed = {call.index: call for call in committed if call.status.completed}
        # A judge's verdict may have come at its second try: the replies rejected before it lead there again.
        self._rejected = {
            (call.index, call.request_hash): call for call in committed if call.status == CallStatus.NO_VERDICT
        }
        self._attempts: dict[int, int] = {}
        for call in committed:
            self._attempts[call.index] = max(call.attempt, self._attempts.get(call.index, 0))
        self._cap = cap
        self._phase, self._step, self._index, self._inner = Phase.WRITE, 0, 0, 0
        self._record_s, self._read_s, self._deciding = 0.0, 0.0, False
        self.calls: list[Call] = [call for call in committed if not call.status.completed]
        """Every attempt of this trial so far, failed and replayed ones included."""

    def enter(self, phase: Phase, step: int) -> None:
        """Record the calls from now on under ``phase`` at ``step``; a new decision begins with phase ACT."""
        self._phase, self._step, self._inner = phase, step, 0
        self._deciding = phase is Phase.ACT

    def read_s(self) -> float:
        """Wall seconds spent on reading from memory since the trial began, calls of models included."""
        return self._read_s

    @property
    def place(self) -> tuple[Phase, int]:
        """The phase and the step that a call made now is recorded under."""
        return self._book_as or self._phase, self._step

    def record_s(self) -> float:
        """Wall seconds spent on committing calls since the trial began."""
        return self._record_s

    @contextmanager
    def phase(self, phase: Phase) -> Iterator[None]:
        """Record the calls made inside the block under ``phase``; ``Kit.phase`` is this method."""
        outer, self._phase = self._phase, phase
        began, recorded_s = time.perf_counter(), self._record_s
        try:
            yield
        finally:
            self._phase = outer
            if phase is Phase.READ and outer is not Phase.READ:
                self._read_s += time.perf_counter() - began - (self._record_s - recorded_s)

    def find_committed(self, request_hash: str) -> Call | None:
        """Return the committed call at the index of the next call, None if there is none.

        Raises: ReplayMismatchError if that call was another request; NoVerdict if it was the next try of this one.
        """
        call = self._completed.get(self._index)
        if call is not None and call.request_hash != request_hash:
            if rejected := self._rejected.get((self._index, request_hash)):
                raise NoVerdict(rejected.reply)
            raise ReplayMismatchError(
                f"replay: expected request {call.request_hash[:12]} at call {self._index}, got {request_hash[:12]}; "
                "the strategy or the environment is not deterministic, resume again to play this trial from its start"
            )
        return call

    @contextmanager
    def open_call(self) -> Iterator[None]:
        """Wrap one call: its reservation ends with it, and what ends the run in it ends every later call too."""
        self.raise_end()
        try:
            yield
        except (BudgetStop, EndpointStop, Interrupted, StoreError) as end:
            self._end = end
            raise
        finally:
            self._end_try()

    def raise_end(self) -> None:
        """Raise what ended the run in a call of this trial, if anything did: a strategy may have swallowed it."""
        if self._end is not None:
            raise self._end

    def check_stop(self) -> None:
        """Raises: Interrupted once the run is to make no further call; ``Kit.check_stop`` is this method."""
        if self._stopped():
            raise Interrupted

    def begin_try(self, estimate: Estimate) -> None:
        """Wait until one more try may be made. Raises: Interrupted, BudgetStop: none may be made."""
        self.check_stop()
        self._end_try()
        self._release = self._reserve(estimate)

    def _end_try(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()

    def count_inner(self) -> None:
        """Count one more call of the present decision; calls that a memory makes while it observes do not count.

        Raises: StrategyError over the cap.
        """
        self._inner += self._deciding
        if self._cap and self._inner > self._cap:
            raise StrategyError(f"decide: expected at most {self._cap} model calls for one decision, got one more")

    def book(
        self,
        role: str,
        model: str,
        request_hash: str,
        reply: Reply,
        latency_s: float,
        status: CallStatus = CallStatus.OK,
    ) -> Call:
        """Commit one call; on return it is safe to use. Raises: StoreError, whatever the recorder raises."""
        attempt = self._attempts.get(self._index, 0) + 1
        self._attempts[self._index] = attempt
        call = Call(
            self._index, self._book_as or self._phase, role, model, request_hash, reply.text, reply.usage, self._step,
            attempt, status, reply.cost_usd, reply.price_date, latency_s, reply.finish,
        )  # fmt: skip
        began = time.perf_counter()
        try:
            self._commit(call)
        except BenchError:
            raise
        except Exception as cause:
            raise StoreError(
                f"ledger: expected a call that can be recorded, got {type(cause).__name__}: {cause}; "
                "what was recorded before is intact"
            ) from cause
        self._record_s += time.perf_counter() - began
        self._end_try()  # from here on the try is among what was spent
        if status.completed:
            self.use(call)
        else:
            self.calls.append(call)
        return call

    def book_failed(self, role: str, model: str, request_hash: str, attempts: Sequence[Attempt]) -> None:
        """Commit the tries at one call that gave no usable reply."""
        for failed in attempts:
            reply = Reply(scrub(failed.detail), failed.usage, failed.cost_usd)
            self.book(role, model, request_hash, reply, failed.latency_s, CallStatus(failed.status))

    def count_sample(self, request_hash: str) -> int:
        """Count one more sample of a request; return how often this trial made it before."""
        count = self._samples.get(request_hash, 0)
        self._samples[request_hash] = count + 1
        return count

    def use(self, call: Call) -> None:
        """Count a committed call as part of this trial and move on to the next index."""
        self.calls.append(call)
        self._index += 1
