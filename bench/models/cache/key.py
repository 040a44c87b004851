"""The key of a cached reply: a request with everything that decides its reply, and the digest made of that.

Knows no file and no database; ``bench.models.cache.store`` implements ``Replies``, and the metered models use it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from bench.types import CallStatus, Message, Reply, UsageSource

__all__ = ["OVERFLOW", "CacheKey", "Replies", "Request", "ScopedCache", "hash_key", "hash_request", "to_replay"]

OVERFLOW = CallStatus.OVERFLOW.value
"""The ``Reply.finish`` of a cached answer that is no reply: the request did not fit the model's window."""


def hash_request(
    model: str, messages: Sequence[Message], max_tokens: int | None, stop: Sequence[str], *, json_object: bool = False
) -> str:
    """Return the SHA-256 of a request as asked for; equal requests have equal hashes on every machine."""
    request = [model, [[m.role, m.content] for m in messages], max_tokens, list(stop)]
    if json_object:
        request.append("json_object")
    return hashlib.sha256(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def hash_key(identity: str, request_hash: str, seed: int, sample: int) -> str:
    """Return the digest under which a reply is cached. ``identity`` is ``ModelSource.identity``."""
    return hashlib.sha256(f"{identity}\n{request_hash}\n{seed}\n{sample}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent to a model or an embedder."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    json_object: bool = False
    """The reply is asked for as one JSON object (``response_format``)."""

    @property
    def hash(self) -> str:
        return hash_request(self.model, self.messages, self.max_tokens, self.stop, json_object=self.json_object)


@dataclass(frozen=True, slots=True)
class CacheKey:
    """One request and all else that decides its reply."""

    request: Request
    request_hash: str
    identity: str
    """Model, address and sampling parameters (``ModelSource.identity``)."""
    seed: int = 0
    sample: int = 0
    """The number of times one trial has made this very request before: the same prompt twice is two samples."""

    @property
    def digest(self) -> str:
        return hash_key(self.identity, self.request_hash, self.seed, self.sample)


class Replies(Protocol):
    """Replies of earlier calls; see ``bench.models.cache.store``."""

    def get(self, key: CacheKey) -> Reply | None:
        """Return the cached reply to that very request. Raises: StoreError if it is not there and must be."""

    def put(self, key: CacheKey, reply: Reply) -> None:
        """Store a reply; the first one stays."""

    def lock(self, key: CacheKey) -> AbstractContextManager[None]:
        """Let equal requests in one by one: of those made at once the first calls the model, the others find its
        reply."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ScopedCache:
    """A cache of replies as one trial sees it: shared between strategies and runs, separate for each seed."""

    replies: Replies
    identity: str
    seed: int = 0

    def make_key(self, request: Request, request_hash: str, sample: int) -> CacheKey:
        return CacheKey(request, request_hash, self.identity, self.seed, sample)


def to_replay(reply: Reply) -> Reply:
    """Return a cached reply as the ledger records it: logical tokens, no spend.

    An estimate stays marked as one, whichever run replays it: its row in a table must keep its mark.
    """
    source = UsageSource.TOKENIZER if reply.usage.source is UsageSource.TOKENIZER else UsageSource.REPLAY
    return replace(reply, usage=replace(reply.usage, source=source), cost_usd=0.0, attempts=())
