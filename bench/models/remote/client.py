"""What passes between the limits and a client: one request, its reply, or a try that failed and why.

A client asks once and says what happened; whether to ask again is not its business. Also here: what an error of an
endpoint means (too long a prompt, a refusal, a fault that will pass, one that will not), told from its status code and
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
from bench.types import Message, Reply, Usage

__all__ = ["AttemptFailed", "Client", "HttpRequest", "failure", "one_line", "retry_after_s"]

_DETAIL_CHARACTERS = 300
_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum (context|prompt|sequence|input) length|prompt is too long"
    r"|input is too long|too many (input )?tokens|exceeds? the (maximum|available) (number of tokens|context)"
    r"|context limit",
    re.IGNORECASE,
)
_DECLINED = re.compile(r"content[ _-]?(filter|policy|management)|responsible ?ai|safety system", re.IGNORECASE)
_USED_UP = re.compile(r"insufficient_quota|exceeded your current quota|credit balance is too low", re.IGNORECASE)
_OVERLOADED = (429, 503, 529)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One call as it is sent, without what is the same for all calls of an endpoint."""

    messages: tuple[Message, ...]
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None


class Client(Protocol):
    """Asks an endpoint once."""

    def ask(self, request: HttpRequest, timeout_s: float) -> Reply:
        """Return the reply. Raises: AttemptFailed, ContextOverflow."""

    def close(self) -> None: ...


class AttemptFailed(Exception):
    """One try that gave no usable reply. ``curable``: asking again may help; ``overloaded``: ask less at a time."""

    def __init__(self, status: str, detail: str, *, curable: bool = True, overloaded: bool = False):
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, one_line(detail)
        self.curable, self.overloaded = curable, overloaded
        self.retry_after_s: float | None = None
        self.usage = Usage()
        """What the endpoint says it counted for this try; it bills what it counted."""
        self.cost_usd: float | None = 0.0


def one_line(text: str) -> str:
    """Return a text fit for a message: one line, of bearable length, without keys."""
    return scrub(" ".join(text.split()))[:_DETAIL_CHARACTERS]


def failure(code: int, text: str, wait_s: float | None = None) -> Reply:
    """Return the refusal that an endpoint's error stands for.

    Raises: ContextOverflow for a prompt that does not fit; AttemptFailed for everything else.
    """
    if code in (400, 413, 422, 500) and _TOO_LONG.search(text):
        raise ContextOverflow(f"prompt: expected one that fits the model's window, got {one_line(text)}")
    if code in (400, 403, 422) and _DECLINED.search(text):
        return Reply("", finish="refusal")
    failed = AttemptFailed(_status(code, text), f"{code} {text}", curable=_curable(code, text))
    failed.overloaded = code in _OVERLOADED
    failed.retry_after_s = wait_s
    raise failed


def _status(code: int, text: str) -> str:
    if _USED_UP.search(text):
        return "quota"
    named = {401: "auth", 403: "auth", 404: "not-found", 408: "timeout", 429: "rate-limit"}
    return named.get(code) or ("server-error" if code >= 500 else "bad-request")


def _curable(code: int, text: str) -> bool:
    return (code in (408, 409, 425, 429) or code >= 500) and not _USED_UP.search(text)


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Return how long an endpoint asks to wait: from seconds, milliseconds or a date; None if it does not say.

    ``headers`` have names in lower case; ``now_s`` is seconds since 1970, used where the endpoint gives no date of its
    own beside the one to wait for.
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    said = headers.get("retry-after", "")
    if (seconds := _number(said)) is not None:
        return seconds
    until_s = _date_s(said)
    if until_s is None:
        return None
    sent_s = _date_s(headers.get("date", ""))
    return max(0.0, until_s - (now_s if sent_s is None else sent_s))


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text) else None


def _date_s(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError):
        return None
