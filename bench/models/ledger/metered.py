"""A model and an embedder inside a meter: what a kit carries, with the faces of the bare ones.

With a cache of replies, what any run has asked before is taken from there. Keys that stand in a prompt, a reply or an
error are taken out here, before the text is sent, used or recorded, so that a replay sees what was seen at first.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.errors import ContextOverflow, ModelError, NoVerdict, Refused, boundary
from bench.models.cache.key import OVERFLOW, CacheKey, Request, ScopedCache, replayed
from bench.models.ledger.meter import DUPLICATE, EMBED_ROLE, NO_VERDICT, OK, Meter
from bench.models.tokenizers import count_tokens
from bench.protocols import Embedder, Model, Vectors
from bench.secrets import scrub
from bench.types import Message, Reply, Usage, UsageSource

__all__ = ["REFUSAL", "MeteredEmbedder", "MeteredModel"]

REFUSAL = "refusal"
_DECIDING = ("act", "answer")


class MeteredModel:
    """A model whose every reply is committed before it is returned.

    ``accept`` is for a judge: a reply that it refuses is booked as spend, kept nowhere, and asked for anew on resume.
    """

    def __init__(
        self,
        model: Model,
        meter: Meter,
        clock: Callable[[], float] = time.perf_counter,
        cached: ScopedCache | None = None,
        accept: Callable[[str], bool] = lambda _reply: True,
    ):
        self._model, self._meter, self._cached, self._clock, self._accept = model, meter, cached, clock, accept

    @property
    def name(self) -> str:
        return self._model.name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the model's reply, or the one committed for this place, or the one in the cache.

        Raises: ModelError if the model raises or says nothing; Refused if it declines to act or answer;
        ContextOverflow if the prompt does not fit; StrategyError over the cap of inner calls; NoVerdict for a reply
        that ``accept`` refuses.
        """
        meter, name = self._meter, self._model.name
        meter.count_inner()
        request = Request(name, _hidden(messages, meter.hide), max_tokens, tuple(stop))
        sent = request.hash
        sample = meter.sample(sent)
        asked = self._cached.asked(request, sent, sample) if self._cached else None
        if call := meter.known(sent):
            meter.use(call)
            reply = Reply(call.reply, call.usage, call.cost_usd, call.price_date, call.finish)
            if self._cached and asked and call.usage.source is not UsageSource.REPLAY:
                self._cached.replies.put(asked, reply)  # a kill may have come between the ledger and the cache
            return _willing(reply, role, name)
        if self._cached is None or asked is None:
            return _willing(self._ask(request, role, sent), role, name)
        with self._cached.replies.alone(asked):
            reply = self._kept(self._cached, asked, role) or self._ask_and_keep(self._cached, asked, role)
        return _willing(reply, role, name)

    def _kept(self, cached: ScopedCache, asked: CacheKey, role: str) -> Reply | None:
        """Book the reply in the cache, if there is one."""
        kept = cached.replies.get(asked)
        if kept is None:
            return None
        reply = replayed(kept)
        status = OVERFLOW if reply.finish == OVERFLOW else OK
        self._meter.book(role, self._model.name, asked.sent, reply, 0.0, status)
        return reply

    def _ask_and_keep(self, cached: ScopedCache, asked: CacheKey, role: str) -> Reply:
        """Ask the model and keep what it says for others. The ledger comes first: what was paid for is never lost."""
        try:
            said = self._said(asked.request, role, asked.sent)
        except ContextOverflow as full:
            cached.replies.put(asked, Reply(scrub(str(full)), Usage(), 0.0, finish=OVERFLOW))
            raise
        if cached.replies.get(asked) is not None:  # another run was faster: both go on with its reply
            self._meter.book(role, self._model.name, asked.sent, said.reply, said.latency_s, DUPLICATE)
            return self._kept(cached, asked, role) or said.reply
        self._meter.book(role, self._model.name, asked.sent, said.reply, said.latency_s)
        cached.replies.put(asked, said.reply)
        return said.reply

    def _ask(self, request: Request, role: str, sent: str) -> Reply:
        said = self._said(request, role, sent)
        self._meter.book(role, self._model.name, sent, said.reply, said.latency_s)
        return said.reply

    def _said(self, request: Request, role: str, sent: str) -> _Said:
        """Ask the model itself and book every try that gave nothing."""
        self._meter.check()
        meter, name, began = self._meter, self._model.name, self._clock()
        try:
            with boundary(ModelError, name):
                reply = self._model.chat(request.messages, role=role, max_tokens=request.max_tokens, stop=request.stop)
        except ModelError as failure:
            meter.book_failed(role, name, sent, failure.attempts)
            raise
        except ContextOverflow as full:
            reply = Reply(scrub(str(full)), Usage(), 0.0, finish=OVERFLOW)
            meter.book(role, name, sent, reply, self._clock() - began, OVERFLOW)
            raise
        latency_s = self._clock() - began - sum(attempt.latency_s for attempt in reply.attempts)
        meter.book_failed(role, name, sent, reply.attempts)
        # Half a character (a lone surrogate, from a stream cut in two) cannot be stored: put a ? there.
        reply = replace(reply, text=meter.hide(reply.text.encode(errors="replace").decode()))
        if not reply.text.strip() and reply.finish != REFUSAL:
            meter.book(role, name, sent, reply, latency_s, "empty")
            raise ModelError(f"{name}: expected a reply, got an empty one (finish {reply.finish}); resume to ask again")
        if not self._accept(reply.text):
            meter.book(role, name, sent, reply, latency_s, NO_VERDICT)
            raise NoVerdict(reply.text)
        return _Said(reply, max(0.0, latency_s))


@dataclass(frozen=True, slots=True)
class _Said:
    """A usable reply and how long it took."""

    reply: Reply
    latency_s: float


def _hidden(messages: Sequence[Message], hide: Callable[[str], str]) -> tuple[Message, ...]:
    return tuple(replace(m, content=text) if (text := hide(m.content)) != m.content else m for m in messages)


def _willing(reply: Reply, role: str, name: str) -> Reply:
    """Return the reply unless the request did not fit, or the model declined to act or answer; other roles may use
    what it said."""
    if reply.finish == OVERFLOW:
        raise ContextOverflow(reply.text)
    if reply.finish == REFUSAL and role in _DECIDING:
        raise Refused(f"{name}: declined: {reply.text.strip() or 'no reason given'}")
    return reply


class MeteredEmbedder:
    """An embedder whose calls stand in the ledger. A local one is computed again on resume, a paid one replayed."""

    def __init__(
        self,
        embedder: Embedder,
        meter: Meter,
        clock: Callable[[], float] = time.perf_counter,
        cached: ScopedCache | None = None,
    ):
        self._embedder, self._meter, self._clock = embedder, meter, clock
        self._local = bool(getattr(embedder, "local", True))
        self._cached = None if self._local else cached

    @property
    def name(self) -> str:
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        meter, name = self._meter, self._embedder.name
        request = Request(name, tuple(Message("text", text) for text in texts))
        sent = request.hash
        if call := meter.known(sent):
            meter.use(call)
            return self._compute(texts) if self._local else _decoded(call.reply)
        if self._cached is None:
            return self._fresh(texts, sent, None)
        # Equal texts have equal vectors: one sample, whatever the seed.
        asked = ScopedCache(self._cached.replies, name).asked(request, sent, 0)
        with self._cached.replies.alone(asked):
            if reply := self._cached.replies.get(asked):
                meter.book(EMBED_ROLE, name, sent, replayed(reply), 0.0)
                return _decoded(reply.text)
            return self._fresh(texts, sent, asked)

    def _fresh(self, texts: Sequence[str], sent: str, asked: CacheKey | None) -> Vectors:
        """Compute vectors, book the call, and keep them if there is a place to."""
        meter, name, began = self._meter, self._embedder.name, self._clock()
        meter.check()
        vectors = self._compute(texts)
        source = UsageSource.OFFLINE if self._local else UsageSource.TOKENIZER
        usage = Usage(prompt=sum(map(count_tokens, texts)), completion=0, source=source)
        reply = Reply("" if self._local else _encoded(vectors), usage, cost_usd=0.0 if self._local else None)
        meter.book(EMBED_ROLE, name, sent, reply, self._clock() - began)
        if self._cached and asked:
            self._cached.replies.put(asked, reply)
        return vectors

    def _compute(self, texts: Sequence[str]) -> Vectors:
        with boundary(ModelError, self._embedder.name):
            return self._embedder.embed(texts)


def _encoded(vectors: Vectors) -> str:
    return f"{vectors.shape[1]}:" + base64.b64encode(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).decode()


def _decoded(text: str) -> Vectors:
    width, _, data = text.partition(":")
    return np.frombuffer(base64.b64decode(data), dtype="<f4").reshape(-1, int(width)).astype(np.float32)
