"""From an OpenAI-shaped chat completion to a reply with its usage.

What the endpoint reports is taken as it is; what it does not report is None. If it reports nothing, or counts that
cannot be true, prompt and completion are counted here and marked as estimates, without the few tokens of a chat
template. Knows no network.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bench.models.remote.client import AttemptFailed, EndpointRequest
from bench.models.remote.pricing import Price
from bench.types import CallStatus, Reply, Usage, UsageSource

__all__ = ["CompletionReader", "WarnOnce", "read_usage"]

_FINISH = {
    "length": "length", "max_tokens": "length", "content_filter": "refusal", "refusal": "refusal", "safety": "refusal",
}  # fmt: skip
"""Every other finish reason, an unknown one too, is a reply that ended by itself."""


class WarnOnce:
    """Prints each warning once, on stderr; safe to use from threads."""

    def __init__(self) -> None:
        self._printed: set[str] = set()
        self._lock = threading.Lock()

    def warn(self, line: str) -> None:
        with self._lock:
            new = line not in self._printed
            self._printed.add(line)
        if new:
            print(line, file=sys.stderr, flush=True)


class CompletionReader:
    """Reads the completions of one model: knows its price, and counts tokens where the endpoint does not."""

    def __init__(self, name: str, price: Price | None, count: Callable[[str], int], warnings: WarnOnce):
        self._name, self._price, self._count, self._warnings = name, price, count, warnings

    def read(self, body: object, request: EndpointRequest) -> Reply:
        """Return the reply in a completion.

        Raises: AttemptFailed for something that is no completion (malformed) or has nothing in it (empty).
        """
        if not isinstance(body, Mapping) or not isinstance(body.get("choices"), Sequence):
            raise AttemptFailed(CallStatus.MALFORMED, f"expected a completion with choices, got {str(body)[:200]}")
        usage = read_usage(body.get("usage"))
        choice = body["choices"][0] if body["choices"] else None
        message = choice.get("message") if isinstance(choice, Mapping) else None
        if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
            raise self._empty_failure("expected one choice with a message, got none", usage)
        finish = _FINISH.get(str(choice.get("finish_reason")).lower(), "stop")
        text = _join_text(message.get("content"))
        if isinstance(declined := message.get("refusal"), str) and declined:
            text, finish = text or declined, "refusal"
        if not text.strip() and finish == "stop":
            raise self._empty_failure("expected a text, got none", usage)
        if usage is None or (text and not usage.completion):
            usage = self._estimate_usage(request, text, reported=body.get("usage") is not None)
        return Reply(text, usage, self._cost(usage), self._price.date if self._price else "", finish)

    def _empty_failure(self, detail: str, usage: Usage | None) -> AttemptFailed:
        failed = AttemptFailed(CallStatus.EMPTY, detail)
        if usage is not None:
            failed.usage, failed.cost_usd = usage, self._cost(usage)
        return failed

    def _cost(self, usage: Usage) -> float | None:
        return self._price.cost_usd(usage) if self._price else None

    def _estimate_usage(self, request: EndpointRequest, text: str, *, reported: bool) -> Usage:
        what = "a usage that cannot be true" if reported else "no usage"
        self._warnings.warn(
            f"model {self._name}: expected the endpoint to count tokens, got {what}; they are counted here and marked"
        )
        prompt = sum(self._count(message.content) for message in request.messages)
        return Usage(prompt=prompt, completion=self._count(text), source=UsageSource.TOKENIZER)


def _join_text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):  # some servers reply in parts, as a request may
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def read_usage(raw: object) -> Usage | None:
    """Return the usage that an endpoint reported, None if it reported none or one that cannot be true."""
    if not isinstance(raw, Mapping):
        return None
    prompt, completion = _read_count(raw, "prompt_tokens"), _read_count(raw, "completion_tokens")
    into, out = _read_part(raw, "prompt_tokens_details"), _read_part(raw, "completion_tokens_details")
    usage = Usage(
        prompt,
        _first_known(_read_count(into, "cached_tokens"), _read_count(raw, "cache_read_input_tokens")),
        _first_known(_read_count(into, "cache_creation_tokens"), _read_count(raw, "cache_creation_input_tokens")),
        completion,
        _read_count(out, "reasoning_tokens"),
    )
    # A few endpoints count reasoning separately from the completion; the total shows which do.
    total, thought = _read_count(raw, "total_tokens"), usage.reasoning or 0
    if thought and completion is not None and total == (prompt or 0) + completion + thought:
        usage = replace(usage, completion=completion + thought)
    return usage if _is_plausible(usage, total) else None


def _is_plausible(usage: Usage, total: int | None) -> bool:
    prompt, completion = usage.prompt, usage.completion
    # No chat prompt has 0 tokens: that is how a library writes "not reported".
    if not prompt or completion is None or completion < 0 or prompt < 0:
        return False
    if total is not None and total != prompt + completion:
        return False
    read, written, thought = usage.cached_read or 0, usage.cache_write or 0, usage.reasoning or 0
    return min(read, written, thought) >= 0 and read + written <= prompt and thought <= completion


def _read_part(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = raw.get(name)
    return part if isinstance(part, Mapping) else {}


def _read_count(raw: Mapping[str, Any], name: str) -> int | None:
    value = raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _first_known(one: int | None, other: int | None) -> int | None:
    return other if one is None else one
