"""Finds the sentences of a memory that support an answer; it does not extract the answer.

Each keyword of the question counts by how rare it is. A keyword in a neighbouring sentence or line counts less.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adapters.shared.answering.memory import Line, MemoryText, Piece
from adapters.shared.answering.question import ParsedQuestion

__all__ = ["Match", "Source", "find_matches", "pick_sources"]

_NEXT_SENTENCE, _SAME_LINE, _IN_HINTS, _LINE_BEFORE, _QUESTION_BEFORE = 0.6, 0.5, 0.5, 0.3, 1.0
"""The weight of a keyword that is not in the sentence itself but in: the sentence before or after it, another sentence
of its line, a heading or keyword list of its line, the line before, the line before if that is a question."""
_MAX_LINES = 40
"""How many lines are scored sentence by sentence."""
_OTHER_SPEAKER, _OTHER_TIME, _IS_QUESTION, _FITS = 0.75, 0.5, 0.7, 1.3
"""The factors on the points of a sentence: about a person or a time that the question does not name; a question
itself; contains the kind of thing that the question asks for."""


@dataclass(frozen=True, slots=True)
class Match:
    """One sentence and its support; ``share`` is the part of the question's weight that it contains, in 0..1."""

    line: int
    piece: int
    points: float
    share: float


@dataclass(frozen=True, slots=True)
class Source:
    """A line that may contain the answer, its support relative to the best line, and that of each of its sentences."""

    line: Line
    support: float
    piece_support: tuple[float, ...]


def find_matches(
    memory: MemoryText, question: ParsedQuestion, fits: Callable[[Piece], bool] = lambda _: False
) -> list[Match]:
    """Return every sentence with some support, best first; equal ones in the order of the memory.

    ``fits`` is true for a sentence that contains the kind of thing that the question asks for.
    """
    weights = {word: memory.weight(word) for word in sorted(question.keywords)}
    total = sum(weights.values())
    matches = []
    for number, near in _pick_lines(memory, weights, question):
        line = memory.lines[number]
        time_factor = _time_factor(line, question)
        present = {word: weight for word, weight in weights.items() if word in line.stems}
        nearby = sum(
            weight * max(near.get(word, 0.0), _IN_HINTS if word in line.hints else 0.0)
            for word, weight in weights.items()
            if word not in present
        )
        for place, piece in enumerate(line.pieces):
            points = nearby + sum(weight * _weigh_keyword(word, line.pieces, place) for word, weight in present.items())
            factor = time_factor * _speaker_factor(memory.owner(line, place), question)
            score = points * factor * (_IS_QUESTION if piece.asks else 1.0) * (_FITS if fits(piece) else 1.0)
            matches.append(Match(number, place, score, points / total))
    return sorted(matches, key=lambda one: -one.points)


def pick_sources(memory: MemoryText, question: ParsedQuestion, matches: Sequence[Match], count: int) -> list[Source]:
    """Return the ``count`` best lines among the matches, best first."""
    points: dict[int, float] = {}
    for one in matches:
        if len(points) == count and one.line not in points:
            break
        points.setdefault(one.line, one.points)
    weights = {word: memory.weight(word) for word in sorted(question.keywords)}
    total = sum(weights.values())
    return [
        Source(
            memory.lines[number],
            own / matches[0].points,
            tuple(
                sum(weights[word] for word in weights if word in piece.stems) / total
                for piece in memory.lines[number].pieces
            ),
        )
        for number, own in points.items()
    ]


def _pick_lines(
    memory: MemoryText, weights: Mapping[str, float], question: ParsedQuestion
) -> list[tuple[int, Mapping[str, float]]]:
    """Return the numbers of the best lines, in order, each with the weights of keywords in the line before it."""
    near: dict[int, dict[str, float]] = {}
    most: dict[int, float] = {}
    lines = memory.lines
    for word, weight in weights.items():
        for number in memory.lines_with.get(word, ()):
            most[number] = most.get(number, 0.0) + weight
            after = number + 1
            if after < len(lines) and lines[after].said_on == lines[number].said_on and word not in lines[after].stems:
                counts = (
                    _QUESTION_BEFORE
                    if word in lines[number].asks and lines[after].speaker != lines[number].speaker
                    else _LINE_BEFORE
                )
                near.setdefault(after, {})[word] = counts
                most[after] = most.get(after, 0.0) + counts * weight
    score = (
        (
            points * _time_factor(lines[number], question) * _speaker_factor(lines[number].speaker.lower(), question),
            -number,
        )
        for number, points in most.items()
    )
    best = heapq.nlargest(_MAX_LINES, score)
    return [(number, near.get(number, {})) for number in sorted(-minus for _, minus in best)]


def _weigh_keyword(word: str, pieces: Sequence[Piece], place: int) -> float:
    if word in pieces[place].stems:
        return 1.0
    return _NEXT_SENTENCE if any(word in piece.stems for piece in pieces[max(0, place - 1) : place + 2]) else _SAME_LINE


def _speaker_factor(owner: str, question: ParsedQuestion) -> float:
    return _OTHER_SPEAKER if question.names and owner and owner not in question.names else 1.0


def _time_factor(line: Line, question: ParsedQuestion) -> float:
    if not line.said_on:
        return 1.0
    if question.span:
        return 1.0 if question.span.first <= line.said_on <= question.span.last else _OTHER_TIME
    # People talk about a month in that month or in the next one.
    return 1.0 if not question.month or (line.said_on.month - question.month) % 12 < 2 else _OTHER_TIME
