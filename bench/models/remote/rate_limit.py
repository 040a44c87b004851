"""How an endpoint is asked without being overrun: calls at once, calls and tokens a minute, tries and waits.

``Limiter`` is one endpoint's gate, shared by every trial. Calls at once grow by one a round while all is well and are
halved when the endpoint says that it is too much (AIMD), and who came first goes first. ``LimitedModel`` asks through
the gate, again and again as far as that may help; each try that fails is kept for the ledger.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench.errors import ModelError
from bench.models.remote.client import AttemptFailed, Client, HttpRequest
from bench.models.remote.endpoint_config import Rates
from bench.types import Attempt, Message, Reply

__all__ = ["Clock", "LimitedModel", "Limiter", "Permit", "Window"]

_WINDOW_S = 60.0
_HINTS = {
    "auth": "check the key in {key}",
    "quota": "the account has no credit left; raise it, then resume",
    "not-found": "check the model's name and the base URL",
    "bad-request": "change what the message names",
}


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the limits see it; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass(slots=True)
class Permit:
    """Leave to make one call. ``tokens`` is what it is expected to use."""

    began_s: float
    tokens: int


class Window:
    """What was asked in the last minute. Not safe for threads: its owner holds a lock."""

    def __init__(self, rates: Rates):
        self._calls, self._tokens = rates.requests_per_minute, rates.tokens_per_minute
        self._recent: deque[Permit] = deque()
        self._sum = 0

    def wait_s(self, permit: Permit) -> float:
        """Note the call and return 0 if it may go at ``permit.began_s``; else return how long to wait first."""
        if not self._calls and not self._tokens:
            return 0.0
        now = permit.began_s
        while self._recent and self._recent[0].began_s <= now - _WINDOW_S:
            self._sum -= self._recent.popleft().tokens
        many = bool(self._calls) and len(self._recent) >= self._calls
        # A single call that is larger than the limit goes when it is alone; it could never go otherwise.
        much = bool(self._tokens) and bool(self._recent) and self._sum + permit.tokens > self._tokens
        if many or much:
            return max(1e-3, self._recent[0].began_s + _WINDOW_S - now)
        self._recent.append(permit)
        self._sum += permit.tokens
        return 0.0

    def correct(self, permit: Permit, tokens: int) -> None:
        """Put what a call really used in the place of what was expected."""
        if self._recent and permit.began_s >= self._recent[0].began_s:
            self._sum += tokens - permit.tokens
            permit.tokens = tokens


class Limiter:
    """The gate of one endpoint; safe to use from any number of threads."""

    def __init__(self, rates: Rates, clock: Clock = Clock()):
        self._clock, self._most = clock, rates.concurrency
        self._lock = threading.Lock()
        self._window = Window(rates)
        self._limit, self._active, self._cut_s = float(rates.concurrency), 0, float("-inf")
        self._waiting: deque[threading.Lock] = deque()

    @property
    def concurrency(self) -> float:
        """Calls that may be under way at once, now."""
        return self._limit

    def enter(self, tokens: int = 0) -> Permit:
        """Wait for leave to make a call of about so many tokens. Every permit must be handed back."""
        gate = None
        with self._lock:
            if self._active < int(self._limit) and not self._waiting:
                self._active += 1
            else:
                gate = threading.Lock()
                gate.acquire()
                self._waiting.append(gate)
        if gate is not None:
            gate.acquire()  # whoever opens it has counted us in
        while True:
            with self._lock:
                permit = Permit(self._clock.now(), tokens)
                wait_s = self._window.wait_s(permit)
            if not wait_s:
                return permit
            self._clock.sleep(wait_s)

    def leave(self, permit: Permit, *, overloaded: bool = False, used: int | None = None) -> None:
        """Hand a permit back. ``overloaded``: the endpoint said so; ``used``: tokens, where they are known."""
        with self._lock:
            self._active -= 1
            if used is not None:
                self._window.correct(permit, used)
            if not overloaded:
                self._limit = min(float(self._most), self._limit + 1 / self._limit)
            elif permit.began_s >= self._cut_s:  # of a burst that was sent before the last cut, one word is enough
                self._limit, self._cut_s = max(1.0, self._limit / 2), self._clock.now()
            while self._waiting and self._active < int(self._limit):
                self._active += 1
                self._waiting.popleft().release()


@dataclass(frozen=True)
class EndpointSettings:
    """What the models of one source share."""

    name: str
    client: Client
    limiter: Limiter
    rates: Rates
    count: Callable[[str], int]
    digest: Callable[[str, Sequence[Message], int | None, Sequence[str]], str]
    thinking_tokens: int = 0
    key_name: str = "the environment"
    clock: Clock = Clock()


class LimitedModel:
    """A model behind a gate, asked again where that may help."""

    def __init__(self, asking: EndpointSettings, seed: int | None = None):
        """``seed`` is sent with every call; None = none is."""
        self._asking, self._seed = asking, seed

    @property
    def name(self) -> str:
        return self._asking.name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply with the tries that failed before it.

        Raises: ModelError with all of them after the last; ContextOverflow.
        """
        del role  # for the ledger and the offline rules; no endpoint is told
        asking = self._asking
        most = None if max_tokens is None else max_tokens + asking.thinking_tokens
        request = HttpRequest(tuple(messages), most, tuple(stop), self._seed)
        tokens = self._expected(request)
        attempts: list[Attempt] = []
        while True:
            began_s = asking.clock.now()
            try:
                return replace(self._once(request, tokens), attempts=tuple(attempts))
            except AttemptFailed as failed:
                took_s = asking.clock.now() - began_s
                wait_s = self._wait_s(failed, len(attempts) + 1, request)
                over = not failed.curable or len(attempts) >= asking.rates.retries or wait_s is None
                # The wait that a failure causes is part of what it cost, not of the reply that comes after it.
                latency_s = took_s + (0.0 if over else wait_s or 0.0)
                attempts.append(Attempt(failed.status, latency_s, failed.usage, failed.cost_usd, failed.detail))
                if over:
                    raise self._given_up(failed, attempts) from failed
            asking.clock.sleep(wait_s or 0.0)

    def _once(self, request: HttpRequest, tokens: int) -> Reply:
        asking = self._asking
        permit = asking.limiter.enter(tokens)
        overloaded, used = False, None
        try:
            reply = asking.client.ask(request, asking.rates.timeout_s)
            used = (reply.usage.prompt or 0) + (reply.usage.completion or 0)
            return reply
        except AttemptFailed as failed:
            overloaded = failed.overloaded
            raise
        finally:
            asking.limiter.leave(permit, overloaded=overloaded, used=used)

    def _expected(self, request: HttpRequest) -> int:
        if not self._asking.rates.tokens_per_minute:
            return 0
        prompt = sum(self._asking.count(message.content) for message in request.messages)
        return prompt + (request.max_tokens or 0)

    def _wait_s(self, failed: AttemptFailed, number: int, request: HttpRequest) -> float | None:
        """Return how long to wait before the next try, None if that is longer than anybody should."""
        asking, rates = self._asking, self._asking.rates
        if failed.retry_after_s is not None:
            return failed.retry_after_s if failed.retry_after_s <= rates.longest_wait_s else None
        full_s: float = min(rates.backoff_s * 2 ** (number - 1), rates.longest_wait_s)
        digest = asking.digest(asking.name, request.messages, request.max_tokens, request.stop)
        return full_s * random.Random(f"{digest}|{self._seed}|{number}").uniform(0.5, 1.0)

    def _given_up(self, failed: AttemptFailed, attempts: Sequence[Attempt]) -> ModelError:
        tries = f"{len(attempts)} tries" if len(attempts) > 1 else "1 try"
        hint = _HINTS.get(failed.status, "resume to ask again").format(key=self._asking.key_name)
        return ModelError(
            f"{self.name}: expected a reply, got {failed.status} after {tries} ({failed.detail}); {hint}", attempts
        )
