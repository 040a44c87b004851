"""A chat history as the offline model of LongMemEval searches it: whose lines count, and which of equals is newest."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from adapters.shared.answering.asking import Asked, ask
from adapters.shared.answering.finding import Find, find
from adapters.shared.answering.memory import MemoryText, Piece
from adapters.shared.answering.spans import SHORT_KINDS, fits
from adapters.shared.answering.words import stems, word_stems

__all__ = ["ASSISTANT", "History", "newest"]

_ENOUGH, _ENOUGH_OF_ONE, _MANY_LINES = 0.4, 0.1, 10
"""The least share of a question's weight that a sentence and those around it must hold: of many lines, and of one.
Among many, some hold a good part of any question by chance; a line that stands alone was put there for a reason."""
_AS_GOOD, _TYPED_AS_GOOD = 0.85, 0.7
"""How good a newer sentence must be beside the best; the second for one that holds the kind of thing asked for."""
_HOLDS = 0.5
"""The same for a sentence that holds the short thing that is asked for, beside one that does not."""
ASSISTANT = "assistant"
_TALK_WORDS = frozenset(stems((Path(__file__).parent / "talk_words.txt").read_text(encoding="utf-8")))
_TOLD = re.compile(
    r"\byou (?:\w+ ){0,2}(?:told|said|mentioned|recommended|suggested|provided|gave|wrote|created|listed|shared|used)\b"
    r"|\bremind me\b|\bprevious (?:chat|conversation|discussion)|\bwe (?:\w+ )?(?:discussed|talked|outlined|decided)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:previous(?:ly)?|initial(?:ly)?|originally|earlier|used to|at first|former|started?)\b", re.I
)
_NAME = re.compile(r"(?<=[a-z,] )[\"'‘“]?([A-Z][\w’'-]*)")


class History:
    """A memory in which the user and the assistant speak."""

    def __init__(self, memory: MemoryText):
        self.memory = memory
        grown = _ENOUGH_OF_ONE + (_ENOUGH - _ENOUGH_OF_ONE) * math.log(max(1, len(memory.lines))) / math.log(
            _MANY_LINES
        )
        self.enough = min(_ENOUGH, grown)
        """The least share of a question's weight that supports an answer."""

    @property
    def caution(self) -> float:
        """How much of the care that a long history takes is due here, in 0..1."""
        return self.enough / _ENOUGH

    def asks_assistant(self, question: str) -> bool:
        """True if a question asks for what the assistant said."""
        return bool(_TOLD.search(question))

    def ask(self, question: str) -> Asked:
        """Return a question as the finder takes it; words about the talk itself find nothing."""
        asked = ask(question, frozenset())
        return replace(asked, wanted=asked.wanted - _TALK_WORDS or asked.wanted)

    def find(self, asked: Asked) -> list[Find]:
        """Return what supports an answer, best first: of the user's own lines, unless it is the assistant's word."""
        finds = find(self.memory, asked, lambda piece: fits(asked.kind, piece.text))
        from_assistant = self.asks_assistant(asked.text)
        own = [one for one in finds if (self.speaker(one) == ASSISTANT) == from_assistant]
        return own if own and own[0].share >= self.enough else finds

    def speaker(self, found: Find) -> str:
        """Return who said it, in lower case; empty where nobody is named."""
        return self.memory.lines[found.line].speaker.lower()

    def piece(self, found: Find) -> Piece:
        return self.memory.lines[found.line].pieces[found.piece]

    def said_on(self, found: Find) -> date | None:
        return self.memory.lines[found.line].said_on

    def lacks_name(self, asked: Asked) -> bool:
        """True if the question names something that is nowhere in the memory; a few lines need not repeat a name."""
        if self.caution < 1:
            return False
        named = [word_stems(name) & asked.wanted for name in _NAME.findall(asked.text)]
        return any(held and not any(stem in self.memory.found_in for stem in held) for held in named)


def newest(finds: Sequence[Find], asked: Asked, memory: MemoryText) -> Find:
    """Return the newest of the sentences that are about as good as the best; the oldest where a question looks back.

    Where a short thing is asked for, those come first that hold one.
    """
    best, as_good = finds[0].points, _AS_GOOD
    if asked.kind in SHORT_KINDS:
        holding = [one for one in finds if fits(asked.kind, memory.lines[one.line].pieces[one.piece].text)]
        if holding and holding[0].points >= _HOLDS * best:
            finds, best, as_good = holding, holding[0].points, _TYPED_AS_GOOD
    good = [one for one in finds if one.points >= as_good * best]
    sign = -1 if _BEFORE.search(asked.text) else 1
    days = [(memory.lines[one.line].said_on or date.min).toordinal() * sign for one in good]
    return good[max(range(len(good)), key=lambda at: (days[at], good[at].points))]
