"""The limits of an endpoint: calls at once, calls and tokens a minute, attempts and waits between them.

``Limiter`` is shared by every trial of an endpoint. The limit of calls at once grows by one a round while all is well
and is halved when the endpoint reports an overload (AIMD); calls start in the order in which they came.
``LimitedModel`` calls through the limiter, again where that may help; each failed attempt is recorded for the ledger.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench.errors import ModelError
from bench.models.remote.client import AttemptFailed, Client, EndpointRequest, RoleRequest
from bench.models.remote.endpoint_config import Rates
from bench.types import Attempt, CallStatus, Message, Reply

__all__ = ["Clock", "EndpointSettings", "LimitedModel", "Limiter", "Permit", "Window"]

_WINDOW_S = 60.0
_HINTS = {
    CallStatus.AUTH: "check the key in {key}",
    CallStatus.QUOTA: "the account has no credit left; raise it, then resume",
    CallStatus.NOT_FOUND: "check the model's name and the base URL",
    CallStatus.BAD_REQUEST: "change what the message names",
}


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the limits see it; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


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

    @property
    def concurrency(self) -> float:
        """Calls that may be under way at once, now."""
        return self._limit

    def enter(self, tokens: int = 0) -> Permit:
        """Wait for permission to make a call of about so many tokens. Every permit must be handed back."""
        gate = None
        with self._lock:
            if self._active < int(self._limit) and not self._waiting:
                self._active += 1
            else:
                gate = threading.Lock()
                gate.acquire()
                self._waiting.append(gate)
        if gate is not None:
            gate.acquire()  # the thread that opens it has counted this call as active
        while True:
            with self._lock:
                permit = Permit(self._clock.now(), tokens)
                wait_s = self._window.wait_s(permit)
            if not wait_s:
                return permit
            self._clock.sleep(wait_s)

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
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Sent with every call."""
    roles: Mapping[str, RoleRequest] = field(default_factory=dict)
    """What is sent instead with the calls of a role."""


class LimitedModel:
    """A model behind a limiter, called again where that may help."""

    def __init__(self, settings: EndpointSettings, seed: int | None = None):
        """``seed`` is sent with every call; None = none is."""
        self._settings, self._seed = settings, seed

    @property
    def name(self) -> str:
        return self._settings.name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply with the attempts that failed before it.

        Raises: ModelError with all attempts after the last; ContextOverflow.
        """
        return self._ask(self._build_request(messages, role, max_tokens, stop))

    @property
    def json_mode(self) -> bool:
        return True

    def chat_json(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return a reply that the endpoint holds to one JSON object, if it can. Raises: as ``chat``."""
        request = self._build_request(messages, role, max_tokens, stop)
        return self._ask(replace(request, settings={**request.settings, "response_format": {"type": "json_object"}}))

    def _build_request(
        self, messages: Sequence[Message], role: str, max_tokens: int | None, stop: Sequence[str]
    ) -> EndpointRequest:
        settings = self._settings
        own = settings.roles.get(role) or RoleRequest(settings.parameters, settings.thinking_tokens)
        limit = None if max_tokens is None else max_tokens + own.thinking_tokens
        return EndpointRequest(tuple(messages), limit, tuple(stop), self._seed, own.parameters)

    def _ask(self, request: EndpointRequest) -> Reply:
        settings, tokens = self._settings, self._estimate_tokens(request)
        attempts: list[Attempt] = []
        adapted = 0
        while True:
            began_s = settings.clock.now()
            try:
                return replace(self._call_once(request, tokens), attempts=tuple(attempts))
            except AttemptFailed as failed:
                took_s = settings.clock.now() - began_s
                adapted += failed.adapted
                wait_s = 0.0 if failed.adapted else self._wait_s(failed, len(attempts) - adapted + 1, request)
                spent = not failed.adapted and len(attempts) - adapted >= settings.rates.retries
                final = not failed.retryable or spent or wait_s is None
                # The wait that a failure causes is part of what it cost, not of the reply that comes after it.
                latency_s = took_s + (0.0 if final else wait_s or 0.0)
                attempts.append(Attempt(failed.status, latency_s, failed.usage, failed.cost_usd, failed.detail))
                if final:
                    raise self._final_error(failed, attempts) from failed
            settings.clock.sleep(wait_s or 0.0)

    def _call_once(self, request: EndpointRequest, tokens: int) -> Reply:
        settings = self._settings
        permit = settings.limiter.enter(tokens)
        overloaded, used = False, None
        try:
            reply = settings.client.ask(request, settings.rates.timeout_s)
            used = (reply.usage.prompt or 0) + (reply.usage.completion or 0)
            return reply
        except AttemptFailed as failed:
            overloaded = failed.overloaded
            raise
        finally:
            settings.limiter.leave(permit, overloaded=overloaded, used=used)

    def _estimate_tokens(self, request: EndpointRequest) -> int:
        if not self._settings.rates.tokens_per_minute:
            return 0
        prompt = sum(self._settings.count(message.content) for message in request.messages)
        return prompt + (request.max_tokens or 0)

    def _wait_s(self, failed: AttemptFailed, number: int, request: EndpointRequest) -> float | None:
        """Return the seconds to wait before the next attempt, None if that is longer than the longest wait allowed."""
        settings, rates = self._settings, self._settings.rates
        if failed.retry_after_s is not None:
            return failed.retry_after_s if failed.retry_after_s <= rates.longest_wait_s else None
        full_s: float = min(rates.backoff_s * 2 ** (number - 1), rates.longest_wait_s)
        digest = settings.digest(settings.name, request.messages, request.max_tokens, request.stop)
        return full_s * random.Random(f"{digest}|{self._seed}|{number}").uniform(0.5, 1.0)

    def _final_error(self, failed: AttemptFailed, attempts: Sequence[Attempt]) -> ModelError:
        tries = f"{len(attempts)} tries" if len(attempts) > 1 else "1 try"
        hint = _HINTS.get(failed.status, "resume to ask again").format(key=self._settings.key_name)
        return ModelError(
            f"{self.name}: expected a reply, got {failed.status} after {tries} ({failed.detail}); {hint}", attempts
        )
