"""Items of a list that the assistant gave: the item of a number, or the heading of the item around a sentence."""

from __future__ import annotations

import re

from adapters.longmemeval.offline.history import ASSISTANT, History
from adapters.shared.answering.finding import Match
from adapters.shared.answering.question import ParsedQuestion
from adapters.shared.answering.words import word_stems

__all__ = ["find_heading", "find_item"]

_ORDINAL = re.compile(r"\b(\d{1,3})(?:st|nd|rd|th)\b")
_ITEM = re.compile(r"^(?:\d{1,3}\.|[*•+-])\s+(.+)$")
_HEAD = re.compile(r"^[*\"“'_]*([A-Z0-9][^:]{1,70}?)[*\"”'_]*(?::[*]*(?: |$)|$)")
_BACK = 4
"""How many sentences back the start of the item is searched."""
_HEAD_WORDS = 8


def find_item(question: ParsedQuestion, history: History) -> str:
    """Return the item whose number the question names; empty if it names none or no list has it."""
    ordinal = _ORDINAL.search(question.text)
    if not ordinal:
        return ""
    for one in history.find(question):
        line = history.memory.lines[one.line]
        if line.speaker.lower() == ASSISTANT:
            for piece in line.pieces:
                if piece.text.startswith(f"{ordinal[1]}. "):
                    return piece.text.removeprefix(f"{ordinal[1]}. ").strip("*. ")
    return ""


def find_heading(found: Match, question: ParsedQuestion, history: History) -> str:
    """Return the heading of the list item that contains a sentence; empty if none does."""
    line = history.memory.lines[found.line]
    for place in range(found.piece, max(-1, found.piece - _BACK), -1):
        item = _ITEM.match(line.pieces[place].text)
        head = _HEAD.match(item[1]) if item else None
        if item:
            if not head or len(head[1].split()) > _HEAD_WORDS or word_stems(head[1]) <= question.keywords:
                return ""
            return head[1].strip("*. ")
    return ""
