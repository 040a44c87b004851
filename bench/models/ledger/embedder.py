"""An embedder inside a meter: what a kit carries, with the interface of the bare one."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence

import numpy as np

from bench.errors import ModelError, boundary
from bench.models.cache.key import CacheKey, Request, ScopedCache, to_replay
from bench.models.ledger.meter import Meter
from bench.models.ledger.spans import find_spans
from bench.models.tokenizers import count_tokens
from bench.protocols import Embedder, Vectors
from bench.types import Message, Reply, Role, Usage, UsageSource

__all__ = ["MeteredEmbedder"]


class MeteredEmbedder:
    """An embedder whose calls stand in the ledger. Vectors made in this process are computed again on resume, paid
    ones replayed."""

    def __init__(
        self,
        embedder: Embedder,
        meter: Meter,
        clock: Callable[[], float] = time.perf_counter,
        cached: ScopedCache | None = None,
    ):
        self._embedder, self._meter, self._clock = embedder, meter, clock
        self._spans = find_spans()
        self._cache = None if embedder.in_process else cached

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def in_process(self) -> bool:
        return self._embedder.in_process

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors, computed, replayed or from the cache. Raises: ModelError."""
        with self._meter.open_call():
            return self._find_vectors(texts)

    def _find_vectors(self, texts: Sequence[str]) -> Vectors:
        meter, name = self._meter, self._embedder.name
        request = Request(name, tuple(Message("text", text) for text in texts))
        request_hash = request.hash
        if call := meter.find_committed(request_hash):
            meter.use(call)
            # A run recorded before an embedder counted as paid has no vectors.
            return _decode(call.reply) if call.reply else self._compute(texts)
        if self._cache is None:
            return self._compute_and_book(texts, request_hash, None)
        # Equal texts have equal vectors: one sample, whatever the seed.
        key = ScopedCache(self._cache.replies, name).make_key(request, request_hash, 0)
        with self._cache.replies.lock(key):
            if reply := self._cache.replies.get(key):
                meter.book(Role.EMBED, name, request_hash, to_replay(reply), 0.0)
                return _decode(reply.text)
            return self._compute_and_book(texts, request_hash, key)

    def _compute_and_book(self, texts: Sequence[str], request_hash: str, key: CacheKey | None) -> Vectors:
        """Compute vectors, book the call, and cache them under the key, if there is one."""
        meter, name, tokens = self._meter, self._embedder.name, sum(map(count_tokens, texts))
        meter.begin_try(lambda: (tokens, 0.0))
        began = self._clock()
        vectors = self._compute_in_span(texts)
        source = UsageSource.OFFLINE if self.in_process else UsageSource.TOKENIZER
        usage = Usage(prompt=tokens, completion=0, source=source)
        reply = Reply("" if self.in_process else _encode(vectors), usage, cost_usd=0.0 if self.in_process else None)
        meter.book(Role.EMBED, name, request_hash, reply, self._clock() - began)
        if self._cache and key:
            self._cache.replies.put(key, reply)
        return vectors

    def _compute_in_span(self, texts: Sequence[str]) -> Vectors:
        if self._spans is None or self.in_process:
            return self._compute(texts)
        request = Request(self._embedder.name, tuple(Message("user", text) for text in texts))
        with self._spans.open("embeddings", request, Role.EMBED, self._meter.place):
            return self._compute(texts)

    def _compute(self, texts: Sequence[str]) -> Vectors:
        with boundary(ModelError, self._embedder.name):
            vectors = np.asarray(self._embedder.embed(texts), dtype=np.float32)
            if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
                raise ValueError(f"expected {len(texts)} rows of finite numbers, got shape {vectors.shape}")
            return vectors


def _encode(vectors: Vectors) -> str:
    """Return vectors as text: the number of columns, a colon, and the float32 bytes in base64."""
    return f"{vectors.shape[1]}:" + base64.b64encode(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).decode()


def _decode(text: str) -> Vectors:
    width, _, data = text.partition(":")
    vectors = np.frombuffer(base64.b64decode(data), dtype="<f4").astype(np.float32)
    return vectors.reshape(len(vectors) // max(1, int(width)), int(width))
