"""The usage that an endpoint reports, whatever it calls its counts.

Sources: the API references of OpenAI, Anthropic, Gemini, Bedrock (Converse), Cohere, Ollama, DeepSeek, Moonshot and
DashScope. Anthropic and Bedrock count cached prompt tokens outside the prompt, Gemini and xAI reasoning outside the
completion; here a prompt holds all its tokens, a completion its reasoning. Knows no network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bench.types import MOST_TOKENS, Usage

__all__ = ["find_usage", "read_usage"]

_PROMPT = ("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount", "prompt_eval_count")
_COMPLETION = ("completion_tokens", "output_tokens", "outputTokens", "candidatesTokenCount", "eval_count")
_TOTAL = ("total_tokens", "totalTokens", "totalTokenCount")
_CACHED = (
    "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens", "cacheReadInputTokens",
    "cacheReadInputTokenCount", "cachedContentTokenCount",
)  # fmt: skip
_WRITTEN = (
    "cache_creation_tokens", "cache_write_tokens", "cache_creation_input_tokens", "cacheWriteInputTokens",
    "cacheWriteInputTokenCount",
)  # fmt: skip
_REASONING = ("reasoning_tokens", "thoughtsTokenCount")
_PROMPT_PARTS = ("prompt_tokens_details", "input_tokens_details")
_COMPLETION_PARTS = ("completion_tokens_details", "output_tokens_details")
_OUTSIDE = ("input_tokens", "inputTokens")
"""Names of a prompt that holds no cached tokens, where the cached ones stand next to it."""
_OUTSIDE_CACHE = ("cache_read_input_tokens", "cache_creation_input_tokens", "cacheReadInputTokens",
                  "cacheReadInputTokenCount", "cacheWriteInputTokens", "cacheWriteInputTokenCount")  # fmt: skip


def find_usage(body: Mapping[str, Any]) -> object:
    """Return the part of a response that holds its usage, None if it has none."""
    for name in ("usage", "usageMetadata", "usage_metadata"):
        if body.get(name) is not None:
            return body[name]
    if isinstance(meta := body.get("meta"), Mapping) and (meta.get("tokens") or meta.get("billed_units")):
        return meta
    if any(name in body for name in ("prompt_eval_count", "eval_count")):
        return body
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, Sequence) and choices else None
    return first.get("usage") if isinstance(first, Mapping) else None


def read_usage(raw: object) -> Usage | None:
    """Return the usage that an endpoint reported, None if it reported none or one that cannot be true."""
    if not isinstance(raw, Mapping):
        return None
    for name in ("tokens", "billed_units"):  # Cohere
        if isinstance(inner := raw.get(name), Mapping) and _read_first((inner,), _PROMPT) is not None:
            raw = inner
            break
    into, out = (raw, *_read_parts(raw, _PROMPT_PARTS)), (raw, *_read_parts(raw, _COMPLETION_PARTS))
    usage = Usage(
        _read_first((raw,), _PROMPT),
        _read_first(into[::-1], _CACHED),
        _read_first(into[::-1], _WRITTEN),
        _read_first((raw,), _COMPLETION),
        _read_first(out[::-1], _REASONING),
    )
    total = _read_first((raw,), _TOTAL) or None  # a total of 0 is how some servers write "not reported"
    usage = _add_reasoning(_add_cached(usage, raw, total), total)
    return usage if _is_plausible(usage, total) else None


def _add_cached(usage: Usage, raw: Mapping[str, Any], total: int | None) -> Usage:
    """Return the usage with the cached tokens in its prompt, where the endpoint counts them outside."""
    cached = (usage.cached_read or 0) + (usage.cache_write or 0)
    if usage.prompt is None or cached <= 0 or not any(name in raw for name in _OUTSIDE_CACHE):
        return usage
    named_outside = not any(name in raw for name in _PROMPT if name not in _OUTSIDE)
    in_total = total is not None and total == usage.prompt + cached + (usage.completion or 0)
    outside = named_outside or in_total or cached > usage.prompt
    return replace(usage, prompt=usage.prompt + cached) if outside else usage


def _add_reasoning(usage: Usage, total: int | None) -> Usage:
    """Return the usage with the reasoning in its completion, where the endpoint counts it outside."""
    thought, shown = usage.reasoning or 0, usage.completion
    if thought <= 0:
        return usage
    if shown is None:
        return replace(usage, completion=thought)
    outside = thought > shown if total is None else total == (usage.prompt or 0) + shown + thought
    return replace(usage, completion=shown + thought) if outside else usage


def _is_plausible(usage: Usage, total: int | None) -> bool:
    prompt, completion = usage.prompt, usage.completion
    # No chat prompt has 0 tokens: that is how a library writes "not reported".
    if not prompt or completion is None or completion < 0 or prompt < 0:
        return False
    read, written, thought = usage.cached_read or 0, usage.cache_write or 0, usage.reasoning or 0
    # A total of Anthropic's kind has no cached tokens in it either.
    if total is not None and total not in (prompt + completion, prompt + completion - read - written):
        return False
    possible = min(read, written, thought) >= 0 and max(prompt, completion) <= MOST_TOKENS
    return possible and read + written <= prompt and thought <= completion


def _read_parts(raw: Mapping[str, Any], names: Sequence[str]) -> list[Mapping[str, Any]]:
    return [part for name in names if isinstance(part := raw.get(name), Mapping)]


def _read_first(parts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> int | None:
    """Return the first count that one of the parts has under one of the names; None if there is none."""
    counts = (_read_count(part.get(name)) for part in parts for name in names)
    return next((count for count in counts if count is not None), None)


def _read_count(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():  # Cohere counts in floats
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
