"""The stretch of a sentence that answers: a sum of what its words, its ends and its sentence are worth, highest wins.

What each trait is worth stands in ``span_weights.txt``. The numbers were fitted once, to the official F1 expected over
all stretches, on the first seven LoCoMo conversations; the last three had no part in it. The traits are those of any
English talk: no word of a conversation is among them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from adapters.shared.answering.asking import Asked, Kind
from adapters.shared.answering.dates import WEEKDAYS, tells_when
from adapters.shared.answering.finding import Source
from adapters.shared.answering.memory import Line
from adapters.shared.answering.words import word_stems

__all__ = ["SHORT_KINDS", "answer_span", "best_span", "dated_piece", "fits", "typed_span"]

_NUMBER = (
    r"(?:\$?\d[\d,.]*(?:k|%|-\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
    r"|a couple|a few|several|half|both|dozens?|hundreds?)"
)
_UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
_KIN = (
    r"(?:sister|brother|mom|mother|dad|father|wife|husband|friends?|family|cousin|aunt|uncle|grand\w+|kids|children|son"
    r"|daughter|boss|colleagues?|partner|girlfriend|boyfriend|team|neighbou?rs?)"
)
_IN = r"(?:(?<=\bin )|(?<=\bat )|(?<=\bto )|(?<=\bon )|(?<=\bby )|(?<=\bfrom )|(?<=\bnear ))"
_PATTERNS = {
    Kind.LENGTH: re.compile(
        rf"\b(?:(?:about|around|over|almost|nearly|since) )?(?:{_NUMBER}|an?|since)(?:[ -]| more )?"
        rf"(?:{_UNIT}\b|\d{{4}})",
        re.I,
    ),
    Kind.OFTEN: re.compile(
        rf"\b(?:(?:once|twice|{_NUMBER} times|{_NUMBER})(?: or twice)? (?:an?|per|every) {_UNIT}|every (?:other )?\w+"
        r"|daily|weekly|monthly|each \w+)\b",
        re.I,
    ),
    Kind.COUNT: re.compile(rf"\b{_NUMBER}\b", re.I),
    Kind.CLOCK: re.compile(r"\b(?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\d{1,2}:\d\d|noon|midnight)", re.I),
    Kind.WEEKDAY: re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})s?\b"),
    Kind.WHY: re.compile(r"\b(?:because|since|so that|due to|in order to)\b|'cause\b", re.I),
    Kind.WHERE: re.compile(rf"{_IN}(?:the |a |an |my |our )?[^\s,.!?]+", re.I),
    Kind.NAME: re.compile(r"[\"“‘][^\"”]{2,60}[\"”’]|(?<=[a-z,;:] )[A-Z][\w'’-]*(?: (?:of|the|and|[A-Z0-9][\w'’-]*))*"),
    Kind.WHO: re.compile(rf"(?<=[a-z,;:] )[A-Z][a-z]+(?: [A-Z][a-z]+)?|\b(?:my|our|her|his) (?:\w+ )?{_KIN}\b"),
}
SHORT_KINDS = frozenset((Kind.LENGTH, Kind.OFTEN, Kind.COUNT, Kind.CLOCK, Kind.WEEKDAY))
"""Kinds whose pattern finds the whole answer."""
_LONGEST = 14
_CLOSE, _SUPPORTED = 4.0, 0.5
"""Of several things, those count whose stretch is worth at most this much less, in a line so well supported."""
_LENGTHS = tuple(
    f"length-{max(low for low in (1, 2, 3, 4, 6, 9, 12) if low <= count)}" for count in range(1, _LONGEST + 1)
)
_WEIGHTS = {
    name: float(value)
    for name, value in (
        row.split() for row in (Path(__file__).parent / "span_weights.txt").read_text(encoding="utf-8").splitlines()
    )
}
_EDGES = '.,!?;:-–—()*"“” '
_CLASSES = {
    word: name
    for name, words in {
        "be": "is was are were am be been being 's 'm 're i'm it's that's",
        "in": "in at to on for with of from about by into near as like through during",
        "the": "the a an some any this that these those",
        "self": "i my me we our us you your i've i'd we've mine",
        "and": "and or but so plus",
        "because": "because since cause",
    }.items()
    for word in words.split()
}
_OPENS = re.compile(r"[\"“‘(*]")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one sentence, and what it is worth."""

    text: str
    worth: float


def fits(kind: Kind, text: str) -> bool:
    """True if a text holds something of the kind."""
    pattern = _PATTERNS.get(kind)
    return bool(pattern and pattern.search(text))


@lru_cache(maxsize=65536)
def _bare(word: str) -> str:
    return word.strip(_EDGES).lower().replace("’", "'")


def _class(word: str, wanted: frozenset[str]) -> str:
    """Return the one class of a word: asked, a number, one of a few closed classes, small, a name or new."""
    held, bare = word_stems(word), _bare(word)
    if wanted & held:
        return "asked"
    if name := _CLASSES.get(bare):
        return name
    if not held:
        return "small"
    if bare[:1].isdigit():
        return "number"
    return "name" if word.lstrip('"“‘(*')[:1].isupper() else "new"


@dataclass(frozen=True, slots=True)
class _Sentence:
    words: tuple[str, ...]
    classes: tuple[str, ...]
    breaks: tuple[bool, ...]
    """True where a word is the last before a comma or the like."""


def _sentence(text: str, wanted: frozenset[str]) -> _Sentence:
    words = tuple(text.split())
    classes = [_class(word, wanted) for word in words]
    if classes and classes[0] == "name" and not _OPENS.match(words[0]):
        classes[0] = "new"
    return _Sentence(words, tuple(classes), tuple(word[-1] in ',.!?;:)"”' for word in words))


def _starts(sentence: _Sentence, at: int) -> Iterator[str]:
    yield f"starts-{sentence.classes[at]}"
    if at == 0:
        yield "from-start"
    elif sentence.breaks[at - 1]:
        yield "after-break"
    if "asked" in sentence.classes[max(0, at - 3) : at]:
        yield "soon-after-asked"
    if _OPENS.match(sentence.words[at]):
        yield "opens"


def _ends(sentence: _Sentence, at: int) -> Iterator[str]:
    yield f"ends-{sentence.classes[at]}"
    if at + 1 == len(sentence.words):
        yield "to-end"
    if sentence.breaks[at]:
        yield "before-break"


def _inside(sentence: _Sentence, at: int) -> Iterator[str]:
    yield f"word-{sentence.classes[at]}"
    if sentence.breaks[at]:
        yield "word-break"


def _beside(source: Source, place: int) -> Iterator[tuple[str, float]]:
    piece = source.line.pieces[place]
    yield "line-support", source.support
    yield "piece-support", source.piece_support[place]
    near = source.piece_support[max(0, place - 1) : place] + source.piece_support[place + 1 : place + 2]
    yield "near-support", max(near, default=0.0)
    if piece.asks:
        yield "piece-asks", 1.0
    if place == 0:
        yield "piece-first", 1.0
    if piece.is_aside:
        yield "piece-aside", 1.0


@dataclass(frozen=True, slots=True)
class _Typed:
    starts: frozenset[int]
    ends: frozenset[int]


def _typed(text: str, kind: Kind) -> _Typed:
    """Return at which words something of the kind starts and ends."""
    pattern = _PATTERNS.get(kind)
    if not pattern:
        return _Typed(frozenset(), frozenset())
    bounds = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    found = [match.span() for match in pattern.finditer(text)]
    starts = frozenset(at for at, (first, last) in enumerate(bounds) if any(first <= one < last for one, _ in found))
    ends = frozenset(at for at, (first, last) in enumerate(bounds) if any(first < end <= last for _, end in found))
    return _Typed(starts, ends)


def _start_names(sentence: _Sentence, typed: _Typed, at: int) -> Iterator[str]:
    yield from _starts(sentence, at)
    if at in typed.starts:
        yield "typed-start"


def _end_names(sentence: _Sentence, typed: _Typed, at: int) -> Iterator[str]:
    yield from _ends(sentence, at)
    if at in typed.ends:
        yield "typed-end"


def answer_span(sources: Sequence[Source], asked: Asked) -> str:
    """Return the best stretch of any source; where several things are asked for, the best of each, joined by commas."""
    spans = sorted(((best_span(source, asked), source) for source in sources), key=lambda pair: -pair[0].worth)
    if not spans or not asked.several:
        return spans[0][0].text if spans else ""
    said: list[str] = []
    for span, source in spans:
        known = " ".join(said).lower()
        if span.worth >= spans[0][0].worth - _CLOSE and source.support >= _SUPPORTED and span.text.lower() not in known:
            said.append(span.text)
    return ", ".join(said)


def typed_span(text: str, kind: Kind) -> str:
    """Return the first thing of the kind in a text; empty if it holds none."""
    pattern = _PATTERNS.get(kind)
    found = pattern.search(text) if pattern else None
    return found[0].strip(_EDGES) if found else ""


def dated_piece(line: Line, place: int) -> str:
    """Return a sentence or, if it says no time, the one beside it that does."""
    beside = (place, place - 1, place + 1)
    texts = [line.pieces[at].text for at in beside if 0 <= at < len(line.pieces)]
    return next((text for text in texts if tells_when(text)), texts[0])


def best_span(source: Source, asked: Asked) -> Span:
    """Return the stretch of a line that is worth most as an answer; empty if the line has no words."""
    return max(
        (_best_in(source, place, asked) for place in range(len(source.line.pieces))),
        key=lambda span: span.worth,
        default=Span("", -math.inf),
    )


def _best_in(source: Source, place: int, asked: Asked) -> Span:
    text = source.line.pieces[place].text
    sentence, typed = _sentence(text, asked.wanted), _typed(text, asked.kind)

    def worth(names: Iterator[str]) -> float:
        return sum([_WEIGHTS.get(name, 0.0) for name in names])

    beside = sum(_WEIGHTS.get(name, 0.0) * value for name, value in _beside(source, place))
    held = [worth(_inside(sentence, at)) for at in range(len(sentence.words))]
    closing = [worth(_end_names(sentence, typed, at)) for at in range(len(sentence.words))]
    lengths = [_WEIGHTS.get(name, 0.0) for name in _LENGTHS]
    best, first, last = -math.inf, 0, 0
    for start in range(len(sentence.words)):
        so_far = beside + worth(_start_names(sentence, typed, start))
        for end in range(start, min(len(sentence.words), start + _LONGEST)):
            so_far += held[end]
            if so_far + closing[end] + lengths[end - start] > best:
                best, first, last = so_far + closing[end] + lengths[end - start], start, end + 1
    short = typed_span(text, asked.kind) if asked.kind in SHORT_KINDS else ""
    return Span(short or " ".join(sentence.words[first:last]).strip(_EDGES), best)
