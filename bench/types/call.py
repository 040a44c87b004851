"""Frozen records of model calls: what was sent and received, what was counted and what it cost. ``bench.types`` exports
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "MOST_TOKENS",
    "Attempt",
    "Call",
    "CallStatus",
    "Message",
    "Phase",
    "Reply",
    "Role",
    "Usage",
    "UsageSource",
    "count_prompt_tokens",
]


MOST_TOKENS = 100_000_000
"""More than any window holds: a larger count of one call cannot be true."""


class Phase(StrEnum):
    """What a model call was for; the ledger's first split."""

    GATHER = "gather"  # playing training tasks, whatever for
    LEARN = "learn"  # making an artifact of what was gathered
    ACT = "act"  # deciding on an action or an answer
    WRITE = "write"  # a memory that observes
    READ = "read"  # a memory that recalls
    JUDGE = "judge"  # grading an answer


class Role(StrEnum):
    """The standard roles of a call: what the model is asked to do.

    Every signature takes ``role: str``, so a strategy may add a role of its own under its name, such as ``acme/route``.
    """

    ACT = "act"
    ANSWER = "answer"
    PLAN = "plan"
    INFER = "infer"
    SEGMENT = "segment"
    GROUND = "ground"
    SUMMARIZE = "summarize"
    COMPRESS = "compress"
    EXTRACT = "extract"
    UPDATE = "update"
    LINK = "link"
    KEYWORDS = "keywords"
    NAVIGATE = "navigate"
    ORGANISE = "organise"
    REFLECT = "reflect"
    INSIGHT = "insight"
    DISTILL = "distill"
    THIRD_PARTY = "third-party"
    """A call that a memory library makes by itself."""
    EMBED = "embed"
    JUDGE = "judge"

    def __repr__(self) -> str:
        """Return what ``repr`` gives for the text: messages show standard roles and other texts alike."""
        return repr(self.value)


class CallStatus(StrEnum):
    """How one attempt at a call ended; the text is what the ledger stores.

    ``OK`` and ``OVERFLOW`` complete the call: it has its answer and is not made again on resume.
    """

    OK = "ok"
    OVERFLOW = "overflow"
    """The prompt does not fit the model's window, and never will."""
    DUPLICATE = "duplicate"
    """A paid reply that came after another run had cached one for the same request: spend, and no more."""
    NO_VERDICT = "no-verdict"
    """A judge's reply that was rejected: spend, and the judge is asked again."""
    SUPERSEDED = "superseded"
    """A call of a trial that was started again: it counts as spend, no longer as part of its trial."""
    EMPTY = "empty"
    MALFORMED = "malformed"
    RATE_LIMIT = "rate-limit"
    QUOTA = "quota"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER_ERROR = "server-error"
    BAD_REQUEST = "bad-request"
    AUTH = "auth"
    NOT_FOUND = "not-found"

    @property
    def completed(self) -> bool:
        """True if the call has its answer and holds its place in the trial."""
        return self in (CallStatus.OK, CallStatus.OVERFLOW)


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
    """Tokens of one call. None = not reported; never 0 for unknown."""

    prompt: int | None = None
    cached_read: int | None = None
    cache_write: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    source: UsageSource = UsageSource.API


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a call that gave no usable reply: a ledger row of its own."""

    status: CallStatus
    latency_s: float = 0.0
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied, and what it counted."""

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
    """One row of the ledger: one attempt at one model or embedding call. A failed attempt has its error in ``reply``.

    ``index`` counts the calls of a trial from 0 and is shared by the attempts at one call. ``step``
    is that of the trial, or the number of the question; 0 = before the first.
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
    status: CallStatus = CallStatus.OK
    cost_usd: float | None = None
    price_date: str = ""
    latency_s: float = 0.0
    finish: str = "stop"


def count_prompt_tokens(calls: Sequence[Call]) -> int | None:
    """Return the prompt tokens of chat calls; None if the usage of one is missing."""
    prompts = [
        call.usage.prompt for call in calls if call.role != Role.EMBED and call.status is not CallStatus.OVERFLOW
    ]
    known = [tokens for tokens in prompts if tokens is not None]
    return sum(known) if len(known) == len(prompts) else None
