"""The memory section of a prompt, parsed into dated lines, their sentences and an index from stems to lines.

Any text can be parsed: raw turns (``[8 May, 2023] Ann: I moved.``), facts without a speaker, bullets, notes with lines
of keywords or tags, headings with or without a date, source refs at either end. What stands below a heading for
experience is of other conversations and left out. Knows no question and no suite.
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
from adapters.shared.teaching import divide_by_headings

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
    r"|content|memory|notes?|facts?|summary|observation|text|timestamp|(?:[a-z]+ ){0,2}(?:time|date)|day|speaker|source"
    r"|refs?)"
    r"\W{0,3}:\W{0,2}\s*(.*)$",
    re.I,
)
_SAID_LABELS = frozenset(("content", "memory", "note", "notes", "fact", "facts", "summary", "observation", "text"))
_TIME_LABEL = re.compile(r"timestamp|day|(?:.* )?(?:time|date)")
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
"""Longer lines are not cached: there are many of them, and few memories share one."""
_COMMON_STARTS = 2
"""How many sentences a capitalised word must begin to count as the name of a person."""


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
    """One line: its text, day and speaker. ``hints`` are stems from keyword lists and headings next to it."""

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
    """All lines; ``lines_with`` maps each stem to the numbers of the lines that contain it, in order."""

    lines: tuple[Line, ...]
    lines_with: Mapping[str, tuple[int, ...]]
    people: frozenset[str]
    """In lower case: the speakers, and the names that lines without a speaker begin with."""

    def weight(self, word: str) -> float:
        """Return the weight of a stem: the rarer, the higher."""
        return math.log(1 + len(self.lines) / (0.5 + len(self.lines_with.get(word, ()))))

    def owner(self, line: Line, place: int) -> str:
        """Return whose sentence it is, in lower case: the speaker, else the last name that a sentence begins with."""
        if line.speaker:
            return line.speaker.lower()
        subjects = (piece.subject for piece in reversed(line.pieces[: place + 1]))
        return next((subject for subject in subjects if subject in self.people), "")


@dataclass(frozen=True, slots=True)
class _ParsedLine:
    line: Line
    label: str = ""
    is_heading: bool = False


@lru_cache(maxsize=4)
def read_memory(text: str) -> MemoryText:
    """Return the parsed memory; any text can be parsed."""
    text = divide_by_headings(text).present
    lines = _Builder().build(text)
    found: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        for word in line.stems | line.hints:
            found[word].append(number)
    return MemoryText(
        tuple(lines), {word: tuple(numbers) for word, numbers in found.items()}, _find_people(lines, text)
    )


def _find_people(lines: Sequence[Line], text: str) -> frozenset[str]:
    """Return the speakers, and the first words of sentences without a speaker that never occur in lower case."""
    speakers = {line.speaker.lower() for line in lines if line.speaker}
    subjects = Counter(piece.subject for line in lines if not line.speaker for piece in line.pieces if piece.subject)
    often = [word for word, count in subjects.items() if count >= _COMMON_STARTS]
    return frozenset(speakers.union(often).difference(_LETTERS.findall(text) if often else ()))


class _Builder:
    """Builds lines and adds what the lines around them say: dates, speakers, keywords."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._said_on: date | None = None
        self._heading: frozenset[str] = frozenset()
        self._turn: Line | None = None

    def build(self, text: str) -> list[Line]:
        for raw in text.splitlines():
            if raw.strip():
                self._add(_read_line(raw))
        return self._lines

    def _add(self, parsed: _ParsedLine) -> None:
        line = parsed.line
        if _TIME_LABEL.fullmatch(parsed.label):
            self._said_on = line.said_on or parse_day(line.text)
            if self._lines and self._lines[-1].said_on is None:
                self._lines[-1] = replace(self._lines[-1], said_on=self._said_on)
        elif parsed.label:
            if self._lines:
                self._lines[-1] = replace(self._lines[-1], hints=self._lines[-1].hints | line.stems | line.hints)
        elif parsed.is_heading:
            self._said_on, self._turn = parse_day(line.text), None
            self._heading = line.stems
        else:
            self._lines.append(self._add_context(line))

    def _add_context(self, line: Line) -> Line:
        if line.speaker:
            self._turn = line
        elif self._turn and line.said_on is None:  # a turn of several lines
            return replace(line, said_on=self._turn.said_on, speaker=self._turn.speaker)
        return replace(line, said_on=line.said_on or self._said_on, hints=line.hints | self._heading)


def _read_line(raw: str) -> _ParsedLine:
    """Parse one line by itself; short ones are cached, since many memories of one conversation contain them."""
    return _parse_cached(raw) if len(raw) <= _SHORT_CHARS else _parse_line(raw)


@lru_cache(maxsize=4096)
def _parse_cached(raw: str) -> _ParsedLine:
    return _parse_line(raw)


def _parse_line(raw: str) -> _ParsedLine:
    if _HEADING.match(raw):
        return _ParsedLine(_build_line(raw.strip(" #=*-"), None, ""), is_heading=True)
    text, said_on = _strip_marks(raw)
    if label := _LABEL.match(text):
        name = label[1].lower()
        if name not in _SAID_LABELS or (name == "note" and _INLINE_HINTS.search(label[2])):
            return _ParsedLine(_build_line(label[2], said_on, ""), label=name)
        text = label[2]
    speaker = _SPEAKER.match(text)
    who = speaker[1] if speaker and speaker[1][0].isupper() else ""
    return _ParsedLine(_build_line(text[speaker.end() :] if speaker and who else text, said_on, who))


def _strip_marks(raw: str) -> tuple[str, date | None]:
    """Return a line without bullet, date and source refs, and its date."""
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


def _build_line(text: str, said_on: date | None, speaker: str) -> Line:
    hints = frozenset(word for inline in _INLINE_HINTS.findall(text) for word in stems(inline))
    text = _INLINE_HINTS.sub("", text).strip()
    pieces = tuple(_build_piece(part) for part in _SENTENCE.split(text) if part and part.strip())
    all_stems = frozenset().union(*(piece.stems for piece in pieces))
    asks = frozenset().union(*(piece.stems for piece in pieces if piece.asks))
    return Line(text, pieces, said_on, speaker, hints, all_stems, asks)


def _build_piece(text: str) -> Piece:
    text = text.strip()
    aside = _ASIDE.match(text)
    name = _NAME.match(text)
    subject = name[1].lower() if name and word_stems(name[1]) else ""
    return Piece(aside[1] if aside else text, frozenset(stems(text)), text.endswith("?"), bool(aside), subject)
