"""The offline model's rule for LoCoMo: answer about one of two people from the memory, or refuse.

It reads the messages of the call and nothing else: no reference answer, no category. Sentences are found and answers
extracted by ``adapters.shared.answering``. It refuses if the memory lacks the question's keywords, or if the best
sentence is by the other person.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from adapters.locomo.offline.people import find_unseen_names
from adapters.shared.answering.dates import find_date
from adapters.shared.answering.finding import Match, find_matches, pick_sources
from adapters.shared.answering.memory import MemoryText, read_memory
from adapters.shared.answering.patterns import fits
from adapters.shared.answering.question import Kind, ParsedQuestion, parse_question, read_prompt
from adapters.shared.answering.spans import extract_answer, find_dated_piece
from bench.types import Message

__all__ = ["RULES", "LocomoAnswerer"]

_FRAME = "You answer questions about a long conversation between two people."
_REFUSAL = "not mentioned"
_ENOUGH, _ENOUGH_OF_ONE, _MANY_LINES = 0.45, 0.1, 10
"""The least share of the question's weight that a sentence and those around it must contain: for a memory of
``_MANY_LINES`` or more, and for one line. Among many lines some contain part of any question by chance; a single line
was selected for this question."""
_LINES, _LINES_OF_SEVERAL = 3, 5
_DENIAL = re.compile(r"\b(?:not|never|no)\b|n['’]t\b", re.IGNORECASE)


class LocomoAnswerer:
    """Answers from the best lines of the memory, or refuses."""

    role = "answer"
    header = _FRAME

    def reply(self, messages: Sequence[Message]) -> str:
        prompt = read_prompt(messages)
        memory = read_memory(prompt.memory)
        people = memory.people | find_unseen_names(prompt.question, memory)
        return f"Answer: {_answer(parse_question(prompt.question, people), memory)}"


def _answer(question: ParsedQuestion, memory: MemoryText) -> str:
    matches = find_matches(memory, question, lambda piece: fits(question.kind, piece.text))
    if (
        not matches
        or matches[0].share < _least_share(len(memory.lines))
        or _is_by_other_person(matches[0], question, memory)
    ):
        return _REFUSAL
    line = memory.lines[matches[0].line]
    best = line.pieces[matches[0].piece]
    if question.kind in (Kind.WHEN, Kind.YEAR) and (
        day := find_date(find_dated_piece(line, matches[0].piece), line.said_on)
    ):
        return day.split()[-1] if question.kind is Kind.YEAR else day
    if question.kind is Kind.POLAR:
        return "no" if _DENIAL.search(best.text) else "yes"
    count = _LINES_OF_SEVERAL if question.several else _LINES
    return extract_answer(pick_sources(memory, question, matches, count), question) or _REFUSAL


def _least_share(lines: int) -> float:
    """Return the share that a memory of so many lines must contain."""
    share = _ENOUGH_OF_ONE + (_ENOUGH - _ENOUGH_OF_ONE) * math.log(lines) / math.log(_MANY_LINES)
    return min(_ENOUGH, share)


def _is_by_other_person(best: Match, question: ParsedQuestion, memory: MemoryText) -> bool:
    owner = memory.owner(memory.lines[best.line], best.piece)
    return len(question.names) == 1 and owner != "" and owner not in question.names


RULES = (LocomoAnswerer(),)
