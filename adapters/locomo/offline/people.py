"""The person a question is about when the memory has lines of only one of the two speakers.

Then the name of the other speaker is unknown. A name in the question counts as that of the other speaker if the lines
address somebody by it, or do not contain it at all; any other name in the lines is a third party (a dog, a friend).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.shared.answering.memory import MemoryText

__all__ = ["find_unseen_names"]

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


def find_unseen_names(question: str, memory: MemoryText) -> frozenset[str]:
    """Return the question's names for the other speaker, in lower case; empty if both speakers are known."""
    if len(memory.people) != 1:
        return frozenset()
    return frozenset(name.lower() for name in _find_subjects(question, memory) if _is_other_speaker(name, memory))


def _find_subjects(question: str, memory: MemoryText) -> Iterator[str]:
    for found in _SUBJECT.finditer(question):
        for name in filter(None, found.groups()):
            if name.lower() not in memory.people and name.lower() not in _NO_NAMES:
                yield name


def _is_other_speaker(name: str, memory: MemoryText) -> bool:
    escaped = re.escape(name)
    addressed = re.compile(rf"\b(?:{_GREETING}),?\s+{escaped}\b|,\s+{escaped}\s*[,.!?]|^{escaped}\s*[,!]")
    mentioned = re.compile(rf"\b{escaped}\b")
    texts = [line.text for line in memory.lines]
    return any(map(addressed.search, texts)) or not any(map(mentioned.search, texts))
