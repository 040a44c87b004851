"""The offline model's answer to a question from the text of a memory: the best lines, or nothing.

Knows no suite. It reads the question and the memory alone; which words begin a prompt and which refuse is for the rule
of a suite.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from adapters.shared.answering.dates import find_date
from adapters.shared.answering.finding import Match, find_matches, pick_sources
from adapters.shared.answering.memory import MemoryText
from adapters.shared.answering.patterns import fits
from adapters.shared.answering.question import Kind, ParsedQuestion
from adapters.shared.answering.spans import extract_answer, find_dated_piece

__all__ = ["find_answer"]

_ENOUGH, _ENOUGH_OF_ONE, _MANY_LINES = 0.45, 0.1, 10
"""The least share of the question's weight that a sentence and those around it must contain: for a memory of
``_MANY_LINES`` or more, and for one line. Among many lines some contain part of any question by chance; a single line
was selected for this question."""
_LINES, _LINES_OF_SEVERAL = 3, 5
_DENIAL = re.compile(r"\b(?:not|never|no)\b|n['’]t\b", re.IGNORECASE)


def find_answer(
    question: ParsedQuestion, memory: MemoryText, supports: Callable[[Match], bool] = lambda _: True
) -> str:
    """Return the answer; empty if the memory lacks the question's keywords, or its best sentence does not support it.

    ``supports``: what a suite asks of the best sentence beyond that.
    """
    matches = find_matches(memory, question, lambda piece: fits(question.kind, piece.text))
    if not matches or matches[0].share < _least_share(len(memory.lines)) or not supports(matches[0]):
        return ""
    line = memory.lines[matches[0].line]
    best = line.pieces[matches[0].piece]
    if question.kind in (Kind.WHEN, Kind.YEAR) and (
        day := find_date(find_dated_piece(line, matches[0].piece), line.said_on)
    ):
        return day.split()[-1] if question.kind is Kind.YEAR else day
    if question.kind is Kind.POLAR:
        return "no" if _DENIAL.search(best.text) else "yes"
    count = _LINES_OF_SEVERAL if question.several else _LINES
    return extract_answer(pick_sources(memory, question, matches, count), question)


def _least_share(lines: int) -> float:
    """Return the share that a memory of so many lines must contain."""
    share = _ENOUGH_OF_ONE + (_ENOUGH - _ENOUGH_OF_ONE) * math.log(lines) / math.log(_MANY_LINES)
    return min(_ENOUGH, share)
