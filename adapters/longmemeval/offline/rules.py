"""The offline model's rule for LongMemEval: answer from a history of a user and an assistant, or refuse.

It reads the messages of the call and nothing else: no reference answer, no question type. Times are computed between
the two events that the question names; things are counted by the lines about them; of equal lines the newest wins; a
question for advice gets what the user said about it. All other answers are found and extracted by
``adapters.shared.answering``. It refuses if the memory lacks the question's keywords.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.longmemeval.offline.amounts import asks_amount, find_amount
from adapters.longmemeval.offline.history import ASSISTANT, History, pick_newest
from adapters.longmemeval.offline.lists import find_heading, find_item
from adapters.longmemeval.offline.times import compute_answer, find_on_day
from adapters.shared.answering.dates import find_date
from adapters.shared.answering.finding import Match, pick_sources
from adapters.shared.answering.memory import MemoryText, read_memory
from adapters.shared.answering.question import Kind, ParsedQuestion, Prompt, read_prompt
from adapters.shared.answering.spans import extract_answer, find_dated_piece
from bench.types import Message

__all__ = ["RULES", "LongMemEvalAnswerer"]

_FRAME = "You answer questions about the chat history between a user and an assistant."
_REFUSAL = "not mentioned"
_HEADING_KINDS = (Kind.NAME, Kind.THING, Kind.WHERE)
"""Kinds of question that the heading of a list item can answer."""
_ADVICE = re.compile(
    r"\b(?:recommend|suggest|suggestions?|recommendations?|advice|tips?|any ideas|what should i|do you think)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:not|never|no longer)\b|n['’]t\b", re.IGNORECASE)


class LongMemEvalAnswerer:
    """Answers from the best lines of the history, or refuses."""

    role = "answer"
    header = _FRAME

    def reply(self, messages: Sequence[Message]) -> str:
        prompt = read_prompt(messages)
        return f"Answer: {_answer(prompt, read_memory(prompt.memory)) or _REFUSAL}"


def _answer(prompt: Prompt, memory: MemoryText) -> str:
    """Return the answer; empty if there is none."""
    history = History(memory)
    question = history.parse(prompt.question)
    if _ADVICE.search(prompt.question) and not history.asks_assistant(prompt.question):
        return _advice(question, history)
    if history.lacks_name(question):
        return ""
    if (computed := compute_answer(prompt, history)) is not None:
        return computed
    if asks_amount(question) and not history.asks_assistant(prompt.question):
        return find_amount(question, history)
    if history.asks_assistant(prompt.question) and (item := find_item(question, history)):
        return item
    matches = find_on_day(question, prompt, history) or history.find(question)
    if not matches or matches[0].share < history.enough:
        return ""
    if (
        question.kind in _HEADING_KINDS
        and history.asks_assistant(prompt.question)
        and (head := find_heading(matches[0], question, history))
    ):
        return head
    return _extract(question, matches, memory)


def _extract(question: ParsedQuestion, matches: Sequence[Match], memory: MemoryText) -> str:
    best = pick_newest(matches, question, memory)
    line = memory.lines[best.line]
    text = line.pieces[best.piece].text
    if question.kind in (Kind.WHEN, Kind.YEAR) and (day := find_date(find_dated_piece(line, best.piece), line.said_on)):
        return day.split()[-1] if question.kind is Kind.YEAR else day
    if question.kind is Kind.POLAR:
        return "no" if _DENIAL.search(text) else "yes"
    return extract_answer(pick_sources(memory, question, [best], 1), question)


def _advice(question: ParsedQuestion, history: History) -> str:
    own = [one for one in history.find(question) if history.speaker(one) != ASSISTANT]
    pieces = [history.piece(one) for one in own[:6]]
    texts = [piece.text for piece in pieces if not piece.asks][:2]
    return f"Something that suits what you told me: {' '.join(texts)}" if texts else ""


RULES = (LongMemEvalAnswerer(),)
