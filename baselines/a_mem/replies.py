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

__all__ = ["Card", "Evolution", "Malformed", "Revision", "ask", "read_card", "read_evolution", "read_keywords"]

T = TypeVar("T")
_LONGEST = 200
"""Characters of a keyword or tag; what is longer is no keyword."""


class Malformed(ValueError):
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
        said = model.chat(messages, role=role, max_tokens=max_tokens).text
        try:
            return read(said)
        except Malformed as fault:
            again = f"That reply cannot be used: {fault}. Reply again with the one JSON object and nothing else."
            messages = (*messages, Message("assistant", said), Message("user", again))
    return None


def read_card(text: str) -> Card:
    """Return keywords, context and tags. Raises: Malformed."""
    fields = _object(text)
    return Card(_texts(fields, "keywords"), _text(fields, "context"), _texts(fields, "tags"))


def read_keywords(text: str) -> tuple[str, ...]:
    """Return the keywords of a query, at least one. Raises: Malformed."""
    words = _texts(_object(text), "keywords")
    if not words:
        raise Malformed("expected keywords to hold at least one word, got none")
    return words


def read_evolution(text: str, neighbors: int) -> Evolution:
    """Return what becomes of the notes; ``neighbors`` were shown. Raises: Malformed."""
    fields = _object(text)
    if not isinstance(evolves := fields.get("should_evolve"), bool):
        raise Malformed(f"expected should_evolve to be true or false, got {_brief(evolves)}")
    if not evolves:
        return Evolution()
    actions = _texts(fields, "actions")
    if unknown := sorted(set(actions) - {"strengthen", "update_neighbor"}):
        raise Malformed(f"expected actions strengthen or update_neighbor, got {_brief(unknown[0])}")
    links: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    revisions: tuple[Revision, ...] = ()
    if "strengthen" in actions:
        links = tuple(dict.fromkeys(_place(number, "links", neighbors) for number in _list(fields, "links")))
        tags = _texts(fields, "tags")
    if "update_neighbor" in actions:
        revisions = tuple(_revision(entry, neighbors) for entry in _list(fields, "neighbors"))
    return Evolution(True, "strengthen" in actions, links, tags, revisions)


def _revision(entry: Any, neighbors: int) -> Revision:
    if not isinstance(entry, dict):
        raise Malformed(f"expected each of neighbors to be an object, got {_brief(entry)}")
    return Revision(_place(entry.get("number"), "number", neighbors), _text(entry, "context"), _texts(entry, "tags"))


def _object(text: str) -> dict[str, Any]:
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        bare = bare.partition("\n")[2].removesuffix("```")
    try:
        found = json.loads(bare)
    except (ValueError, RecursionError) as cause:
        raise Malformed(f"expected one JSON object, got {_brief(bare)} ({type(cause).__name__})") from None
    if not isinstance(found, dict):
        raise Malformed(f"expected one JSON object, got {_brief(found)}")
    return found


def _list(fields: dict[str, Any], name: str) -> list[Any]:
    value = fields.get(name)
    if not isinstance(value, list):
        raise Malformed(f"expected {name} to be a list, got {_brief(value)}")
    return value


def _texts(fields: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of short texts, each once, in order."""
    kept: dict[str, None] = {}
    for value in _list(fields, name):
        if not isinstance(value, str) or len(value) > _LONGEST:
            raise Malformed(f"expected {name} to be a list of short texts, got {_brief(value)} in it")
        if line := _line(value):
            kept.setdefault(line)
    return tuple(kept)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise Malformed(f"expected {name} to be a text, got {_brief(value)}")
    return _line(value)


def _place(value: Any, name: str, neighbors: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= neighbors:
        raise Malformed(f"expected {name} to be of 1 to {neighbors}, got {_brief(value)}")
    return value - 1


def _line(text: str) -> str:
    # Half a character (an escaped lone surrogate) can neither be embedded nor stored.
    return " ".join(text.encode(errors="replace").decode().split())


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
