"""The interface of a client of one endpoint: one request, its reply, or the failure of one attempt.

A client makes one attempt; the limits (``rate_limit.py``) decide about another. Also here: what an error of an endpoint
means (a prompt that is too long, a refusal, a fault that may pass, one that will not), read from its status code and
its text. Knows no library and no network.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Protocol

from bench.errors import ContextOverflow
from bench.secrets import scrub
from bench.types import CallStatus, Message, Reply, Usage

__all__ = ["AttemptFailed", "Client", "EndpointRequest", "interpret_error", "parse_retry_after_s", "shorten"]

_DETAIL_CHARACTERS = 300
_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum (context|prompt|sequence|input) length|prompt is too long"
    r"|input is too long|too many (input )?tokens|exceeds? the (maximum|available) (number of tokens|context)"
    r"|context limit",
    re.IGNORECASE,
)
_DECLINED = re.compile(r"content[ _-]?(filter|policy|management)|responsible ?ai|safety system", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit balance is too low", re.IGNORECASE)
_OVERLOADED = (429, 503, 529)
_STATUSES = {
    401: CallStatus.AUTH,
    403: CallStatus.AUTH,
    404: CallStatus.NOT_FOUND,
    408: CallStatus.TIMEOUT,
    429: CallStatus.RATE_LIMIT,
}


@dataclass(frozen=True, slots=True)
class EndpointRequest:
    """One call as it is sent, without what is the same for all calls of an endpoint."""

    messages: tuple[Message, ...]
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None


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
        self.retry_after_s: float | None = None
        self.usage = Usage()
        """What the endpoint reports for this attempt; it bills what it counts."""
        self.cost_usd: float | None = 0.0


def shorten(text: str) -> str:
    """Return a text fit for a message: one line of at most 300 characters, without keys."""
    return scrub(" ".join(text.split()))[:_DETAIL_CHARACTERS]


def interpret_error(code: int, text: str, wait_s: float | None = None) -> Reply:
    """Return the refusal that an endpoint's error stands for. ``code`` is the HTTP status.

    Raises: ContextOverflow for a prompt that does not fit; AttemptFailed for everything else.
    """
    if code in (400, 413, 422, 500) and _TOO_LONG.search(text):
        raise ContextOverflow(f"prompt: expected one that fits the model's window, got {shorten(text)}")
    if code in (400, 403, 422) and _DECLINED.search(text):
        return Reply("", finish="refusal")
    failed = AttemptFailed(_classify(code, text), f"{code} {text}", retryable=_is_retryable(code, text))
    failed.overloaded = code in _OVERLOADED
    failed.retry_after_s = wait_s
    raise failed


def _classify(code: int, text: str) -> CallStatus:
    if _QUOTA.search(text):
        return CallStatus.QUOTA
    return _STATUSES.get(code) or (CallStatus.SERVER_ERROR if code >= 500 else CallStatus.BAD_REQUEST)


def _is_retryable(code: int, text: str) -> bool:
    return (code in (408, 409, 425, 429) or code >= 500) and not _QUOTA.search(text)


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
