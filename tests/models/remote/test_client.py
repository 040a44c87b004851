"""How long an endpoint asks to wait, and details without keys."""

from __future__ import annotations

import pytest

from bench.models.remote.client import parse_retry_after_s, shorten


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


def test_shorten_gives_one_line_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    text = shorten("Incorrect key sk-0123456789abcdef\n  provided " + "x" * 1000)
    assert "sk-0123456789" not in text
    assert text.startswith("Incorrect key <SOME_API_KEY> provided x")
    assert len(text) <= 300
