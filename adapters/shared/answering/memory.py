"""A memory as a prompt shows it, read into dated lines, their sentences and an index from stems to sentences.

Any text will do: raw turns (``[8 May, 2023] Ann: I moved.``), facts without a speaker, bullets, notes with lines of
keywords or tags, headings with or without a date, source marks at either end. Knows no question and no suite.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from adapters.shared.answering.dates import parse_day
from adapters.shared.answering.words import stems, word_stems

__all__ = ["Line", "MemoryText", "Piece", "read_memory"]

_BULLET = re.compile(r"^\s*(?:[-*•–>]+|\d{1,3}[.)])\s+")
_BRACKET = re.compile(r"^\s*(?:\[([^\]]{1,60})\]|\(([^)]{1,60})\))\s*")
_MARK = re.compile(
    r"(?:(?:sources?|refs?|from|turns?|session|id)\b.*|#?[A-Za-z]{0,2}\d+(?:[:.,;\s-]+[A-Za-z]{0,2}\d+)*)$", re.I
)
_END_MARK = re.compile(
    r"\s*[\[(](?:(?:sources?|refs?|turns?)\b[^\])]*|[A-Za-z]{0,2}\d+:\d+(?:[,;\s]+[A-Za-z]{0,2}\d+:\d+)*)[\])]\s*$",
    re.I,
)
_SPEAKER = re.compile(r"^([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}): (?=\S)")
_DATED = re.compile(r"^([^:\[\]]{6,40}\d{2,4}(?: \(\w{3}\))?(?: \d{1,2}:\d\d)?)\s*[:|—–-]\s+")
_HEADING = re.compile(r"^\s*(?:#+ |={2,}|-{3,}|\*\*[^*]+\*\*:?\s*$)|^(?!\[)[^.:!?]{1,60}:\s*$")
_LABEL = re.compile(
    r"^\W{0,3}(?:memory |note )?(keywords?|tags?|topics?|categor(?:y|ies)|context|links?|related|importance"
    r"|content|memory|notes?|facts?|summary|observation|text|timestamp|time|date|day|speaker|source|refs?"
    r"|talk start time)"
    r"\W{0,3}:\W{0,2}\s*(.*)$",
    re.I,
)
_SAID_LABELS = frozenset(("content", "memory", "note", "notes", "fact", "facts", "summary", "observation", "text"))
_TIME_LABELS = frozenset(("timestamp", "time", "date", "day", "talk start time"))
_INLINE_HINTS = re.compile(r"\s*[|;(\[]\s*(?:keywords?|tags?|topics?)\s*[:=]\s*([^|)\]]*)[)\]]?", re.I)
_NO_END = "".join(rf"(?<!\b{short}\.)" for short in (r"\d", r"\d\d", r"\d\d\d", "Mr", "Mrs", "Ms", "Dr", "St", "vs"))
"""What a full stop may follow without ending a sentence: the number of a list item, a title."""
_SENTENCE = re.compile(
    rf"(?<=[.!?;]){_NO_END}[\"'”’)]*\s+|\s+[-–—]\s+|\s*(?=\[shares )|\s+(?=(?:\d{{1,3}}\.|[*•+|])\s)"
)
_ASIDE = re.compile(r"^\[shares (.*?)\]?$")
_NAME = re.compile(r"(?=[^\W\d_a-z])([^\W\d_]+)(?:['’]s)?\s")
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORT_CHARS = 500
"""Longer lines are not remembered: they are many, and few memories share them."""
_COMMON_STARTS = 2
"""How many sentences a capitalised word must begin to be taken for the person that they tell of."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence, or one aside in brackets."""

    text: str
    stems: frozenset[str]
    asks: bool = False
    is_aside: bool = False
    subject: str = ""
    """The first word in lower case, if it may be a name."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: what stands in it, when it was said and of whom it is. ``hints`` are stems that stand beside it."""

    text: str
    pieces: tuple[Piece, ...]
    said_on: date | None = None
    speaker: str = ""
    hints: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    """The stems of its questions."""


@dataclass(frozen=True, slots=True)
class MemoryText:
    """All lines, and where each stem is found: in which lines, as their numbers in order."""

    lines: tuple[Line, ...]
    found_in: Mapping[str, tuple[int, ...]]
    people: frozenset[str]
    """In lower case: who speaks, and whom lines without a speaker begin with."""

    def weight(self, word: str) -> float:
        """Return how much a stem says: the rarer, the more."""
        return math.log(1 + len(self.lines) / (0.5 + len(self.found_in.get(word, ()))))

    def owner(self, line: Line, place: int) -> str:
        """Return who said a sentence, or else whom it or one before it begins with; in lower case, empty if nobody."""
        if line.speaker:
            return line.speaker.lower()
        subjects = (piece.subject for piece in reversed(line.pieces[: place + 1]))
        return next((subject for subject in subjects if subject in self.people), "")


@dataclass(frozen=True, slots=True)
class _Read:
    line: Line
    label: str = ""
    is_heading: bool = False


@lru_cache(maxsize=4)
def read_memory(text: str) -> MemoryText:
    """Return a memory's lines; any text can be read."""
    lines = _Builder().build(text)
    found: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        for word in line.stems | line.hints:
            found[word].append(number)
    return MemoryText(tuple(lines), {word: tuple(numbers) for word, numbers in found.items()}, _people(lines, text))


def _people(lines: Sequence[Line], text: str) -> frozenset[str]:
    """Return who speaks, and what sentences without a speaker begin with that is never written small."""
    speakers = {line.speaker.lower() for line in lines if line.speaker}
    told_of = Counter(piece.subject for line in lines if not line.speaker for piece in line.pieces if piece.subject)
    often = [word for word, count in told_of.items() if count >= _COMMON_STARTS]
    return frozenset(speakers.union(often).difference(_LETTERS.findall(text) if often else ()))


class _Builder:
    """Puts lines together with what the lines around them say about them: dates, speakers, keywords."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._said_on: date | None = None
        self._heading: frozenset[str] = frozenset()
        self._turn: Line | None = None

    def build(self, text: str) -> list[Line]:
        for raw in text.splitlines():
            if raw.strip():
                self._take(_read(raw))
        return self._lines

    def _take(self, read: _Read) -> None:
        line = read.line
        if read.label in _TIME_LABELS:
            self._said_on = line.said_on or parse_day(line.text)
            if self._lines and self._lines[-1].said_on is None:
                self._lines[-1] = replace(self._lines[-1], said_on=self._said_on)
        elif read.label:
            if self._lines:
                self._lines[-1] = replace(self._lines[-1], hints=self._lines[-1].hints | line.stems | line.hints)
        elif read.is_heading:
            self._said_on, self._turn = parse_day(line.text), None
            self._heading = line.stems
        else:
            self._lines.append(self._placed(line))

    def _placed(self, line: Line) -> Line:
        if line.speaker:
            self._turn = line
        elif self._turn and line.said_on is None:  # a turn of several lines
            return replace(line, said_on=self._turn.said_on, speaker=self._turn.speaker)
        return replace(line, said_on=line.said_on or self._said_on, hints=line.hints | self._heading)


def _read(raw: str) -> _Read:
    """Read one line by itself; short ones are remembered, since many memories of one conversation hold them."""
    return _read_short(raw) if len(raw) <= _SHORT_CHARS else _read_any(raw)


@lru_cache(maxsize=4096)
def _read_short(raw: str) -> _Read:
    return _read_any(raw)


def _read_any(raw: str) -> _Read:
    if _HEADING.match(raw):
        return _Read(_line(raw.strip(" #=*-"), None, ""), is_heading=True)
    text, said_on = _without_marks(raw)
    if label := _LABEL.match(text):
        name = label[1].lower()
        if name not in _SAID_LABELS or (name == "note" and _INLINE_HINTS.search(label[2])):
            return _Read(_line(label[2], said_on, ""), label=name)
        text = label[2]
    speaker = _SPEAKER.match(text)
    who = speaker[1] if speaker and speaker[1][0].isupper() else ""
    return _Read(_line(text[speaker.end() :] if speaker and who else text, said_on, who))


def _without_marks(raw: str) -> tuple[str, date | None]:
    """Return a line without bullet, date and source marks, and its date."""
    text, said_on = _END_MARK.sub("", raw).strip(), None
    while True:
        if bullet := _BULLET.match(text):
            text = text[bullet.end() :]
            continue
        bracket = _BRACKET.match(text)
        inside = (bracket[1] or bracket[2]) if bracket else ""
        day = parse_day(inside)
        if not bracket or not (day or _MARK.match(inside.strip())):
            break
        text, said_on = text[bracket.end() :], day or said_on
    if said_on is None and (dated := _DATED.match(text)) and (day := parse_day(dated[1])):
        return text[dated.end() :], day
    return text, said_on


def _line(text: str, said_on: date | None, speaker: str) -> Line:
    hints = frozenset(word for inline in _INLINE_HINTS.findall(text) for word in stems(inline))
    text = _INLINE_HINTS.sub("", text).strip()
    pieces = tuple(_piece(part) for part in _SENTENCE.split(text) if part and part.strip())
    held = frozenset().union(*(piece.stems for piece in pieces))
    asks = frozenset().union(*(piece.stems for piece in pieces if piece.asks))
    return Line(text, pieces, said_on, speaker, hints, held, asks)


def _piece(text: str) -> Piece:
    text = text.strip()
    aside = _ASIDE.match(text)
    name = _NAME.match(text)
    subject = name[1].lower() if name and word_stems(name[1]) else ""
    return Piece(aside[1] if aside else text, frozenset(stems(text)), text.endswith("?"), bool(aside), subject)
