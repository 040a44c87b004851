"""From completions to replies: usage that is reported, plausible or estimated; texts, refusals and failures."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models.remote.client import AttemptFailed, EndpointRequest
from bench.models.remote.pricing import Price, Tier
from bench.models.remote.response import CompletionReader, WarnOnce, read_usage
from bench.types import CallStatus, Message, Usage, UsageSource
from tests.servers.openai_server import usage

REQUEST = EndpointRequest((Message("user", "hello"),))


def reader(price: Price | None = None) -> CompletionReader:
    return CompletionReader("m", price, len, WarnOnce())


def body(message: object, counted: object = None, finish: object = "stop") -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": counted}


@pytest.mark.parametrize(
    ("raw", "usage_read"),
    [
        (usage(10, 3), Usage(10, None, None, 3, None)),
        (usage(10, 3, prompt_tokens_details=None), Usage(10, None, None, 3, None)),
        (usage(10, 3, prompt_tokens_details={"cached_tokens": 0}), Usage(10, 0, None, 3, None)),
        (usage(10, 3, cache_read_input_tokens=4, cache_creation_input_tokens=5), Usage(10, 4, 5, 3, None)),
        ({"prompt_tokens": 10, "completion_tokens": 3}, Usage(10, None, None, 3, None)),
        # Reasoning is counted separately from the completion, and in the total.
        (
            {**usage(10, 3), "total_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 7}},
            Usage(10, None, None, 10, 7),
        ),
        ({**usage(10, 3), "total_tokens": 99}, None),
        (usage(10, -3), None),
        (usage(0, 0), None),
        (usage(10, 3, prompt_tokens_details={"cached_tokens": 11}), None),
        (usage(10, 3, prompt_tokens_details={"cached_tokens": -1}), None),
        (usage(10, 3, completion_tokens_details={"reasoning_tokens": 4}), None),
        ({"prompt_tokens": True, "completion_tokens": 3}, None),
        ({"prompt_tokens": 10.0, "completion_tokens": 3}, None),
        ({}, None),
        ([], None),
        (None, None),
    ],
)
def test_read_usage_accepts_plausible_counts_only(raw: object, usage_read: Usage | None) -> None:
    assert read_usage(raw) == usage_read


NUMBERS = st.none() | st.text(max_size=2) | st.integers(-2, 40)
DETAILS = st.none() | st.dictionaries(st.sampled_from(["cached_tokens", "reasoning_tokens"]), NUMBERS)
RAW = st.fixed_dictionaries(
    {"prompt_tokens": st.integers(-1, 40), "completion_tokens": st.integers(-1, 40)},
    optional={
        "total_tokens": st.integers(0, 80), "prompt_tokens_details": DETAILS, "completion_tokens_details": DETAILS,
        "cache_read_input_tokens": NUMBERS, "cache_creation_input_tokens": NUMBERS,
    },
)  # fmt: skip


@given(RAW)
def test_read_usage_never_returns_counts_that_cannot_be_true(raw: object) -> None:
    found = read_usage(raw)
    if found is not None:
        assert found.prompt is not None
        assert found.completion is not None
        assert found.prompt > 0 <= found.completion
        assert (found.cached_read or 0) + (found.cache_write or 0) <= found.prompt
        assert (found.reasoning or 0) <= found.completion


@pytest.mark.parametrize("malformed", [None, [], "text", {}, {"choices": None}, {"choices": 3}])
def test_read_raises_malformed_for_what_is_no_completion(malformed: object) -> None:
    with pytest.raises(AttemptFailed) as caught:
        reader().read(malformed, REQUEST)
    assert caught.value.status is CallStatus.MALFORMED


@pytest.mark.parametrize("message", [None, {}, {"content": None}, {"content": " "}, {"content": [{"type": "image"}]}])
def test_read_raises_empty_with_the_billed_usage(message: object) -> None:
    price = Price("d", (Tier(1, 1, 1, 1, 1),))
    with pytest.raises(AttemptFailed) as caught:
        reader(price).read(body(message, usage(5, 2)), REQUEST)
    failed = caught.value
    assert (failed.status, failed.usage.prompt, failed.cost_usd) == (CallStatus.EMPTY, 5, pytest.approx(7e-6))


@pytest.mark.parametrize(
    ("finish", "expected"),
    [("length", "length"), ("MAX_TOKENS", "length"), ("safety", "refusal"), (None, "stop"), ("new-word", "stop")],
)
def test_read_maps_finish_reasons(finish: object, expected: str) -> None:
    assert reader().read(body({"content": "x"}, usage(1, 1), finish), REQUEST).finish == expected


def test_read_estimates_a_completion_count_of_zero_for_a_text() -> None:
    reply = reader().read(body({"content": "four"}, usage(5, 0)), REQUEST)
    assert reply.usage == Usage(prompt=5, completion=4, source=UsageSource.TOKENIZER)


def test_warn_once_prints_each_line_once(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = WarnOnce()
    for line in ("a", "b", "a"):
        warnings.warn(line)
    assert capsys.readouterr().err == "a\nb\n"
