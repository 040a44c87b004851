"""What the offline model knows about LoCoMo's frame: two people talk, and what the other one said is no answer.

It reads the messages of the call and nothing else: no gold, no category. Finding and cutting are those of
``adapters.shared.answering``; a question whose words the memory does not hold, or holds in the mouth of the other
person, is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from adapters.locomo.offline.people import unheard
from adapters.shared.answering.asking import Asked, Kind, ask, read_prompt
from adapters.shared.answering.dates import when
from adapters.shared.answering.finding import Find, find, sources
from adapters.shared.answering.memory import MemoryText, read_memory
from adapters.shared.answering.spans import answer_span, dated_piece, fits
from bench.types import Message

__all__ = ["RULES", "LocomoAnswerer"]

_FRAME = "You answer questions about a long conversation between two people."
_REFUSAL = "not mentioned"
_ENOUGH, _ENOUGH_OF_ONE, _MANY_LINES = 0.45, 0.1, 10
"""The least share of the question's weight that a sentence and those around it must hold: of many lines, and of one.
Among many, some hold a good part of any question by chance; a line that stands alone was put there for a reason."""
_LINES, _LINES_OF_SEVERAL = 3, 5
_DENIES = re.compile(r"\b(?:not|never|no)\b|n['’]t\b", re.IGNORECASE)


class LocomoAnswerer:
    """Answers from the best supported lines of the memory, or refuses."""

    role = "answer"
    header = _FRAME

    def reply(self, messages: Sequence[Message]) -> str:
        prompt = read_prompt(messages)
        memory = read_memory(prompt.memory)
        people = memory.people | unheard(prompt.question, memory)
        return f"Answer: {_answer(ask(prompt.question, people), memory)}"


def _answer(asked: Asked, memory: MemoryText) -> str:
    finds = find(memory, asked, lambda piece: fits(asked.kind, piece.text))
    if not finds or finds[0].share < _enough(len(memory.lines)) or _is_the_others(finds[0], asked, memory):
        return _REFUSAL
    line = memory.lines[finds[0].line]
    best = line.pieces[finds[0].piece]
    if asked.kind in (Kind.WHEN, Kind.YEAR) and (day := when(dated_piece(line, finds[0].piece), line.said_on)):
        return day.split()[-1] if asked.kind is Kind.YEAR else day
    if asked.kind is Kind.POLAR:
        return "no" if _DENIES.search(best.text) else "yes"
    count = _LINES_OF_SEVERAL if asked.several else _LINES
    return answer_span(sources(memory, asked, finds, count), asked) or _REFUSAL


def _enough(lines: int) -> float:
    """Return the share that a memory of so many lines has to hold."""
    grown = _ENOUGH_OF_ONE + (_ENOUGH - _ENOUGH_OF_ONE) * math.log(lines) / math.log(_MANY_LINES)
    return min(_ENOUGH, grown)


def _is_the_others(best: Find, asked: Asked, memory: MemoryText) -> bool:
    owner = memory.owner(memory.lines[best.line], best.piece)
    return len(asked.names) == 1 and owner != "" and owner not in asked.names


RULES = (LocomoAnswerer(),)
