"""An OpenAI-shaped chat completion, as it came, into a reply with honest usage.

What the endpoint counted is taken as told; what it did not tell is None; if it told nothing, or nothing that can be
true, prompt and completion are counted here and marked so, without the few tokens of a chat template. Knows no network.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bench.models.remote.client import AttemptFailed, HttpRequest
from bench.models.remote.pricing import Price
from bench.types import Reply, Usage, UsageSource

__all__ = ["CompletionReader", "WarnOnce", "told_usage"]

_FINISH = {
    "length": "length", "max_tokens": "length", "content_filter": "refusal", "refusal": "refusal", "safety": "refusal",
}  # fmt: skip
"""Everything else, an unknown word too, is a reply that ended by itself."""


class WarnOnce:
    """Says each thing once, on stderr, whatever thread it comes from."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._lock = threading.Lock()

    def say(self, line: str) -> None:
        with self._lock:
            new = line not in self._said
            self._said.add(line)
        if new:
            print(line, file=sys.stderr, flush=True)


class CompletionReader:
    """Reads the completions of one model: knows its price and who counts where the endpoint does not."""

    def __init__(self, name: str, price: Price | None, count: Callable[[str], int], notices: WarnOnce):
        self._name, self._price, self._count, self._notices = name, price, count, notices

    def reply(self, body: object, request: HttpRequest) -> Reply:
        """Return the reply in a completion.

        Raises: AttemptFailed for something that is no completion (malformed) or has nothing in it (empty).
        """
        if not isinstance(body, Mapping) or not isinstance(body.get("choices"), Sequence):
            raise AttemptFailed("malformed", f"expected a completion with choices, got {str(body)[:200]}")
        usage = told_usage(body.get("usage"))
        choice = body["choices"][0] if body["choices"] else None
        message = choice.get("message") if isinstance(choice, Mapping) else None
        if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
            raise self._empty("expected one choice with a message, got none", usage)
        finish = _FINISH.get(str(choice.get("finish_reason")).lower(), "stop")
        text = _text(message.get("content"))
        if isinstance(declined := message.get("refusal"), str) and declined:
            text, finish = text or declined, "refusal"
        if not text.strip() and finish == "stop":
            raise self._empty("expected a text, got none", usage)
        if usage is None or (text and not usage.completion):
            usage = self._estimated(request, text, told=body.get("usage") is not None)
        return Reply(text, usage, self._cost(usage), self._price.date if self._price else "", finish)

    def _empty(self, detail: str, usage: Usage | None) -> AttemptFailed:
        failed = AttemptFailed("empty", detail)
        if usage is not None:
            failed.usage, failed.cost_usd = usage, self._cost(usage)
        return failed

    def _cost(self, usage: Usage) -> float | None:
        return self._price.cost_usd(usage) if self._price else None

    def _estimated(self, request: HttpRequest, text: str, *, told: bool) -> Usage:
        what = "a usage that cannot be true" if told else "no usage"
        self._notices.say(
            f"model {self._name}: expected the endpoint to count tokens, got {what}; they are counted here and marked"
        )
        prompt = sum(self._count(message.content) for message in request.messages)
        return Usage(prompt=prompt, completion=self._count(text), source=UsageSource.TOKENIZER)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):  # parts: some servers answer as they may be asked
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def told_usage(raw: object) -> Usage | None:
    """Return the usage that an endpoint told, None if it told none or one that cannot be true."""
    if not isinstance(raw, Mapping):
        return None
    prompt, completion = _count(raw, "prompt_tokens"), _count(raw, "completion_tokens")
    into, out = _part(raw, "prompt_tokens_details"), _part(raw, "completion_tokens_details")
    usage = Usage(
        prompt,
        _first(_count(into, "cached_tokens"), _count(raw, "cache_read_input_tokens")),
        _first(_count(into, "cache_creation_tokens"), _count(raw, "cache_creation_input_tokens")),
        completion,
        _count(out, "reasoning_tokens"),
    )
    # A few count what was thought beside the completion, not in it; the sum tells.
    total, thought = _count(raw, "total_tokens"), usage.reasoning or 0
    if thought and completion is not None and total == (prompt or 0) + completion + thought:
        usage = replace(usage, completion=completion + thought)
    return usage if _possible(usage, total) else None


def _possible(usage: Usage, total: int | None) -> bool:
    prompt, completion = usage.prompt, usage.completion
    # No chat prompt has 0 tokens: that is how a library writes "not told".
    if not prompt or completion is None or completion < 0 or prompt < 0:
        return False
    if total is not None and total != prompt + completion:
        return False
    read, written, thought = usage.cached_read or 0, usage.cache_write or 0, usage.reasoning or 0
    return min(read, written, thought) >= 0 and read + written <= prompt and thought <= completion


def _part(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = raw.get(name)
    return part if isinstance(part, Mapping) else {}


def _count(raw: Mapping[str, Any], name: str) -> int | None:
    value = raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one
