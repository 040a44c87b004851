"""Topics of synthetic conversations: values, phrasings and questions, from the text files in ``wording/``.

A topic's kind says what its questions ask: a fact, something in a picture, the latest state of something that changes,
what was corrected, when something happened, a list, or an inference. Knows no person and no conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

__all__ = ["KINDS", "Topic", "load_grammar", "load_names", "load_topics"]

KINDS = ("facts", "pictures", "updates", "corrections", "events", "plans", "lists", "inferences", "origins")
_WORDING = Path(__file__).parent / "wording"
_FIELDS = {"say", "then", "ask", "before", "both", "reference_answer", "cue", "caption", "value"}


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing a person can talk about. In texts ``{v}`` is the value, ``{old}`` an earlier one, ``{when}`` a date."""

    key: str
    kind: str
    values: tuple[str, ...] = ()
    say: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    """Statements for a value that has changed, or was wrong."""
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


def _read_blocks(file: str) -> Iterator[_Block]:
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
def load_topics(kind: str) -> tuple[Topic, ...]:
    """Return the topics of one kind, in the order of their file."""
    return tuple(_build_topic(block, kind) for block in _read_blocks(f"{kind}.txt"))


def _build_topic(block: _Block, kind: str) -> Topic:
    texts_of: dict[str, list[str]] = {name: [] for name in sorted(_FIELDS)}
    for line in block.lines:
        name, _, text = line.partition(": ")
        texts_of[name] += [value.strip() for value in text.split(" | ")] if name == "value" else [text]
    values = tuple(texts_of.pop("value"))
    return Topic(block.name, kind, values, **{name: tuple(texts) for name, texts in texts_of.items()})


@cache
def load_names() -> tuple[str, ...]:
    """Return the first names that people can have."""
    return tuple((_WORDING / "names.txt").read_text(encoding="utf-8").split())


@cache
def load_grammar() -> dict[str, tuple[str, ...]]:
    """Return the grammar of small talk: the alternatives of each symbol."""
    return {block.name: tuple(block.lines) for block in _read_blocks("smalltalk.txt")}
