"""The usage of every provider's form: read right, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models.remote.usage import find_usage, read_usage
from bench.types import Usage
from tests.servers.openai_server import usage

PROVIDERS = {
    "openai": (
        {**usage(10, 9), "prompt_tokens_details": {"cached_tokens": 4},
         "completion_tokens_details": {"reasoning_tokens": 6}},
        Usage(10, 4, None, 9, 6),
    ),
    "openai responses": (
        {"input_tokens": 10, "output_tokens": 9, "total_tokens": 19, "input_tokens_details": {"cached_tokens": 4},
         "output_tokens_details": {"reasoning_tokens": 6}},
        Usage(10, 4, None, 9, 6),
    ),
    "deepseek": (
        {**usage(10, 3), "prompt_cache_hit_tokens": 7, "prompt_cache_miss_tokens": 3},
        Usage(10, 7, None, 3, None),
    ),
    "moonshot": ({**usage(10, 3), "cached_tokens": 6}, Usage(10, 6, None, 3, None)),
    "dashscope": (
        {**usage(10, 3), "prompt_tokens_details": {"cached_tokens": 2, "cache_creation_input_tokens": 5}},
        Usage(10, 2, 5, 3, None),
    ),
    "anthropic": (
        {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20},
        Usage(130, 100, 20, 3, None),
    ),
    "anthropic cached whole": (
        {"input_tokens": 0, "output_tokens": 3, "cache_read_input_tokens": 100}, Usage(100, 100, None, 3, None),
    ),
    "anthropic behind a gateway": (
        {**usage(10, 3), "cache_read_input_tokens": 100}, Usage(110, 100, None, 3, None),
    ),
    "anthropic by litellm": (
        {**usage(130, 3), "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20},
        Usage(130, 100, 20, 3, None),
    ),
    "gemini": (
        {"promptTokenCount": 10, "candidatesTokenCount": 3, "thoughtsTokenCount": 8, "totalTokenCount": 21,
         "cachedContentTokenCount": 4},
        Usage(10, 4, None, 11, 8),
    ),
    "gemini that only thought": (
        {"promptTokenCount": 10, "thoughtsTokenCount": 8, "totalTokenCount": 18}, Usage(10, None, None, 8, 8),
    ),
    "xai": (
        {**usage(10, 3), "total_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 7}},
        Usage(10, None, None, 10, 7),
    ),
    "bedrock": (
        {"inputTokens": 10, "outputTokens": 3, "totalTokens": 113, "cacheReadInputTokens": 100},
        Usage(110, 100, None, 3, None),
    ),
    "cohere": (
        {"billed_units": {"input_tokens": 8.0, "output_tokens": 3.0},
         "tokens": {"input_tokens": 70.0, "output_tokens": 3.0}},
        Usage(70, None, None, 3, None),
    ),
    "cohere that bills": ({"billed_units": {"input_tokens": 8, "output_tokens": 3}}, Usage(8, None, None, 3, None)),
    "ollama": ({"prompt_eval_count": 10, "eval_count": 3, "done": True}, Usage(10, None, None, 3, None)),
    "a total of nothing": ({**usage(10, 3), "total_tokens": 0}, Usage(10, None, None, 3, None)),
}  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_read_usage_reads_each_provider(provider: str) -> None:
    raw, expected = PROVIDERS[provider]
    assert read_usage(raw) == expected


@pytest.mark.parametrize(
    "body",
    [
        {"usage": usage(10, 3)},
        {"usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 3}},
        {"usage": None, "meta": {"tokens": {"input_tokens": 10, "output_tokens": 3}}},
        {"prompt_eval_count": 10, "eval_count": 3},
        {"choices": [{"usage": usage(10, 3)}]},
    ],
)
def test_find_usage_finds_it_where_a_provider_puts_it(body: dict[str, object]) -> None:
    assert read_usage(find_usage(body)) == Usage(10, None, None, 3, None)


def test_body_without_usage_has_none() -> None:
    assert find_usage({"choices": [{"message": {"content": "x"}}]}) is None


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
        ({"prompt_tokens": 10.5, "completion_tokens": 3}, None),
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
