"""What the offline model knows about LongMemEval's frame: a user and an assistant, and the newest word holds.

It reads the messages of the call and nothing else: no gold, no type of question. Lengths of time are counted between
what two phrases of the question find, things by the lines that tell of them; of equal lines the newest answers; who
asks for advice hears what they have told about it. Everything else is found and cut as in any memory
(``adapters.shared.answering``), and a question whose words the memory does not hold is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.longmemeval.offline.amounts import counted, is_amount
from adapters.longmemeval.offline.history import ASSISTANT, History, newest
from adapters.longmemeval.offline.lists import headed, numbered
from adapters.longmemeval.offline.times import told_then, worked_out
from adapters.shared.answering.asking import Asked, Kind, Prompt, read_prompt
from adapters.shared.answering.dates import when
from adapters.shared.answering.finding import Find, sources
from adapters.shared.answering.memory import MemoryText, read_memory
from adapters.shared.answering.spans import answer_span, dated_piece
from bench.types import Message

__all__ = ["RULES", "LongMemEvalAnswerer"]

_FRAME = "You answer questions about the chat history between a user and an assistant."
_REFUSAL = "not mentioned"
_HEADED = (Kind.NAME, Kind.THING, Kind.WHERE)
"""What the heading of a list item can answer."""
_ADVICE = re.compile(
    r"\b(?:recommend|suggest|suggestions?|recommendations?|advice|tips?|any ideas|what should i|do you think)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|never|no longer)\b|n['’]t\b", re.IGNORECASE)


class LongMemEvalAnswerer:
    """Answers from the best supported lines of the history, or refuses."""

    role = "answer"
    header = _FRAME

    def reply(self, messages: Sequence[Message]) -> str:
        prompt = read_prompt(messages)
        return f"Answer: {_answer(prompt, read_memory(prompt.memory)) or _REFUSAL}"


def _answer(prompt: Prompt, memory: MemoryText) -> str:
    """Return the answer; empty if there is none."""
    history = History(memory)
    asked = history.ask(prompt.question)
    if _ADVICE.search(prompt.question) and not history.asks_assistant(prompt.question):
        return _advice(asked, history)
    if history.lacks_name(asked):
        return ""
    if (worked := worked_out(prompt, history)) is not None:
        return worked
    if is_amount(asked) and not history.asks_assistant(prompt.question):
        return counted(asked, history)
    if history.asks_assistant(prompt.question) and (item := numbered(asked, history)):
        return item
    finds = told_then(asked, prompt, history) or history.find(asked)
    if not finds or finds[0].share < history.enough:
        return ""
    if asked.kind in _HEADED and history.asks_assistant(prompt.question) and (head := headed(finds[0], asked, history)):
        return head
    return _plain(asked, finds, memory)


def _plain(asked: Asked, finds: Sequence[Find], memory: MemoryText) -> str:
    best = newest(finds, asked, memory)
    line = memory.lines[best.line]
    text = line.pieces[best.piece].text
    if asked.kind in (Kind.WHEN, Kind.YEAR) and (day := when(dated_piece(line, best.piece), line.said_on)):
        return day.split()[-1] if asked.kind is Kind.YEAR else day
    if asked.kind is Kind.POLAR:
        return "no" if _DENIES.search(text) else "yes"
    return answer_span(sources(memory, asked, [best], 1), asked)


def _advice(asked: Asked, history: History) -> str:
    own = [one for one in history.find(asked) if history.speaker(one) != ASSISTANT]
    told = [history.piece(one) for one in own[:6]]
    kept = [piece.text for piece in told if not piece.asks][:2]
    return f"Something that suits what you told me: {' '.join(kept)}" if kept else ""


RULES = (LongMemEvalAnswerer(),)
