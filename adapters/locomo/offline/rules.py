"""The offline model's rule for LoCoMo: answer about one of two people from the memory, or refuse.

It reads the messages of the call and nothing else: no reference answer, no category. Sentences are found and answers
extracted by ``adapters.shared.answering``. It refuses if the memory lacks the question's keywords, or if the best
sentence is by the other person.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.locomo.offline.people import find_unseen_names
from adapters.shared.answering.answerer import find_answer
from adapters.shared.answering.finding import Match
from adapters.shared.answering.memory import MemoryText, read_memory
from adapters.shared.answering.question import ParsedQuestion, parse_question, read_prompt
from bench.types import Message

__all__ = ["RULES", "LocomoAnswerer"]

_FRAME = "You answer questions about a long conversation between two people."
_REFUSAL = "not mentioned"


class LocomoAnswerer:
    """Answers from the best lines of the memory, or refuses."""

    role = "answer"
    header = _FRAME

    def reply(self, messages: Sequence[Message]) -> str:
        prompt = read_prompt(messages)
        memory = read_memory(prompt.memory)
        question = parse_question(prompt.question, memory.people | find_unseen_names(prompt.question, memory))
        answer = find_answer(question, memory, lambda best: not _is_by_other_person(best, question, memory))
        return f"Answer: {answer or _REFUSAL}"


def _is_by_other_person(best: Match, question: ParsedQuestion, memory: MemoryText) -> bool:
    owner = memory.owner(memory.lines[best.line], best.piece)
    return len(question.names) == 1 and owner != "" and owner not in question.names


RULES = (LocomoAnswerer(),)
