"""The offline model's rule for any set of questions: answer from the best lines of the memory, or refuse.

It reads the messages of the call and nothing else. Sentences are found and answers extracted by
``adapters.shared.answering``.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.shared.answering.answerer import find_answer
from adapters.shared.answering.memory import read_memory
from adapters.shared.answering.question import parse_question, read_prompt
from bench.types import Message

__all__ = ["RULES", "GeneralAnswerer"]

_FRAME = "You answer questions about conversations and texts that you have seen before."
_REFUSAL = "not mentioned"


class GeneralAnswerer:
    """Answers from the best lines of the memory, or refuses."""

    role = "answer"
    header = _FRAME

    def reply(self, messages: Sequence[Message]) -> str:
        prompt = read_prompt(messages)
        memory = read_memory(prompt.memory)
        answer = find_answer(parse_question(prompt.question, memory.people), memory)
        return f"Answer: {answer or _REFUSAL}"


RULES = (GeneralAnswerer(),)
