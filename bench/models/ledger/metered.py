"""A model inside a meter: what a kit carries, with the interface of the bare one.

With a cache of replies, what any run has requested before is taken from there. Keys that stand in a prompt, a reply or
an error are taken out here, before the text is sent, used or recorded, so that a replay sees what the first run saw.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench.errors import ContextOverflow, Interrupted, ModelError, NoVerdict, Refused, boundary
from bench.models.cache.key import OVERFLOW, CacheKey, Request, ScopedCache, to_replay
from bench.models.ledger.check import check_attempts, check_reply
from bench.models.ledger.meter import Meter
from bench.models.ledger.spans import find_spans
from bench.models.tokenizers import count_tokens
from bench.protocols import Estimate, HasJsonMode, HasTries, Model
from bench.replies import read_text
from bench.secrets import scrub
from bench.types import Attempt, CallStatus, Message, Reply, Role, Usage, UsageSource

__all__ = ["REFUSAL", "MeteredModel"]

REFUSAL = "refusal"
"""The ``Reply.finish`` of a model that declined."""
_DECIDING = (Role.ACT, Role.ANSWER)


class MeteredModel:
    """A model whose every reply is committed before it is returned.

    ``accept`` is for a judge: a reply that it rejects is recorded as spend, not cached, and asked for again on resume.
    """

    def __init__(
        self,
        model: Model,
        meter: Meter,
        clock: Callable[[], float] = time.perf_counter,
        cached: ScopedCache | None = None,
        accept: Callable[[str], bool] = lambda _reply: True,
    ):
        self._model, self._meter, self._cache, self._clock, self._accept = model, meter, cached, clock, accept
        self._spans = find_spans()

    @property
    def name(self) -> str:
        return self._model.name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the model's reply, or the one committed at this index, or the one in the cache.

        Raises: ModelError if the model raises or replies with nothing; Refused if it declines to act or answer;
        ContextOverflow if the prompt does not fit; StrategyError over the cap of inner calls; NoVerdict for a reply
        that ``accept`` rejects.
        """
        return self._answer(Request(self._model.name, tuple(messages), max_tokens, tuple(stop)), role)

    @property
    def json_mode(self) -> bool:
        """True if the model can be held to one JSON object; else ``chat_json`` asks for a plain reply."""
        return isinstance(self._model, HasJsonMode) and self._model.json_mode

    def chat_json(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply, asked for as one JSON object where the model has that mode. Raises: as ``chat``."""
        return self._answer(Request(self._model.name, tuple(messages), max_tokens, tuple(stop), json_object=True), role)

    def _answer(self, request: Request, role: str) -> Reply:
        try:
            with self._meter.open_call():
                return self._find_answer(request, role)
        except ContextOverflow as full:
            raise ContextOverflow(str(full), request.messages) from full

    def _find_answer(self, request: Request, role: str) -> Reply:
        meter, name = self._meter, request.model
        meter.count_inner()
        request = replace(request, messages=_redact_messages(request.messages, meter.redact))
        request_hash = request.hash
        sample = meter.count_sample(request_hash)
        key = self._cache.make_key(request, request_hash, sample) if self._cache else None
        if call := meter.find_committed(request_hash):
            meter.use(call)
            reply = Reply(call.reply, call.usage, call.cost_usd, call.price_date, call.finish)
            if self._cache and key and call.usage.source is not UsageSource.REPLAY:
                self._cache.replies.put(key, reply)  # a kill may have come between the ledger and the cache
            return _check_finish(reply, role, name)
        if self._cache is None or key is None:
            return _check_finish(self._call_and_book(request, role, request_hash), role, name)
        with self._cache.replies.lock(key):
            reply = self._book_cached(self._cache, key, role) or self._call_and_cache(self._cache, key, role)
        return _check_finish(reply, role, name)

    def _book_cached(self, cache: ScopedCache, key: CacheKey, role: str) -> Reply | None:
        """Book the reply in the cache and return it, None if there is none."""
        cached = cache.replies.get(key)
        if cached is None:
            return None
        reply = to_replay(cached)
        status = CallStatus.OVERFLOW if reply.finish == OVERFLOW else CallStatus.OK
        self._meter.book(role, self._model.name, key.request_hash, reply, 0.0, status)
        return reply

    def _call_and_cache(self, cache: ScopedCache, key: CacheKey, role: str) -> Reply:
        """Call the model and cache its reply. The ledger comes first: what was paid for is never lost."""
        try:
            timed = self._call_model(key.request, role, key.request_hash)
        except ContextOverflow as full:
            cache.replies.put(key, Reply(scrub(str(full)), Usage(), 0.0, finish=OVERFLOW))
            raise
        name, request_hash = self._model.name, key.request_hash
        if cache.replies.get(key) is not None:  # another run was faster: both go on with its reply
            self._meter.book(role, name, request_hash, timed.reply, timed.latency_s, CallStatus.DUPLICATE)
            return self._book_cached(cache, key, role) or timed.reply
        self._meter.book(role, name, request_hash, timed.reply, timed.latency_s)
        cache.replies.put(key, timed.reply)
        return timed.reply

    def _call_and_book(self, request: Request, role: str, request_hash: str) -> Reply:
        timed = self._call_model(request, role, request_hash)
        self._meter.book(role, self._model.name, request_hash, timed.reply, timed.latency_s)
        return timed.reply

    def _send(self, model: Model, request: Request, role: str) -> Reply:
        if request.json_object and isinstance(model, HasJsonMode):
            return model.chat_json(request.messages, role=role, max_tokens=request.max_tokens, stop=request.stop)
        return model.chat(request.messages, role=role, max_tokens=request.max_tokens, stop=request.stop)

    def _call_model(self, request: Request, role: str, request_hash: str) -> _TimedReply:
        if self._spans is None:
            return self._try_model(request, role, request_hash)
        with self._spans.open("chat", request, role, self._meter.place) as close:
            timed = self._try_model(request, role, request_hash)
            close(timed.reply)
            return timed

    def _try_model(self, request: Request, role: str, request_hash: str) -> _TimedReply:
        """Call the model and book every try that gave nothing usable."""
        meter, name, model = self._meter, self._model.name, self._model
        tries = _CallTries(meter, role, name, request_hash, self._clock)
        if isinstance(model, HasTries):
            model = model.watched(tries)
        else:
            meter.begin_try(lambda: (_estimate_tokens(request), 0.0))
        began = self._clock()
        try:
            with boundary(ModelError, name):
                reply = check_reply(self._send(model, request, role))
        except (ModelError, Interrupted) as failure:
            meter.book_failed(role, name, request_hash, check_attempts(failure.attempts))
            raise
        except ContextOverflow as full:
            reply = Reply(scrub(str(full)), Usage(), 0.0, finish=OVERFLOW)
            meter.book(role, name, request_hash, reply, self._clock() - began - tries.apart_s, CallStatus.OVERFLOW)
            raise
        apart_s = tries.apart_s + sum(attempt.latency_s for attempt in reply.attempts)
        latency_s = self._clock() - began - apart_s
        meter.book_failed(role, name, request_hash, reply.attempts)
        # A lone surrogate (from a stream cut in two) cannot be stored: put a ? there.
        reply = replace(reply, text=meter.redact(reply.text.encode(errors="replace").decode()))
        if _is_empty(reply):
            meter.book(role, name, request_hash, reply, latency_s, CallStatus.EMPTY)
            raise ModelError(f"{name}: expected a reply, got {_describe_empty(reply)}")
        if not self._accept(reply.text):
            meter.book(role, name, request_hash, reply, latency_s, CallStatus.NO_VERDICT)
            raise NoVerdict(reply.text)
        return _TimedReply(reply, max(0.0, latency_s))


class _CallTries:
    """The tries at one call of a model that tells of each: reserved before it is made, booked as soon as it failed."""

    def __init__(self, meter: Meter, role: str, name: str, request_hash: str, clock: Callable[[], float]):
        self._meter, self._booked_as, self._clock = meter, (role, name, request_hash), clock
        self.apart_s = 0.0
        """Seconds that are no part of the latency of the reply: failed tries, waits for the limits, records."""

    def begin(self, estimate: Estimate) -> None:
        began = self._clock()
        self._meter.begin_try(estimate)
        self.apart_s += self._clock() - began

    def fail(self, attempt: Attempt) -> None:
        began = self._clock()
        self._meter.book_failed(*self._booked_as, check_attempts([attempt]))
        self.apart_s += attempt.latency_s + self._clock() - began


def _estimate_tokens(request: Request) -> int:
    return sum(count_tokens(message.content) for message in request.messages) + (request.max_tokens or 0)


def _is_empty(reply: Reply) -> bool:
    """True if a reply says nothing: it is empty, or a thought that never ends."""
    text = reply.text.lstrip()
    if not text:
        return reply.finish != REFUSAL
    return text.startswith(("<", "[")) and (found := read_text(text)).cut and not found.value


def _describe_empty(reply: Reply) -> str:
    what = "an unfinished thought" if reply.text.strip() else "an empty one"
    if reply.finish != "length" and not reply.text.strip():
        return f"{what} (finish {reply.finish}); resume to ask again"
    return (
        f"{what} (finish {reply.finish}): thinking used up the tokens of the reply; set thinking_tokens in the "
        "endpoint file, then resume"
    )


@dataclass(frozen=True, slots=True)
class _TimedReply:
    """A usable reply and how long it took."""

    reply: Reply
    latency_s: float


def _redact_messages(messages: Sequence[Message], redact: Callable[[str], str]) -> tuple[Message, ...]:
    return tuple(replace(m, content=text) if (text := redact(m.content)) != m.content else m for m in messages)


def _check_finish(reply: Reply, role: str, name: str) -> Reply:
    """Return the reply unless the request did not fit, or the model declined to act or answer; a refusal is a reply
    like any other in other roles.

    Raises: ContextOverflow, Refused.
    """
    if reply.finish == OVERFLOW:
        raise ContextOverflow(reply.text)
    if reply.finish == REFUSAL and role in _DECIDING:
        raise Refused(f"{name}: declined: {reply.text.strip() or 'no reason given'}")
    return reply
