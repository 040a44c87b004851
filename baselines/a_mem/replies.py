"""What A-MEM's three replies mean: a record, or a fault named by its path and one more try.

The JSON is read by ``bench.replies``; unknown fields are ignored, and one entry of a list that cannot be read does not
discard the others. Knows no note.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from bench.protocols import Model
from bench.replies import JsonNode, ReplyError, read_json
from bench.types import Message

__all__ = ["Card", "Evolution", "Revision", "ask", "read_card", "read_evolution", "read_keywords"]

T = TypeVar("T")
_LONGEST = 200
"""Characters of a keyword or tag; what is longer is no keyword."""
_ACTIONS = ("strengthen", "update_neighbor")


@dataclass(frozen=True, slots=True)
class Card:
    """What the model wrote about one note."""

    keywords: tuple[str, ...] = ()
    context: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A neighbor's new context and tags, None where they stay; ``place`` counts the neighbors from 0."""

    place: int
    context: str | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Evolution:
    """What becomes of the new note and its neighbors."""

    evolves: bool = False
    strengthens: bool = False
    links: tuple[int, ...] = ()
    """Places among the neighbors, from 0."""
    tags: tuple[str, ...] | None = None
    """The new note's; None = its own stay."""
    revisions: tuple[Revision, ...] = ()


def ask(
    model: Model, messages: tuple[Message, ...], *, role: str, max_tokens: int, read: Callable[[str], T]
) -> T | None:
    """Return what ``read`` makes of the reply; after a fault ask once more, naming it. None after two faults."""
    for _ in range(2):
        reply = model.chat(messages, role=role, max_tokens=max_tokens).text
        try:
            return read(reply)
        except ReplyError as fault:
            correction = f"That reply cannot be used: {fault}. Reply again with the one JSON object and nothing else."
            messages = (*messages, Message("assistant", reply), Message("user", correction))
    return None


def read_card(text: str) -> Card:
    """Return keywords, context and tags. Raises: ReplyError."""
    fields = read_json(text)
    return Card(_read_words(fields["keywords"]), fields["context"].text(), _read_words(fields["tags"]))


def read_keywords(text: str) -> tuple[str, ...]:
    """Return the keywords of a query, at least one. Raises: ReplyError."""
    reply = read_json(text, arrays=True)
    node = reply if isinstance(reply.value, list) else reply["keywords"]
    words = _read_words(node)
    if not words:
        raise node.error("at least one word")
    return words


def read_evolution(text: str, neighbors: int) -> Evolution:
    """Return what becomes of the notes; ``neighbors`` were shown. Raises: ReplyError."""
    fields = read_json(text)
    if not fields["should_evolve"].flag():
        return Evolution()
    actions = _read_each(fields["actions"], lambda entry: entry.choice(_ACTIONS))
    links: tuple[int, ...] = ()
    tags: tuple[str, ...] | None = None
    revisions: tuple[Revision, ...] = ()
    if "strengthen" in actions:
        links = tuple(dict.fromkeys(_read_each(fields["links"], lambda entry: entry.number(1, neighbors) - 1)))
        tags = _read_words(fields["tags"]) if "tags" in fields else None
    if "update_neighbor" in actions:
        revisions = _read_each(fields["neighbors"], lambda entry: _read_revision(entry, neighbors))
    return Evolution(True, "strengthen" in actions, links, tags, revisions)


def _read_revision(entry: JsonNode, neighbors: int) -> Revision:
    place = entry["number"].number(1, neighbors) - 1
    context = entry["context"].text() if "context" in entry else None
    return Revision(place, context, _read_words(entry["tags"]) if "tags" in entry else None)


def _read_each(node: JsonNode, read: Callable[[JsonNode], T]) -> tuple[T, ...]:
    """Return the entries that can be read. Raises: ReplyError if there are entries and none can."""
    found, faults = node.each(read)
    if faults and not found:
        raise ReplyError(faults[0])
    return found


def _read_words(node: JsonNode) -> tuple[str, ...]:
    """Return a list of short texts, or a single one, each once, in order; what is too long is left out."""
    if isinstance(node.value, str):
        return tuple(word for part in node.text().split(",") if 0 < len(word := part.strip()) <= _LONGEST)
    return tuple(dict.fromkeys(word for word in _read_each(node, _read_word) if word))


def _read_word(entry: JsonNode) -> str:
    word = entry.text()
    if len(word) > _LONGEST:
        raise entry.error("a short text")
    return word
