"""A-MEM's three replies as records: strict JSON in, a record or a named fault out, and one more try after a fault.

A fence of three backticks around the object is taken off, unknown fields are ignored, white space in a text is made
single; everything else that is not as the prompt asks is a fault. Knows no note.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from bench.protocols import Model
from bench.types import Message

__all__ = ["Card", "Evolution", "MalformedReply", "Revision", "ask", "read_card", "read_evolution", "read_keywords"]

T = TypeVar("T")
_LONGEST = 200
"""Characters of a keyword or tag; what is longer is no keyword."""


class MalformedReply(ValueError):
    """A reply that is not what was asked for; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Card:
    """What the model wrote about one note."""

    keywords: tuple[str, ...] = ()
    context: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A neighbor's new context and tags; ``place`` counts the neighbors from 0."""

    place: int
    context: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evolution:
    """What becomes of the new note and its neighbors."""

    evolves: bool = False
    strengthens: bool = False
    links: tuple[int, ...] = ()
    """Places among the neighbors, from 0."""
    tags: tuple[str, ...] = ()
    revisions: tuple[Revision, ...] = ()


def ask(
    model: Model, messages: tuple[Message, ...], *, role: str, max_tokens: int, read: Callable[[str], T]
) -> T | None:
    """Return what ``read`` makes of the reply; after a fault ask once more, naming it. None after two faults."""
    for _ in range(2):
        reply = model.chat(messages, role=role, max_tokens=max_tokens).text
        try:
            return read(reply)
        except MalformedReply as fault:
            correction = f"That reply cannot be used: {fault}. Reply again with the one JSON object and nothing else."
            messages = (*messages, Message("assistant", reply), Message("user", correction))
    return None


def read_card(text: str) -> Card:
    """Return keywords, context and tags. Raises: Malformed."""
    fields = _read_object(text)
    return Card(_read_texts(fields, "keywords"), _read_text(fields, "context"), _read_texts(fields, "tags"))


def read_keywords(text: str) -> tuple[str, ...]:
    """Return the keywords of a query, at least one. Raises: Malformed."""
    words = _read_texts(_read_object(text), "keywords")
    if not words:
        raise MalformedReply("expected keywords to hold at least one word, got none")
    return words


def read_evolution(text: str, neighbors: int) -> Evolution:
    """Return what becomes of the notes; ``neighbors`` were shown. Raises: Malformed."""
    fields = _read_object(text)
    if not isinstance(evolves := fields.get("should_evolve"), bool):
        raise MalformedReply(f"expected should_evolve to be true or false, got {_shorten(evolves)}")
    if not evolves:
        return Evolution()
    actions = _read_texts(fields, "actions")
    if unknown := sorted(set(actions) - {"strengthen", "update_neighbor"}):
        raise MalformedReply(f"expected actions strengthen or update_neighbor, got {_shorten(unknown[0])}")
    links: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    revisions: tuple[Revision, ...] = ()
    if "strengthen" in actions:
        links = tuple(dict.fromkeys(_read_place(number, "links", neighbors) for number in _read_list(fields, "links")))
        tags = _read_texts(fields, "tags")
    if "update_neighbor" in actions:
        revisions = tuple(_read_revision(entry, neighbors) for entry in _read_list(fields, "neighbors"))
    return Evolution(True, "strengthen" in actions, links, tags, revisions)


def _read_revision(entry: Any, neighbors: int) -> Revision:
    if not isinstance(entry, dict):
        raise MalformedReply(f"expected each of neighbors to be an object, got {_shorten(entry)}")
    return Revision(
        _read_place(entry.get("number"), "number", neighbors), _read_text(entry, "context"), _read_texts(entry, "tags")
    )


def _read_object(text: str) -> dict[str, Any]:
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        bare = bare.partition("\n")[2].removesuffix("```")
    try:
        found = json.loads(bare)
    except (ValueError, RecursionError) as cause:
        raise MalformedReply(f"expected one JSON object, got {_shorten(bare)} ({type(cause).__name__})") from None
    if not isinstance(found, dict):
        raise MalformedReply(f"expected one JSON object, got {_shorten(found)}")
    return found


def _read_list(fields: dict[str, Any], name: str) -> list[Any]:
    value = fields.get(name)
    if not isinstance(value, list):
        raise MalformedReply(f"expected {name} to be a list, got {_shorten(value)}")
    return value


def _read_texts(fields: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of short texts, each once, in order."""
    unique: dict[str, None] = {}
    for value in _read_list(fields, name):
        if not isinstance(value, str) or len(value) > _LONGEST:
            raise MalformedReply(f"expected {name} to be a list of short texts, got {_shorten(value)} in it")
        if line := _join_spaces(value):
            unique.setdefault(line)
    return tuple(unique)


def _read_text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise MalformedReply(f"expected {name} to be a text, got {_shorten(value)}")
    return _join_spaces(value)


def _read_place(value: Any, name: str, neighbors: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= neighbors:
        raise MalformedReply(f"expected {name} to be of 1 to {neighbors}, got {_shorten(value)}")
    return value - 1


def _join_spaces(text: str) -> str:
    # Half a character (an escaped lone surrogate) can neither be embedded nor stored.
    return " ".join(text.encode(errors="replace").decode().split())


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
