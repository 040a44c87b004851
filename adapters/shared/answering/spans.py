"""Extracts the answer from a sentence: the span of words with the highest sum of trait weights.

The weight of each trait is in ``span_weights.txt``. The weights were fitted once, to the expected official F1 over all
spans, on the first seven LoCoMo conversations; the last three were held out. The traits are those of any English
text: no word of a conversation is among them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from adapters.shared.answering.dates import mentions_time
from adapters.shared.answering.finding import Source
from adapters.shared.answering.memory import Line
from adapters.shared.answering.patterns import EDGES, SHORT_KINDS, TypedWords, find_typed_span, find_typed_words
from adapters.shared.answering.question import ParsedQuestion
from adapters.shared.answering.words import word_stems

__all__ = ["Span", "extract_answer", "find_best_span", "find_dated_piece"]

_LONGEST = 14
_CLOSE, _SUPPORTED = 4.0, 0.5
"""Several things: keep a span whose score is at most ``_CLOSE`` below the best, in a line with this support."""
_LENGTHS = tuple(
    f"length-{max(low for low in (1, 2, 3, 4, 6, 9, 12) if low <= count)}" for count in range(1, _LONGEST + 1)
)
_WEIGHTS = {
    name: float(value)
    for name, value in (
        row.split() for row in (Path(__file__).parent / "span_weights.txt").read_text(encoding="utf-8").splitlines()
    )
}
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
    """A span of one sentence and its score."""

    text: str
    score: float


@lru_cache(maxsize=65536)
def _strip_edges(word: str) -> str:
    return word.strip(EDGES).lower().replace("’", "'")


def _classify(word: str, keywords: frozenset[str]) -> str:
    """Return the class of a word: asked, a closed class, small, number, name or new."""
    own_stems, bare = word_stems(word), _strip_edges(word)
    if keywords & own_stems:
        return "asked"
    if name := _CLASSES.get(bare):
        return name
    if not own_stems:
        return "small"
    if bare[:1].isdigit():
        return "number"
    return "name" if word.lstrip('"“‘(*')[:1].isupper() else "new"


@dataclass(frozen=True, slots=True)
class _Sentence:
    words: tuple[str, ...]
    classes: tuple[str, ...]
    breaks: tuple[bool, ...]
    """True for a word that ends with a punctuation mark."""


def _split_sentence(text: str, keywords: frozenset[str]) -> _Sentence:
    words = tuple(text.split())
    classes = [_classify(word, keywords) for word in words]
    if classes and classes[0] == "name" and not _OPENS.match(words[0]):
        classes[0] = "new"
    return _Sentence(words, tuple(classes), tuple(word[-1] in ',.!?;:)"”' for word in words))


def _list_untyped_start_traits(sentence: _Sentence, at: int) -> Iterator[str]:
    yield f"starts-{sentence.classes[at]}"
    if at == 0:
        yield "from-start"
    elif sentence.breaks[at - 1]:
        yield "after-break"
    if "asked" in sentence.classes[max(0, at - 3) : at]:
        yield "soon-after-asked"
    if _OPENS.match(sentence.words[at]):
        yield "opens"


def _list_untyped_end_traits(sentence: _Sentence, at: int) -> Iterator[str]:
    yield f"ends-{sentence.classes[at]}"
    if at + 1 == len(sentence.words):
        yield "to-end"
    if sentence.breaks[at]:
        yield "before-break"


def _list_word_traits(sentence: _Sentence, at: int) -> Iterator[str]:
    yield f"word-{sentence.classes[at]}"
    if sentence.breaks[at]:
        yield "word-break"


def _list_context_traits(source: Source, place: int) -> Iterator[tuple[str, float]]:
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


def _list_start_traits(sentence: _Sentence, typed: TypedWords, at: int) -> Iterator[str]:
    yield from _list_untyped_start_traits(sentence, at)
    if at in typed.starts:
        yield "typed-start"


def _list_end_traits(sentence: _Sentence, typed: TypedWords, at: int) -> Iterator[str]:
    yield from _list_untyped_end_traits(sentence, at)
    if at in typed.ends:
        yield "typed-end"


def extract_answer(sources: Sequence[Source], question: ParsedQuestion) -> str:
    """Return the best span of any source; if the question asks for several things, the best of each, with commas."""
    spans = sorted(((find_best_span(source, question), source) for source in sources), key=lambda pair: -pair[0].score)
    if not spans or not question.several:
        return spans[0][0].text if spans else ""
    parts: list[str] = []
    for span, source in spans:
        known = " ".join(parts).lower()
        if span.score >= spans[0][0].score - _CLOSE and source.support >= _SUPPORTED and span.text.lower() not in known:
            parts.append(span.text)
    return ", ".join(parts)


def find_dated_piece(line: Line, place: int) -> str:
    """Return a sentence or, if it has no date, the sentence next to it that has one."""
    places = (place, place - 1, place + 1)
    texts = [line.pieces[at].text for at in places if 0 <= at < len(line.pieces)]
    return next((text for text in texts if mentions_time(text)), texts[0])


def find_best_span(source: Source, question: ParsedQuestion) -> Span:
    """Return the best span of a line; empty if the line has no words."""
    return max(
        (_find_best_in_sentence(source, place, question) for place in range(len(source.line.pieces))),
        key=lambda span: span.score,
        default=Span("", -math.inf),
    )


def _find_best_in_sentence(source: Source, place: int, question: ParsedQuestion) -> Span:
    text = source.line.pieces[place].text
    sentence, typed = _split_sentence(text, question.keywords), find_typed_words(text, question.kind)

    def score(names: Iterator[str]) -> float:
        return sum([_WEIGHTS.get(name, 0.0) for name in names])

    context = sum(_WEIGHTS.get(name, 0.0) * value for name, value in _list_context_traits(source, place))
    inside = [score(_list_word_traits(sentence, at)) for at in range(len(sentence.words))]
    ends = [score(_list_end_traits(sentence, typed, at)) for at in range(len(sentence.words))]
    lengths = [_WEIGHTS.get(name, 0.0) for name in _LENGTHS]
    best, first, last = -math.inf, 0, 0
    for start in range(len(sentence.words)):
        so_far = context + score(_list_start_traits(sentence, typed, start))
        for end in range(start, min(len(sentence.words), start + _LONGEST)):
            so_far += inside[end]
            if so_far + ends[end] + lengths[end - start] > best:
                best, first, last = so_far + ends[end] + lengths[end - start], start, end + 1
    short = find_typed_span(text, question.kind) if question.kind in SHORT_KINDS else ""
    return Span(short or " ".join(sentence.words[first:last]).strip(EDGES), best)
