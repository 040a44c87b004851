"""OpenAI's requests and responses as a server sees them: requests are read and checked, replies are written.

A parameter that could not be honoured is an error that names it, never ignored without a word. Knows no network and no
model.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.protocols import Vectors
from bench.secrets import scrub
from bench.types import Message, Reply, Usage

__all__ = [
    "JSON_OBJECT",
    "RESPONSE_FORMAT",
    "BadRequest",
    "ChatRequest",
    "EmbeddingRequest",
    "read_chat",
    "read_texts",
    "to_completion",
    "to_embedding_list",
    "to_error",
    "to_model_list",
]

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_NEUTRAL: Mapping[str, tuple[object, ...]] = {
    "n": (1,), "stream": (False,), "frequency_penalty": (0,), "presence_penalty": (0,), "logprobs": (False,),
    "tools": ([],), "response_format": ({"type": "text"},), "logit_bias": ({},), "encoding_format": ("float", "base64"),
}  # fmt: skip
"""Values that change nothing."""
_LABELS = frozenset({"user", "metadata", "store", "model", "messages", "input"})
"""Parameters that cannot change a reply, and those that are read separately."""
_SAMPLING = frozenset({"temperature", "top_p", "seed"})
RESPONSE_FORMAT, JSON_OBJECT = "response_format", {"type": "json_object"}
_LENGTH = ("max_completion_tokens", "max_tokens")
_DEEPEST = 32
"""Lists and objects in one another; no request that can be answered here has more than five."""
_LARGEST = 1 << 63


class BadRequest(Exception):
    """A request that cannot be answered; ``status`` as in HTTP."""

    def __init__(self, message: str, status: int = 400):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request for one completion. None = not given."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    json_object: bool = False
    """The reply is to be one JSON object."""


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """A request for vectors."""

    model: str
    texts: tuple[str, ...]
    base64: bool = False


def read_chat(body: object, leave_out: frozenset[str] = frozenset(), *, json_mode: bool = False) -> ChatRequest:
    """Read a chat request; parameters in ``leave_out`` are ignored. ``json_mode``: the model can be held to JSON.

    Raises: BadRequest.
    """
    json_object = isinstance(body, Mapping) and body.get(RESPONSE_FORMAT) == JSON_OBJECT
    kept = {RESPONSE_FORMAT} if json_object and json_mode else set()
    fields = _read_fields(body, {*_SAMPLING, *_LENGTH, "stop", *kept}, leave_out)
    messages = fields.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes) or not messages:
        raise BadRequest(f"messages: expected a list that is not empty, got {messages!r}")
    limits = [_read_number(fields, name, int, 1) for name in _LENGTH]
    seed, top_p = _read_number(fields, "seed", int, None), _read_number(fields, "top_p", float, 0)
    return ChatRequest(
        str(fields.get("model") or ""),
        tuple(map(_read_message, messages)),
        next((int(limit) for limit in limits if limit is not None), None),
        _read_stop(fields.get("stop")),
        _read_number(fields, "temperature", float, 0),
        top_p,
        None if seed is None else int(seed),
        json_object,
    )


def read_texts(body: object, leave_out: frozenset[str] = frozenset()) -> EmbeddingRequest:
    """Read an embedding request. Raises: BadRequest."""
    fields = _read_fields(body, set(), leave_out)
    given = fields.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, Sequence) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadRequest(f"input: expected a text or a list of texts, got {str(given)[:100]!r}")
    return EmbeddingRequest(str(fields.get("model") or ""), tuple(texts), fields.get("encoding_format") == "base64")


def _read_fields(body: object, known: set[str], leave_out: frozenset[str]) -> dict[str, Any]:
    """Return the parameters given. Raises: BadRequest for one that could not be honoured."""
    if not isinstance(body, Mapping):
        raise BadRequest(f"body: expected an object, got {str(body)[:100]!r}")
    _refuse_unrecordable(body)
    fields = {name: value for name, value in body.items() if value is not None and name not in leave_out}
    for name, value in fields.items():
        if name in known or name in _LABELS or value in _NEUTRAL.get(name, ()):
            continue
        raise BadRequest(f"{name}: expected a request without it, got {str(value)[:100]!r}; it is not supported here")
    return fields


def _refuse_unrecordable(body: Mapping[str, Any]) -> None:
    """Raises: BadRequest for what no ledger could hold and no provider would take, wherever it stands in a request."""
    left: list[tuple[object, int]] = [(body, 0)]
    while left:
        value, depth = left.pop()
        if depth > _DEEPEST:
            raise BadRequest(f"body: expected at most {_DEEPEST} lists or objects in one another, got more")
        if isinstance(value, str) and not _is_unicode(value):
            raise BadRequest("body: expected Unicode text, got half of a surrogate pair")
        if isinstance(value, int | float) and not -_LARGEST < value < _LARGEST:
            raise BadRequest("body: expected numbers of 64 bits, got one that is larger or none at all")
        if isinstance(value, Mapping):
            left += [(part, depth + 1) for pair in value.items() for part in pair]
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            left += [(part, depth + 1) for part in value]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_message(given: object) -> Message:
    if not isinstance(given, Mapping) or str(given.get("role")) not in _ROLES:
        raise BadRequest(f"message: expected a role of {', '.join(_ROLES)}, got {str(given)[:100]!r}")
    content = given.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts: list[Any] = [
            part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"
        ]
        is_text = len(parts) == len(content) and all(isinstance(text, str) for text in parts)
        content = "".join(parts) if is_text else None
    if not isinstance(content, str):
        raise BadRequest(f"message: expected text, got {str(given)[:100]!r}; nothing else is supported here")
    return Message(_ROLES[str(given["role"])], content)


def _read_stop(given: object) -> tuple[str, ...]:
    stops = [given] if isinstance(given, str) else given
    if stops is None:
        return ()
    if not isinstance(stops, Sequence) or not all(isinstance(stop, str) for stop in stops):
        raise BadRequest(f"stop: expected a text or a list of texts, got {str(given)[:100]!r}")
    return tuple(stops)


def _read_number(
    fields: Mapping[str, Any], name: str, kind: Callable[[Any], float], least: float | None
) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and kind(value) == value
    if not is_number or (least is not None and value < least):
        raise BadRequest(
            f"{name}: expected a number{'' if least is None else f' of at least {least:g}'}, got {str(value)[:100]!r}"
        )
    return kind(value)


def to_completion(reply: Reply, model: str, id_: str, created: int) -> dict[str, Any]:
    """Return a reply as a chat completion. ``created`` is in seconds since 1970."""
    finish = "content_filter" if reply.finish == "refusal" else reply.finish
    message = {"role": "assistant", "content": reply.text, "refusal": None}
    return {
        "id": id_,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": _usage_to_json(reply.usage),
    }


def _usage_to_json(usage: Usage) -> dict[str, Any] | None:
    if usage.prompt is None or usage.completion is None:
        return None
    counts: dict[str, Any] = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
    }
    if usage.cached_read is not None:
        counts["prompt_tokens_details"] = {"cached_tokens": usage.cached_read}
    if usage.reasoning is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return counts


def to_embedding_list(vectors: Vectors, request: EmbeddingRequest, model: str, tokens: int) -> dict[str, Any]:
    """Return vectors as an embedding list, as numbers or in base64 as requested."""
    rows = [
        base64.b64encode(np.ascontiguousarray(row, dtype="<f4").tobytes()).decode() if request.base64 else row.tolist()
        for row in vectors
    ]
    return {
        "object": "list",
        "model": model,
        "data": [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def to_model_list(names: Sequence[str]) -> dict[str, Any]:
    """Return the answer to ``GET /v1/models``."""
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "memfrontier"} for name in names]
    return {"object": "list", "data": data}


def to_error(message: str, kind: str, code: str | None = None) -> dict[str, Any]:
    """Return the body of an answer that is an error; it holds no key."""
    return {"error": {"message": scrub(message), "type": kind, "param": None, "code": code}}
