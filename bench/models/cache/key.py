"""What a cache of replies is asked by: a request with everything that decides its reply, and the key made of that.

Knows no file and no database; ``bench.models.cache.store`` is one, and the meter asks it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from bench.types import Message, Reply, UsageSource

__all__ = ["OVERFLOW", "CacheKey", "Replies", "Request", "ScopedCache", "key_of", "replayed", "request_hash"]

OVERFLOW = "overflow"
"""The finish of a kept answer that is no reply: the request did not fit the model's window, and never will."""


def request_hash(model: str, messages: Sequence[Message], max_tokens: int | None, stop: Sequence[str]) -> str:
    """Return the SHA-256 of a request as sent; equal requests have equal hashes on every machine."""
    sent = [model, [[m.role, m.content] for m in messages], max_tokens, list(stop)]
    return hashlib.sha256(json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def key_of(identity: str, sent: str, seed: int, sample: int) -> str:
    """Return the key of one reply: who is asked and how, what, for which seed, for the how-manieth time."""
    return hashlib.sha256(f"{identity}\n{sent}\n{seed}\n{sample}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        return request_hash(self.model, self.messages, self.max_tokens, self.stop)


@dataclass(frozen=True, slots=True)
class CacheKey:
    """One request and all else that decides its reply."""

    request: Request
    sent: str
    """The request's hash."""
    identity: str
    """Model, address and sampling parameters (``ModelSource.identity``)."""
    seed: int = 0
    sample: int = 0
    """How often one trial has made this very request before: the same prompt twice is two samples."""

    @property
    def key(self) -> str:
        return key_of(self.identity, self.sent, self.seed, self.sample)


class Replies(Protocol):
    """Replies of earlier calls; see ``bench.models.cache.store``."""

    def get(self, asked: CacheKey) -> Reply | None:
        """Return the kept reply to that very request. Raises: StoreError if it is not there and must be."""

    def put(self, asked: CacheKey, reply: Reply) -> None:
        """Keep a reply; the first one stays."""

    def alone(self, asked: CacheKey) -> AbstractContextManager[None]:
        """Let equal requests in one by one: of those made at once the first asks, the others find its reply."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ScopedCache:
    """A cache of replies as one trial sees it: shared between strategies and runs, apart for each seed."""

    replies: Replies
    identity: str
    seed: int = 0

    def asked(self, request: Request, sent: str, sample: int) -> CacheKey:
        return CacheKey(request, sent, self.identity, self.seed, sample)


def replayed(reply: Reply) -> Reply:
    """Return a kept reply as the ledger books it: logical tokens, no spend.

    An estimate stays marked as one, whoever asks for it again: its row in a table must keep its mark.
    """
    source = UsageSource.TOKENIZER if reply.usage.source is UsageSource.TOKENIZER else UsageSource.REPLAY
    return replace(reply, usage=replace(reply.usage, source=source), cost_usd=0.0, attempts=())
