"""From an OpenAI-shaped chat completion to a reply with its usage.

What the endpoint reports is taken as it is; what it does not report is None. If it reports nothing, or counts that
cannot be true, prompt and completion are counted here and marked as estimates, without the few tokens of a chat
template. Knows no network.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.errors import ContextOverflow
from bench.models.remote.client import AttemptFailed, EndpointRequest, shorten
from bench.models.remote.pricing import Price
from bench.models.remote.provider_errors import interpret_error, read_code
from bench.models.remote.usage import find_usage, read_usage
from bench.store.printing import say
from bench.types import CallStatus, Reply, Usage, UsageSource

__all__ = ["CompletionReader", "WarnOnce"]

_FINISH = {
    **dict.fromkeys(("length", "max_tokens", "model_length", "token_limit", "max_output", "compaction"), "length"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "refusal", "safety", "sensitive", "guardrail_intervened", "error_toxic",
         "recitation", "blocklist", "prohibited_content", "spii", "language"),
        "refusal",
    ),
    **dict.fromkeys(("model_context_window_exceeded", "error_limit"), "full"),
    **dict.fromkeys(
        ("error", "abort", "aborted", "cancel", "cancelled", "canceled", "user_cancel", "failed", "timeout",
         "time_limit", "network_error", "server_error", "internal_error", "model_error", "engine_overloaded",
         "insufficient_system_resource", "insufficient_resources", "insufficient_resource", "overloaded",
         "malformed_response", "malformed_model_output", "malformed_function_call", "load", "unload"),
        "failed",
    ),
}  # fmt: skip
"""What a finish reason stands for, in lower case, from the API references of the providers. ``failed``: the provider
broke off, so a text that is there is no answer. ``full``: the window was full. Every other finish reason, an unknown
one too, is a reply that ended by itself."""
_OVERLOAD = ("resource", "overload")


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
            say(line)


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
        reported = find_usage(body)
        usage = read_usage(reported)
        choice = body["choices"][0] if body["choices"] else None
        message = choice.get("message") if isinstance(choice, Mapping) else None
        if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
            raise self._failure(AttemptFailed(CallStatus.EMPTY, "expected one choice with a message, got none"), usage)
        finish, text = _read_finish(choice), _join_text(message.get("content"))
        if finish == "failed":
            raise self._failure(_find_fault(choice), usage)
        if finish == "full" and not text.strip():
            raise ContextOverflow("prompt: expected one that fits the model's window, got one that leaves no room")
        finish = "length" if finish == "full" else finish
        if isinstance(declined := message.get("refusal"), str) and declined:
            text, finish = text or declined, "refusal"
        if not text.strip() and finish == "stop":
            raise self._failure(AttemptFailed(CallStatus.EMPTY, "expected a text, got none"), usage)
        if usage is None or (text and not usage.completion):
            usage = self._estimate_usage(request, text, reported=reported is not None)
        return Reply(text, usage, self._cost(usage), self._price.date if self._price else "", finish)

    def _failure(self, failed: AttemptFailed, usage: Usage | None) -> AttemptFailed:
        """Add what was billed."""
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


def _read_finish(choice: Mapping[str, Any]) -> str:
    """Return stop, length, refusal, full or failed. A library's own finish reason may hide the provider's."""
    fields = choice.get("provider_specific_fields")
    native = fields.get("native_finish_reason") if isinstance(fields, Mapping) else choice.get("native_finish_reason")
    own, provider = (_FINISH.get(str(name).lower(), "stop") for name in (choice.get("finish_reason"), native))
    return provider if provider in ("failed", "full") else own


def _find_fault(choice: Mapping[str, Any]) -> AttemptFailed:
    """Return the failure of a choice that the provider broke off, by the error next to it, if there is one.

    Raises: ContextOverflow.
    """
    error, name = choice.get("error"), str(choice.get("finish_reason"))
    if isinstance(error, Mapping):
        try:
            interpret_error(read_code(error), str(error))
        except AttemptFailed as known:
            known.retryable = known.status is not CallStatus.QUOTA
            return known
    fields = choice.get("provider_specific_fields")
    native = fields.get("native_finish_reason") if isinstance(fields, Mapping) else None
    failed = AttemptFailed(CallStatus.SERVER_ERROR, shorten(f"finish_reason {native or name}: no complete answer"))
    failed.overloaded = any(word in str(native or name).lower() for word in _OVERLOAD)
    return failed


def _join_text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):  # some servers reply in parts, as a request may
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""
