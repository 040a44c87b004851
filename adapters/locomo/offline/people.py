"""Whom a question is about when the memory shows but one of the two who talk.

A few lines of one person do not tell what the other is called. A name in the question is taken for the other's if the
lines address somebody by it, or do not hold it at all; a name that they speak of is a third one's (a dog, a friend).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.shared.answering.memory import MemoryText

__all__ = ["unheard"]

_BEFORE_A_SUBJECT = (
    r"did|does|do|has|have|had|is|are|was|were|will|would|can|could|might|should|that|for|to|of|by|when|with|from|if"
)
_SUBJECT = re.compile(
    rf"\b(?:{_BEFORE_A_SUBJECT})\s+([A-Z][a-z]+)\b|\b([A-Z][a-z]+)['’]s\b"
    r"|\b([A-Z][a-z]+)(?= (?:and|have|has|had|did|said|made|got)\b)"
)
_GREETING = (
    r"Hey|Hi|Hello|Bye|Thanks|Thank you|Sorry|Congrats|Yeah|Yep|Yes|No|Oh|Wow|Sure|Cool|Nice|Great|Awesome|Absolutely"
    r"|Definitely|Totally"
)
_MONTHS = "January February March April May June July August September October November December"
_NO_NAMES = frozenset(f"{_MONTHS} What Which Who How Where When Why".lower().split())


def unheard(question: str, memory: MemoryText) -> frozenset[str]:
    """Return the names in the question, in lower case, that are the other person's; empty if both have been heard."""
    if len(memory.people) != 1:
        return frozenset()
    return frozenset(name.lower() for name in _named(question, memory) if _is_the_other(name, memory))


def _named(question: str, memory: MemoryText) -> Iterator[str]:
    for found in _SUBJECT.finditer(question):
        for name in filter(None, found.groups()):
            if name.lower() not in memory.people and name.lower() not in _NO_NAMES:
                yield name


def _is_the_other(name: str, memory: MemoryText) -> bool:
    whole = re.escape(name)
    addressed = re.compile(rf"\b(?:{_GREETING}),?\s+{whole}\b|,\s+{whole}\s*[,.!?]|^{whole}\s*[,!]")
    told_of = re.compile(rf"\b{whole}\b")
    texts = [line.text for line in memory.lines]
    return any(map(addressed.search, texts)) or not any(map(told_of.search, texts))
