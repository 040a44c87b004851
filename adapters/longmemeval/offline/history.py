"""A chat history as the offline model searches it: lines of the user or the assistant, and the newest of equal ones."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from adapters.shared.answering.finding import Match, find_matches
from adapters.shared.answering.memory import MemoryText, Piece
from adapters.shared.answering.patterns import SHORT_KINDS, fits
from adapters.shared.answering.question import ParsedQuestion, parse_question
from adapters.shared.answering.words import stems, word_stems

__all__ = ["ASSISTANT", "History", "pick_newest"]

_ENOUGH, _ENOUGH_OF_ONE, _MANY_LINES = 0.4, 0.1, 10
"""The least share of the question's weight that a sentence and those around it must contain: for a memory of
``_MANY_LINES`` or more, and for one line. Among many lines some contain part of any question by chance; a single line
was selected for this question."""
_AS_GOOD, _TYPED_AS_GOOD = 0.85, 0.7
"""The points of a newer sentence, relative to the best, that let it win; the second value if it has the asked kind."""
_HOLDS = 0.5
"""The same for a sentence with a short thing of the asked kind, relative to one without."""
ASSISTANT = "assistant"
_CONVERSATION_WORDS = frozenset(stems((Path(__file__).parent / "talk_words.txt").read_text(encoding="utf-8")))
_ASKS_ASSISTANT = re.compile(
    r"\byou (?:\w+ ){0,2}(?:told|said|mentioned|recommended|suggested|provided|gave|wrote|created|listed|shared|used)\b"
    r"|\bremind me\b|\bprevious (?:chat|conversation|discussion)|\bwe (?:\w+ )?(?:discussed|talked|outlined|decided)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:previous(?:ly)?|initial(?:ly)?|originally|earlier|used to|at first|former|started?)\b", re.I
)
_NAME = re.compile(r"(?<=[a-z,] )[\"'‘“]?([A-Z][\w’'-]*)")


class History:
    """A memory of a user and an assistant."""

    def __init__(self, memory: MemoryText):
        self.memory = memory
        share = _ENOUGH_OF_ONE + (_ENOUGH - _ENOUGH_OF_ONE) * math.log(max(1, len(memory.lines))) / math.log(
            _MANY_LINES
        )
        self.enough = min(_ENOUGH, share)
        """The least share of the question's weight in a sentence that supports an answer."""

    @property
    def caution(self) -> float:
        """The required share relative to that of a long history, in 0..1."""
        return self.enough / _ENOUGH

    def asks_assistant(self, question: str) -> bool:
        """True if a question asks for what the assistant said."""
        return bool(_ASKS_ASSISTANT.search(question))

    def parse(self, text: str) -> ParsedQuestion:
        """Return a parsed question without keywords about the conversation itself, unless it has no others."""
        question = parse_question(text, frozenset())
        return replace(question, keywords=question.keywords - _CONVERSATION_WORDS or question.keywords)

    def find(self, question: ParsedQuestion) -> list[Match]:
        """Return the matches, best first: of the user's lines, or of the assistant's if the question asks for those."""
        matches = find_matches(self.memory, question, lambda piece: fits(question.kind, piece.text))
        from_assistant = self.asks_assistant(question.text)
        own = [one for one in matches if (self.speaker(one) == ASSISTANT) == from_assistant]
        return own if own and own[0].share >= self.enough else matches

    def speaker(self, found: Match) -> str:
        """Return the speaker in lower case; empty for a line without one."""
        return self.memory.lines[found.line].speaker.lower()

    def piece(self, found: Match) -> Piece:
        return self.memory.lines[found.line].pieces[found.piece]

    def find_day(self, found: Match) -> date | None:
        return self.memory.lines[found.line].said_on

    def lacks_name(self, question: ParsedQuestion) -> bool:
        """True if the question names something that a long memory does not contain."""
        if self.caution < 1:
            return False
        named = [word_stems(name) & question.keywords for name in _NAME.findall(question.text)]
        return any(
            stems_of_name and not any(stem in self.memory.lines_with for stem in stems_of_name)
            for stems_of_name in named
        )


def pick_newest(matches: Sequence[Match], question: ParsedQuestion, memory: MemoryText) -> Match:
    """Return the newest of the sentences that are about as good as the best; the oldest if the question looks back.

    If the question asks for a short thing (a number, a time), sentences that contain one come first.
    """
    best, as_good = matches[0].points, _AS_GOOD
    if question.kind in SHORT_KINDS:
        holding = [one for one in matches if fits(question.kind, memory.lines[one.line].pieces[one.piece].text)]
        if holding and holding[0].points >= _HOLDS * best:
            matches, best, as_good = holding, holding[0].points, _TYPED_AS_GOOD
    good = [one for one in matches if one.points >= as_good * best]
    sign = -1 if _BEFORE.search(question.text) else 1
    days = [(memory.lines[one.line].said_on or date.min).toordinal() * sign for one in good]
    return good[max(range(len(good)), key=lambda at: (days[at], good[at].points))]
