"""What people of made-up conversations can talk about: topics, values, phrasings and questions, from text files.

A topic's kind says what its questions ask: a fact, something in a picture, the latest state of something that changes,
what was corrected, when something happened, a list, or an inference. This file knows no person and no conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

__all__ = ["KINDS", "Topic", "grammar", "names", "topics"]

KINDS = ("facts", "pictures", "updates", "corrections", "events", "plans", "lists", "inferences", "origins")
_WORDING = Path(__file__).parent / "wording"
_FIELDS = {"say", "then", "ask", "before", "both", "reference_answer", "cue", "caption", "value"}


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing a person can tell. In the texts ``{v}`` is the value, ``{old}`` an earlier one, ``{when}`` a date."""

    key: str
    kind: str
    values: tuple[str, ...] = ()
    say: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    """What is said when the value has changed, or was wrong."""
    ask: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    """The question about the earlier value."""
    both: tuple[str, ...] = ()
    """The question about what two people have in common."""
    reference_answer: tuple[str, ...] = ()
    cue: tuple[str, ...] = ()
    caption: tuple[str, ...] = ()


@dataclass(slots=True)
class _Block:
    name: str
    lines: list[str] = field(default_factory=list)


def _blocks(file: str) -> Iterator[_Block]:
    block = None
    for line in (_WORDING / file).read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\[(.+)\]", line):
            if block:
                yield block
            block = _Block(found[1])
        elif line and block:
            block.lines.append(line)
    if block:
        yield block


@cache
def topics(kind: str) -> tuple[Topic, ...]:
    """Return the topics of one kind, in the order of their file."""
    return tuple(_topic(block, kind) for block in _blocks(f"{kind}.txt"))


def _topic(block: _Block, kind: str) -> Topic:
    held: dict[str, list[str]] = {name: [] for name in sorted(_FIELDS)}
    for line in block.lines:
        name, _, text = line.partition(": ")
        held[name] += [value.strip() for value in text.split(" | ")] if name == "value" else [text]
    values = tuple(held.pop("value"))
    return Topic(block.name, kind, values, **{name: tuple(texts) for name, texts in held.items()})


@cache
def names() -> tuple[str, ...]:
    """Return the first names that people can have."""
    return tuple((_WORDING / "names.txt").read_text(encoding="utf-8").split())


@cache
def grammar() -> dict[str, tuple[str, ...]]:
    """Return the rules of small talk: what each symbol can be written as."""
    return {block.name: tuple(block.lines) for block in _blocks("smalltalk.txt")}
