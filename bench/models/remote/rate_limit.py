"""A model behind the limits of its endpoint (``limiter.py``), called again where that may help.

Each failed attempt is recorded for the ledger. Once the run is stopped, no attempt begins and no wait goes on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench.errors import Interrupted, ModelError
from bench.models.remote.client import AttemptFailed, Client, EndpointRequest, RoleRequest
from bench.models.remote.endpoint_config import Rates
from bench.models.remote.limiter import Clock, Limiter
from bench.protocols import Tries
from bench.types import Attempt, CallStatus, Message, Reply, Usage

__all__ = ["EndpointSettings", "LimitedModel"]

_HINTS = {
    CallStatus.AUTH: "check the key in {key}",
    CallStatus.QUOTA: "the account has no credit left; raise it, then resume",
    CallStatus.NOT_FOUND: "check the model's name and the base URL",
    CallStatus.BAD_REQUEST: "change what the message names",
}


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
    cost_usd: Callable[[Usage], float | None] = lambda _usage: None
    """What tokens cost; None = the price is unknown."""


class LimitedModel:
    """A model behind a limiter, called again where that may help."""

    def __init__(self, settings: EndpointSettings, seed: int | None = None, tries: Tries | None = None):
        """``seed`` is sent with every call; None = none is. ``tries`` is told of every try."""
        self._settings, self._seed, self._tries = settings, seed, tries

    def watched(self, tries: Tries) -> LimitedModel:
        """Return the same model that tells of every try (``HasTries``)."""
        return LimitedModel(self._settings, self._seed, tries)

    @property
    def name(self) -> str:
        return self._settings.name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply with the attempts that failed before it.

        Raises: ModelError with all attempts after the last; Interrupted with those made before the run was stopped;
        ContextOverflow.
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
        attempts: list[Attempt] = []
        try:
            return self._try_until_answered(request, attempts)
        except Interrupted as stop:
            raise Interrupted(attempts=() if self._tries else attempts) from stop

    def _try_until_answered(self, request: EndpointRequest, attempts: list[Attempt]) -> Reply:
        """Return the reply; ``attempts`` gets every try that failed."""
        settings, tokens = self._settings, self._estimate_tokens(request)
        adapted = 0
        while True:
            began_s = settings.clock.now()
            try:
                return replace(self._call_once(request, tokens), attempts=() if self._tries else tuple(attempts))
            except AttemptFailed as failed:
                adapted += failed.adapted
                wait_s = 0.0 if failed.adapted else self._wait_s(failed, len(attempts) - adapted + 1, request)
                spent = not failed.adapted and len(attempts) - adapted >= settings.rates.retries
                final = not failed.retryable or spent or wait_s is None
                # The wait that a failure causes is part of what it cost, not of the reply that comes after it.
                took_s = settings.clock.now() - began_s + (0.0 if final else wait_s or 0.0)
                attempt = Attempt(failed.status, took_s, failed.usage, failed.cost_usd, failed.detail)
                if self._tries:
                    self._tries.fail(attempt)
                try:
                    if not final:
                        settings.limiter.pause(wait_s or 0.0)
                finally:
                    attempts.append(replace(attempt, latency_s=settings.clock.now() - began_s))
                if final:
                    raise self._final_error(failed, attempts) from failed

    def _call_once(self, request: EndpointRequest, tokens: int) -> Reply:
        settings = self._settings
        if self._tries:
            self._tries.begin(lambda: self._estimate(request))
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
        return self._estimate(request)[0] if self._settings.rates.tokens_per_minute else 0

    def _estimate(self, request: EndpointRequest) -> tuple[int, float]:
        """Return the most tokens and dollars that a try may take, as far as the request says."""
        prompt = sum(self._settings.count(message.content) for message in request.messages)
        reply = request.max_tokens or 0
        return prompt + reply, self._settings.cost_usd(Usage(prompt, completion=reply)) or 0.0

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
            f"{self.name}: expected a reply, got {failed.status} after {tries} ({failed.detail}); {hint}",
            () if self._tries else attempts,
        )
