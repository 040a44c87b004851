"""Every provider's wording has one of five outcomes.

``provider_wordings.jsonl`` holds what providers write, a line a wording. Its field ``source`` says what it rests on:
``litellm`` (the exception mapping of litellm 1.110), ``pi`` (the overflow table of github.com/earendil-works/pi),
``issue`` (a public issue that quotes the reply), ``memory`` (the provider's documentation, not looked up again).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.errors import ContextOverflow
from bench.models.remote.client import AttemptFailed
from bench.models.remote.provider_errors import interpret_error, read_code

WORDINGS = [json.loads(line) for line in Path(__file__).with_name("provider_wordings.jsonl").read_text().splitlines()]
PROVIDERS = (
    "openai", "anthropic", "gemini", "azure", "bedrock", "vllm", "tgi", "sglang", "llama.cpp", "ollama", "dashscope",
    "moonshot", "zhipu", "mistral", "cohere", "groq", "together", "fireworks", "openrouter", "xai",
)  # fmt: skip


def classify(code: int, text: str) -> tuple[str, bool, bool]:
    with pytest.raises(AttemptFailed) as caught:
        interpret_error(code, text)
    return caught.value.status, caught.value.retryable, caught.value.overloaded


@pytest.mark.parametrize(
    ("code", "text", "status", "retryable", "overloaded"),
    [
        (429, "slow down", "rate-limit", True, True),
        (500, "oops", "server-error", True, False),
        (500, "upstream billing service timeout", "server-error", True, False),
        (503, "overloaded", "server-error", True, True),
        (529, "overloaded", "server-error", True, True),
        (408, "late", "timeout", True, False),
        (401, "bad key", "auth", False, False),
        (403, "no", "auth", False, False),
        (404, "no such model", "not-found", False, False),
        (400, "top_p is not allowed", "bad-request", False, False),
        # Gemini calls its limit per minute a quota.
        (429, "You exceeded your current quota, check billing. quotaId: RequestsPerMinute, retry in 33s", "rate-limit",
         True, True),
    ],
)  # fmt: skip
def test_interpret_error_classifies_status_codes(
    code: int, text: str, status: str, retryable: bool, overloaded: bool
) -> None:
    assert classify(code, text) == (status, retryable, overloaded)


@pytest.mark.parametrize("case", WORDINGS, ids=lambda case: f"{case['provider']}-{case['outcome']}")
def test_each_wording_has_its_outcome(case: dict[str, Any]) -> None:
    code, text, outcome = case["status"], case["text"], case["outcome"]
    if outcome == "overflow":
        with pytest.raises(ContextOverflow):
            interpret_error(code, text)
    elif outcome == "refusal":
        assert interpret_error(code, text).finish == "refusal"
    else:
        status, retryable, _ = classify(code, text)
        assert (status, retryable) == (outcome, outcome == "rate-limit")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_provider_has_an_overflow_on_record(provider: str) -> None:
    assert any(w["outcome"] == "overflow" and w["provider"].split()[0] == provider for w in WORDINGS)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": 429}, 429),
        ({"code": "402"}, 402),
        ({"code": "context_length"}, 500),
        ({"code": 7}, 500),
        ("busy", 500),
    ],
)
def test_read_code_takes_a_status_or_500(error: object, code: int) -> None:
    assert read_code(error) == code
