"""What an endpoint's error means, how long it asks to wait, and details without keys."""

from __future__ import annotations

import pytest

from bench.errors import ContextOverflow
from bench.models.remote.client import AttemptFailed, interpret_error, parse_retry_after_s, shorten


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT", "date": "Thu, 01 Jan 1970 00:01:35 GMT"}, 5),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({}, None),
    ],
)
def test_parse_retry_after_reads_seconds_milliseconds_and_dates(headers: dict[str, str], wait_s: float | None) -> None:
    assert parse_retry_after_s(headers, 10.0) == wait_s


@pytest.mark.parametrize(
    ("code", "text", "status", "retryable", "overloaded"),
    [
        (429, "slow down", "rate-limit", True, True),
        (429, "insufficient_quota", "quota", False, True),
        (500, "oops", "server-error", True, False),
        (503, "overloaded", "server-error", True, True),
        (529, "overloaded", "server-error", True, True),
        (408, "late", "timeout", True, False),
        (401, "bad key", "auth", False, False),
        (403, "no", "auth", False, False),
        (404, "no such model", "not-found", False, False),
        (400, "top_p is not allowed", "bad-request", False, False),
    ],
)
def test_interpret_error_classifies_status_codes(
    code: int, text: str, status: str, retryable: bool, overloaded: bool
) -> None:
    with pytest.raises(AttemptFailed) as caught:
        interpret_error(code, text)
    found = caught.value
    assert (found.status, found.retryable, found.overloaded) == (status, retryable, overloaded)
    assert text in found.detail


@pytest.mark.parametrize(
    "text",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        '{"code": "context_length_exceeded"}',
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size. try increasing the context size",
    ],
)
def test_interpret_error_finds_context_overflows(text: str) -> None:
    with pytest.raises(ContextOverflow):
        interpret_error(400, text)


def test_interpret_error_finds_refusals() -> None:
    assert interpret_error(400, '{"code": "content_filter"}').finish == "refusal"


def test_shorten_gives_one_line_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    text = shorten("Incorrect key sk-0123456789abcdef\n  provided " + "x" * 1000)
    assert "sk-0123456789" not in text
    assert text.startswith("Incorrect key <SOME_API_KEY> provided x")
    assert len(text) <= 300
