"""What the offline model knows about LoCoMo's frame: find the line that shares the question's rare words, cut a span.

It reads the messages of the call and nothing else: no gold, no category. A question whose words the memory does not
hold, or holds in the mouth of the other speaker, is refused.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from adapters.answering.dates import Span, parse_day, parse_span, resolve, without_dates
from adapters.answering.stemming import stem
from adapters.answering.words import plain_words, stems
from bench.types import Message

__all__ = ["RULES", "LocomoAnswerer"]

_FRAME = "You answer questions about a long conversation between two people."
_REFUSAL = "not mentioned"
_MEMORY, _QUESTION = "# Memory\n", "# Question\n"
_LINE = re.compile(r"^(?:\[([^\]]*)\] )?(?:([^\s:\[][^:]{0,30}): )?(.*)$")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+| - |\[shares |\]$")
_WHEN = re.compile(r"^(?:when|(?:in )?(?:which|what) (?:year|month|date|day)|since when)\b", re.I)
_YEAR_ASKED = re.compile(r"\byear\b", re.I)
_POLAR = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|would|will|can|could|might)\b", re.I)
_ENOUGH = 0.45
"""The least share of the question's weight that a line and its neighbours must hold."""
_NEW, _ENOUGH_NEW = 1.5, 4
"""What a new word of a sentence is worth, and how many count."""
_SPAN_WORDS = 12
_ASKED, _SMALL, _FOLLOWS = -0.5, -0.3, 1.0
"""What a span gains by a word of the question, by a small word, and by standing behind the question's words."""


@dataclass(frozen=True, slots=True)
class _Line:
    said_on: date | None
    speaker: str
    text: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Memory:
    lines: tuple[_Line, ...]
    seen_in: Counter[str]
    speakers: frozenset[str]

    def weight(self, word: str) -> float:
        return math.log(1 + len(self.lines) / (0.5 + self.seen_in[word]))


@dataclass(frozen=True, slots=True)
class _Find:
    index: int
    points: float
    share: float


@lru_cache(maxsize=16384)
def _line(text: str) -> _Line:
    found = _LINE.match(text)
    assert found is not None  # every group of the pattern may be empty
    return _Line(parse_day(found[1] or ""), (found[2] or "").strip(), found[3], frozenset(stems(found[3])))


@lru_cache(maxsize=8)
def _memory(text: str) -> _Memory:
    lines = tuple(_line(line) for line in text.splitlines() if line.strip())
    seen = Counter(word for line in lines for word in line.stems)
    return _Memory(lines, seen, frozenset(line.speaker.lower() for line in lines if line.speaker))


class LocomoAnswerer:
    """Answers from the best supported line of the memory, or refuses."""

    def matches(self, messages: Sequence[Message], role: str) -> bool:
        return role == "answer" and bool(messages) and messages[0].content.startswith(_FRAME)

    def reply(self, messages: Sequence[Message], _role: str) -> str:
        before, _, asked = messages[-1].content.rpartition(_QUESTION)
        question = asked.strip().split("\n", 1)[0]
        memory = _memory(before.partition(_MEMORY)[2].strip())
        return f"Answer: {_answer(question, memory)}"


def _answer(question: str, memory: _Memory) -> str:
    names = {word for word in plain_words(question) if word in memory.speakers}
    span = None if _WHEN.match(question) else parse_span(question)
    bare = without_dates(question) if span else question
    wanted = frozenset(stems(bare)) - {stem(name) for name in names}
    found = _best(wanted, names, span, memory)
    if found is None or found.share < _ENOUGH:
        return _REFUSAL
    line = memory.lines[found.index]
    if _WHEN.match(question) and line.said_on:
        when = resolve(_sentence(line.text, wanted, memory), line.said_on)
        return when.split()[-1] if _YEAR_ASKED.search(question) else when
    if _POLAR.match(question):
        return "yes"
    return _span(line.text, wanted, memory) or _REFUSAL


def _best(wanted: frozenset[str], names: set[str], span: Span | None, memory: _Memory) -> _Find | None:
    """Return the line with the most weight of the question's words; its neighbours count for less."""
    weights = {word: memory.weight(word) for word in sorted(wanted)}
    total = sum(weights.values())
    own = [sum(weights[word] for word in sorted(line.stems & wanted)) for line in memory.lines]
    best: _Find | None = None
    for index, line in enumerate(memory.lines):
        points = own[index]
        if index and memory.lines[index - 1].said_on == line.said_on:
            missing = (memory.lines[index - 1].stems & wanted) - line.stems
            points += 0.4 * sum(weights[word] for word in sorted(missing))
        share = points / total if total else 0.0
        if names and line.speaker:
            points *= 1.0 if line.speaker.lower() in names else 0.75
        if span and line.said_on:
            points *= 1.0 if span.first <= line.said_on <= span.last else 0.5
        if points > 0 and (best is None or points > best.points):
            best = _Find(index, points, share)
    if best and len(names) == 1 and (speaker := memory.lines[best.index].speaker) and speaker.lower() not in names:
        return None
    return best


def _sentence(text: str, wanted: frozenset[str], memory: _Memory) -> str:
    """Return the sentence with the most weight of the question's words that says something new beside them."""

    def points(piece: str) -> float:
        held = frozenset(stems(piece))
        return sum(memory.weight(word) for word in sorted(wanted & held)) + _NEW * min(_ENOUGH_NEW, len(held - wanted))

    return max([piece for piece in _SENTENCE.split(text) if piece.strip()] or [text], key=points)


def _span(text: str, wanted: frozenset[str], memory: _Memory) -> str:
    """Return the stretch of the best sentence that says most that is new, next to what was asked."""
    sentence = _sentence(text, wanted, memory)
    words = sentence.split()
    gains = [_gain(word, wanted) for word in words]
    asked = [gain == _ASKED for gain in gains]
    best, chosen = 0.0, ""
    for start in range(len(words)):
        follows = any(asked[max(0, start - 3) : start])
        for end in range(start + 1, min(len(words), start + _SPAN_WORDS) + 1):
            gain = sum(gains[start:end]) + (_FOLLOWS if follows else 0.0)
            if gain > best:
                best, chosen = gain, " ".join(words[start:end])
    return chosen.strip('.,!?;:-()" ')


def _gain(word: str, wanted: frozenset[str]) -> float:
    """A new word adds, a small word costs little, a word of the question costs more."""
    held = stems(word)
    if not held:
        return _SMALL
    return _ASKED if wanted & set(held) else 1.0


RULES = (LocomoAnswerer(),)
