"""What stood in a list that the assistant gave: the item of a number, or the item that a sentence is about."""

from __future__ import annotations

import re

from adapters.longmemeval.offline.history import ASSISTANT, History
from adapters.shared.answering.asking import Asked
from adapters.shared.answering.finding import Find
from adapters.shared.answering.words import word_stems

__all__ = ["headed", "numbered"]

_ORDINAL = re.compile(r"\b(\d{1,3})(?:st|nd|rd|th)\b")
_ITEM = re.compile(r"^(?:\d{1,3}\.|[*•+-])\s+(.+)$")
_HEAD = re.compile(r"^[*\"“'_]*([A-Z0-9][^:]{1,70}?)[*\"”'_]*(?::[*]*(?: |$)|$)")
_BACK = 4
"""How many sentences an item may be long before the one that was found."""
_HEAD_WORDS = 8


def numbered(asked: Asked, history: History) -> str:
    """Return the item of the number that the question names; empty if it names none or no list has it."""
    ordinal = _ORDINAL.search(asked.text)
    if not ordinal:
        return ""
    for one in history.find(asked):
        line = history.memory.lines[one.line]
        if line.speaker.lower() == ASSISTANT:
            for piece in line.pieces:
                if piece.text.startswith(f"{ordinal[1]}. "):
                    return piece.text.removeprefix(f"{ordinal[1]}. ").strip("*. ")
    return ""


def headed(found: Find, asked: Asked, history: History) -> str:
    """Return the heading of the list item in which a sentence stands; empty if it stands in none."""
    line = history.memory.lines[found.line]
    for place in range(found.piece, max(-1, found.piece - _BACK), -1):
        item = _ITEM.match(line.pieces[place].text)
        head = _HEAD.match(item[1]) if item else None
        if item:
            if not head or len(head[1].split()) > _HEAD_WORDS or word_stems(head[1]) <= asked.wanted:
                return ""
            return head[1].strip("*. ")
    return ""
