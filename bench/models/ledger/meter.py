"""The meter around a model: every reply is booked and committed before it is used, and replayed on resume.

One meter serves one trial. It wraps the model and the embedder that a kit carries, gives each call its phase, step and
place, hands it to ``commit`` (the run store, or a pipe to it) and only then returns the reply. Replies that were
committed before a crash are handed out again in order, so a resumed trial takes the same path and pays nothing twice.
The faces that strategies see are in ``metered.py``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from bench.errors import EnvError, Interrupted, NoVerdict, StrategyError
from bench.models.cache.key import OVERFLOW
from bench.secrets import Secrets, scrub
from bench.types import Attempt, Call, Phase, Reply

__all__ = ["DUPLICATE", "EMBED_ROLE", "NO_VERDICT", "OK", "Meter", "ReplayMismatchError"]

EMBED_ROLE = "embed"
OK = "ok"
DUPLICATE = "duplicate"
"""The status of a paid reply that another run had already in the cache by the time it came: spend, and no more."""
NO_VERDICT = "no-verdict"
"""The status of a judge's reply that was refused: spend, and asked for again."""
_SETTLED = (OK, OVERFLOW)
"""The statuses of a call that has its answer: it holds a place in its trial and is not asked again on resume."""


class ReplayMismatchError(EnvError):
    """A resumed trial asked something else than it asked before: it, or its environment, is not deterministic."""


class Meter:
    """Books the calls of one trial.

    ``committed`` are the calls already in the store, by index; ``cap`` the most calls one decision may make;
    ``stopped`` says that the run is to make no further call.
    """

    def __init__(
        self,
        commit: Callable[[Call], None],
        committed: Sequence[Call] = (),
        *,
        cap: int = 0,
        stopped: Callable[[], bool] = lambda: False,
    ):
        self._commit, self._stopped = commit, stopped
        self._samples: dict[str, int] = {}
        self.hide = Secrets(os.environ).hide
        """Takes keys out of a text."""
        self._known = {call.index: call for call in committed if call.status in _SETTLED}
        # A judge's verdict may have come at its second try: the replies it was refused before lead there again.
        self._refused = {(call.index, call.request_hash): call for call in committed if call.status == NO_VERDICT}
        self._tried: dict[int, int] = {}
        for call in committed:
            self._tried[call.index] = max(call.attempt, self._tried.get(call.index, 0))
        self._cap = cap
        self._phase, self._step, self._index, self._inner = Phase.WRITE, 0, 0, 0
        self._model_s, self._record_s, self._prompt, self._tokens = 0.0, 0.0, 0, 0
        self._told, self._deciding = True, False
        self.calls: list[Call] = [call for call in committed if call.status not in _SETTLED]
        """Every attempt of this trial so far, failed and replayed ones included."""

    def enter(self, phase: Phase, step: int) -> None:
        self._phase, self._step, self._inner = phase, step, 0
        self._deciding = phase is Phase.ACT

    def model_s(self) -> float:
        return self._model_s

    def record_s(self) -> float:
        return self._record_s

    def prompt_tokens(self) -> int | None:
        return self._prompt if self._told else None

    def tokens(self) -> int:
        return self._tokens

    @contextmanager
    def phase(self, phase: Phase) -> Iterator[None]:
        """Book the calls made inside under ``phase``: what ``Kit.phase`` is."""
        outer, self._phase = self._phase, phase
        try:
            yield
        finally:
            self._phase = outer

    def known(self, sent: str) -> Call | None:
        """Return the committed call that stands where the next call would, None if there is none.

        Raises: ReplayMismatchError if that call was another request; NoVerdict if it was the next try of this one.
        """
        call = self._known.get(self._index)
        if call is not None and call.request_hash != sent:
            if before := self._refused.get((self._index, sent)):
                raise NoVerdict(before.reply)
            raise ReplayMismatchError(
                f"replay: expected request {call.request_hash[:12]} at call {self._index}, got {sent[:12]}; "
                "the strategy or the environment is not deterministic, resume again to play this trial afresh"
            )
        return call

    def check(self) -> None:
        """Raises: Interrupted if no further call may be made."""
        if self._stopped():
            raise Interrupted("run: stopped")

    def count_inner(self) -> None:
        """Count one more call of the present decision; what a memory asks while it observes is none.

        Raises: StrategyError over the cap.
        """
        self._inner += self._deciding
        if self._cap and self._inner > self._cap:
            raise StrategyError(f"decide: expected at most {self._cap} model calls for one decision, got one more")

    def book(self, role: str, model: str, sent: str, reply: Reply, latency_s: float, status: str = OK) -> Call:
        """Commit one call; on return it is safe to use."""
        attempt = self._tried.get(self._index, 0) + 1
        self._tried[self._index] = attempt
        call = Call(
            self._index, self._phase, role, model, sent, reply.text, reply.usage, self._step, attempt, status,
            reply.cost_usd, reply.price_date, latency_s, reply.finish,
        )  # fmt: skip
        began = time.perf_counter()
        self._commit(call)
        self._record_s += time.perf_counter() - began
        if status in _SETTLED:
            self.use(call)
        else:
            self.calls.append(call)
        return call

    def book_failed(self, role: str, model: str, sent: str, attempts: Sequence[Attempt]) -> None:
        """Commit the tries at one call that gave no usable reply."""
        for failed in attempts:
            reply = Reply(scrub(failed.detail), failed.usage, failed.cost_usd)
            self.book(role, model, sent, reply, failed.latency_s, failed.status)

    def sample(self, sent: str) -> int:
        """Return how often this trial has made this very request before: the same prompt twice is two samples."""
        count = self._samples.get(sent, 0)
        self._samples[sent] = count + 1
        return count

    def use(self, call: Call) -> None:
        """Count a committed call as part of this trial and move on to the next place."""
        self.calls.append(call)
        self._index += 1
        self._model_s += call.latency_s
        self._tokens += (call.usage.prompt or 0) + (call.usage.completion or 0)
        if call.role == EMBED_ROLE or call.status == OVERFLOW:
            return
        if call.usage.prompt is None:
            self._told = False
        else:
            self._prompt += call.usage.prompt
