"""OpenAI's requests and answers as the side that answers sees them: what a client may ask, and how a reply is written.

A parameter that could not be honoured is an error that names it, never left out in silence. Knows no network and no
model.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.protocols import Vectors
from bench.types import Message, Reply, Usage

__all__ = [
    "BadRequest",
    "ChatAsked",
    "TextsAsked",
    "completion",
    "embeddings",
    "error",
    "models",
    "read_chat",
    "read_texts",
]

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_NEUTRAL: Mapping[str, tuple[object, ...]] = {
    "n": (1,), "stream": (False,), "frequency_penalty": (0,), "presence_penalty": (0,), "logprobs": (False,),
    "tools": ([],), "response_format": ({"type": "text"},), "logit_bias": ({},), "encoding_format": ("float", "base64"),
}  # fmt: skip
"""Values that ask for nothing special."""
_LABELS = frozenset({"user", "metadata", "store", "model", "messages", "input"})
"""What cannot change a reply, and what is read apart."""
_SAMPLING = frozenset({"temperature", "top_p", "seed"})
_LENGTH = ("max_completion_tokens", "max_tokens")


class BadRequest(Exception):
    """Something that cannot be answered as asked; ``status`` as in HTTP."""

    def __init__(self, message: str, status: int = 400):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ChatAsked:
    """A request for one completion. None = not said."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class TextsAsked:
    """A request for vectors."""

    model: str
    texts: tuple[str, ...]
    base64: bool = False


def read_chat(body: object, leave_out: frozenset[str] = frozenset()) -> ChatAsked:
    """Read a chat request; parameters in ``leave_out`` are not looked at. Raises: BadRequest."""
    fields = _fields(body, {*_SAMPLING, *_LENGTH, "stop"}, leave_out)
    messages = fields.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes) or not messages:
        raise BadRequest(f"messages: expected a list that is not empty, got {messages!r}")
    limits = [_number(fields, name, int, 1) for name in _LENGTH]
    seed, top_p = _number(fields, "seed", int, None), _number(fields, "top_p", float, 0)
    return ChatAsked(
        str(fields.get("model") or ""),
        tuple(map(_message, messages)),
        next((int(limit) for limit in limits if limit is not None), None),
        _stop(fields.get("stop")),
        _number(fields, "temperature", float, 0),
        top_p,
        None if seed is None else int(seed),
    )


def read_texts(body: object, leave_out: frozenset[str] = frozenset()) -> TextsAsked:
    """Read an embedding request. Raises: BadRequest."""
    fields = _fields(body, set(), leave_out)
    asked = fields.get("input")
    texts = [asked] if isinstance(asked, str) else asked
    if not isinstance(texts, Sequence) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadRequest(f"input: expected a text or a list of texts, got {str(asked)[:100]!r}")
    return TextsAsked(str(fields.get("model") or ""), tuple(texts), fields.get("encoding_format") == "base64")


def _fields(body: object, known: set[str], leave_out: frozenset[str]) -> dict[str, Any]:
    """Return what was said. Raises: BadRequest for what nobody here could honour."""
    if not isinstance(body, Mapping):
        raise BadRequest(f"body: expected an object, got {str(body)[:100]!r}")
    said = {name: value for name, value in body.items() if value is not None and name not in leave_out}
    for name, value in said.items():
        if name in known or name in _LABELS or value in _NEUTRAL.get(name, ()):
            continue
        raise BadRequest(f"{name}: expected a request without it, got {str(value)[:100]!r}; it is not supported here")
    return said


def _message(given: object) -> Message:
    if not isinstance(given, Mapping) or given.get("role") not in _ROLES:
        raise BadRequest(f"message: expected a role of {', '.join(_ROLES)}, got {str(given)[:100]!r}")
    content = given.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts = [
            part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else None for part in content
        ]
        content = None if None in parts else "".join(map(str, parts))
    if not isinstance(content, str):
        raise BadRequest(f"message: expected text, got {str(given)[:100]!r}; nothing else is supported here")
    return Message(_ROLES[given["role"]], content)


def _stop(given: object) -> tuple[str, ...]:
    stops = [given] if isinstance(given, str) else given
    if stops is None:
        return ()
    if not isinstance(stops, Sequence) or not all(isinstance(stop, str) for stop in stops):
        raise BadRequest(f"stop: expected a text or a list of texts, got {str(given)[:100]!r}")
    return tuple(stops)


def _number(fields: Mapping[str, Any], name: str, kind: Callable[[Any], float], least: float | None) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    good = isinstance(value, int | float) and not isinstance(value, bool) and kind(value) == value
    if not good or (least is not None and value < least):
        raise BadRequest(
            f"{name}: expected a number{'' if least is None else f' of at least {least:g}'}, got {value!r}"
        )
    return kind(value)


def completion(reply: Reply, model: str, id_: str, created: int) -> dict[str, Any]:
    """Return a reply as a chat completion. ``created`` is in seconds since 1970."""
    finish = "content_filter" if reply.finish == "refusal" else reply.finish
    message = {"role": "assistant", "content": reply.text, "refusal": None}
    return {
        "id": id_,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": _usage(reply.usage),
    }


def _usage(usage: Usage) -> dict[str, Any] | None:
    if usage.prompt is None or usage.completion is None:
        return None
    told: dict[str, Any] = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
    }
    if usage.cached_read is not None:
        told["prompt_tokens_details"] = {"cached_tokens": usage.cached_read}
    if usage.reasoning is not None:
        told["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return told


def embeddings(vectors: Vectors, asked: TextsAsked, model: str, tokens: int) -> dict[str, Any]:
    """Return vectors as an embedding list, as numbers or in base64 as asked."""
    rows = [
        base64.b64encode(np.ascontiguousarray(row, dtype="<f4").tobytes()).decode() if asked.base64 else row.tolist()
        for row in vectors
    ]
    return {
        "object": "list",
        "model": model,
        "data": [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def models(names: Sequence[str]) -> dict[str, Any]:
    """Return the answer to ``GET /v1/models``."""
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "memfrontier"} for name in names]
    return {"object": "list", "data": data}


def error(message: str, kind: str, code: str | None = None) -> dict[str, Any]:
    """Return the body of an answer that is an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
