"""Frozen records of model calls: what was said and answered, what it counted and cost. Handed on by ``bench.types``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Attempt", "Call", "Message", "Phase", "Reply", "Usage", "UsageSource"]


class Phase(StrEnum):
    """What a model call was for; the ledger's first split."""

    GATHER = "gather"
    LEARN = "learn"
    ACT = "act"
    WRITE = "write"
    READ = "read"
    JUDGE = "judge"


class UsageSource(StrEnum):
    """Who counted the tokens of a call."""

    API = "api"
    TOKENIZER = "tokenizer"
    OFFLINE = "offline"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. None = not told; never 0 for unknown."""

    prompt: int | None = None
    cached_read: int | None = None
    cache_write: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    source: UsageSource = UsageSource.API


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a call that gave no usable reply: a ledger row of its own."""

    status: str
    """What went wrong, in a word: ``rate-limit``, ``server-error``, ``timeout``, ``connection``, ``malformed``, …"""
    latency_s: float = 0.0
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, and what it counted."""

    text: str
    usage: Usage = Usage()
    cost_usd: float | None = None
    price_date: str = ""
    finish: str = "stop"
    """stop, length or refusal."""
    attempts: tuple[Attempt, ...] = ()
    """The tries that failed before this reply came, in order."""


@dataclass(frozen=True, slots=True)
class Call:
    """One row of the ledger: one attempt at one model or embedding call.

    ``index`` counts the calls of a trial from 0 and is shared by the attempts at one call.
    """

    index: int
    phase: Phase
    role: str
    model: str
    request_hash: str
    reply: str
    usage: Usage
    step: int = 0
    attempt: int = 1
    status: str = "ok"
    cost_usd: float | None = None
    price_date: str = ""
    latency_s: float = 0.0
    finish: str = "stop"
