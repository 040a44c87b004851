"""The interface of a client of one endpoint: one request, its reply, or the failure of one attempt.

A client makes one attempt; the limits (``rate_limit.py``) decide about another. What an error means is in
``provider_errors.py``. Knows no library and no network.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

from bench.secrets import scrub
from bench.types import CallStatus, Message, Reply, Usage

__all__ = [
    "LARGEST_BYTES",
    "AttemptFailed",
    "Client",
    "EndpointRequest",
    "RoleRequest",
    "parse_retry_after_s",
    "shorten",
]

LARGEST_BYTES = 16 << 20
"""No completion is longer; what is longer is not read to its end."""
_DETAIL_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class EndpointRequest:
    """One call as it is sent, without what is the same for all calls of an endpoint."""

    messages: tuple[Message, ...]
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Sampling and further parameters, by their names in OpenAI's protocol."""
    limit_name: str = "max_tokens"
    """What the endpoint calls ``max_tokens``."""


@dataclass(frozen=True, slots=True)
class RoleRequest:
    """What is sent with the calls of one role."""

    parameters: Mapping[str, Any]
    thinking_tokens: int


class Client(Protocol):
    """Makes one attempt at an endpoint."""

    def ask(self, request: EndpointRequest, timeout_s: float) -> Reply:
        """Return the reply. Raises: AttemptFailed, ContextOverflow."""

    def close(self) -> None: ...


class AttemptFailed(Exception):
    """One attempt that gave no usable reply.

    ``retryable``: another attempt may help. ``overloaded``: the endpoint wants fewer calls at a time.
    """

    def __init__(self, status: CallStatus, detail: str, *, retryable: bool = True, overloaded: bool = False):
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, shorten(detail)
        self.retryable, self.overloaded = retryable, overloaded
        self.message = detail
        """The detail as the endpoint wrote it; not for any record."""
        self.adapted = False
        """The next attempt is another request, since this one was refused: it is made at once and is no retry."""
        self.retry_after_s: float | None = None
        self.usage = Usage()
        """What the endpoint reports for this attempt; it bills what it counts."""
        self.cost_usd: float | None = 0.0


def shorten(text: str) -> str:
    """Return a text fit for a message: one line of at most 300 characters, without keys and halves of characters."""
    return scrub(" ".join(text.split()))[:_DETAIL_CHARACTERS].encode(errors="replace").decode()


def parse_retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Return how long an endpoint asks to wait: from seconds, milliseconds or a date; None if it does not say.

    ``headers`` have names in lower case; ``now_s`` is seconds since 1970, used where the endpoint gives no date of its
    own next to the one to wait for.
    """
    if (milliseconds := _parse_number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _parse_number(value)) is not None:
        return seconds
    until_s = _parse_date_s(value)
    if until_s is None:
        return None
    sent_s = _parse_date_s(headers.get("date", ""))
    return max(0.0, until_s - (now_s if sent_s is None else sent_s))


def _parse_number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text) else None


def _parse_date_s(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError):
        return None
