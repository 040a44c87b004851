"""Which sentence of a memory supports an answer: rare words of the question count, near ones less; cuts no answer."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adapters.shared.answering.asking import Asked
from adapters.shared.answering.memory import Line, MemoryText, Piece

__all__ = ["Find", "Source", "find", "sources"]

_BESIDE, _SAME_LINE, _HINTED, _BEFORE, _AFTER_QUESTION = 0.6, 0.5, 0.5, 0.3, 1.0
"""What a word of the question counts that stands not in a sentence but: in the one before or after it, elsewhere in its
line, in a heading or a list of keywords beside it, in the line before, in the line before which is a question."""
_LOOKED_AT = 40
"""How many lines are looked at sentence by sentence."""
_OTHER_SPEAKER, _OTHER_TIME, _IS_QUESTION, _FITS = 0.75, 0.5, 0.7, 1.3
"""What the points of a sentence are multiplied by: said by (or of) another than is named, told at another time than is
named, a question itself, holding the kind of thing that is asked for."""


@dataclass(frozen=True, slots=True)
class Find:
    """One sentence and how well it supports: ``share`` is the part of the question's weight that it holds."""

    line: int
    piece: int
    points: float
    share: float


@dataclass(frozen=True, slots=True)
class Source:
    """A line from which an answer may be cut; how well it is supported beside the best, and each of its sentences."""

    line: Line
    support: float
    piece_support: tuple[float, ...]


def find(memory: MemoryText, asked: Asked, fits: Callable[[Piece], bool] = lambda _: False) -> list[Find]:
    """Return every sentence with some support, best first; equal ones in the memory's order.

    ``fits`` tells whether a sentence holds the kind of thing that is asked for.
    """
    weights = {word: memory.weight(word) for word in sorted(asked.wanted)}
    total = sum(weights.values())
    finds = []
    for number, near in _promising(memory, weights, asked):
        line = memory.lines[number]
        in_time = _in_time(line, asked)
        held = {word: weight for word, weight in weights.items() if word in line.stems}
        beside = sum(
            weight * max(near.get(word, 0.0), _HINTED if word in line.hints else 0.0)
            for word, weight in weights.items()
            if word not in held
        )
        for place, piece in enumerate(line.pieces):
            points = beside + sum(weight * _counts(word, line.pieces, place) for word, weight in held.items())
            factor = in_time * _by(memory.owner(line, place), asked)
            worth = points * factor * (_IS_QUESTION if piece.asks else 1.0) * (_FITS if fits(piece) else 1.0)
            finds.append(Find(number, place, worth, points / total))
    return sorted(finds, key=lambda one: -one.points)


def sources(memory: MemoryText, asked: Asked, finds: Sequence[Find], count: int) -> list[Source]:
    """Return the ``count`` best lines of what was found, best first."""
    points: dict[int, float] = {}
    for one in finds:
        if len(points) == count and one.line not in points:
            break
        points.setdefault(one.line, one.points)
    weights = {word: memory.weight(word) for word in sorted(asked.wanted)}
    total = sum(weights.values())
    return [
        Source(
            memory.lines[number],
            own / finds[0].points,
            tuple(
                sum(weights[word] for word in weights if word in piece.stems) / total
                for piece in memory.lines[number].pieces
            ),
        )
        for number, own in points.items()
    ]


def _promising(memory: MemoryText, weights: Mapping[str, float], asked: Asked) -> list[tuple[int, Mapping[str, float]]]:
    """Return the lines that can hold most of the question's words, in order, with what the line before each counts."""
    near: dict[int, dict[str, float]] = {}
    most: dict[int, float] = {}
    lines = memory.lines
    for word, weight in weights.items():
        for number in memory.found_in.get(word, ()):
            most[number] = most.get(number, 0.0) + weight
            after = number + 1
            if after < len(lines) and lines[after].said_on == lines[number].said_on and word not in lines[after].stems:
                counts = (
                    _AFTER_QUESTION
                    if word in lines[number].asks and lines[after].speaker != lines[number].speaker
                    else _BEFORE
                )
                near.setdefault(after, {})[word] = counts
                most[after] = most.get(after, 0.0) + counts * weight
    worth = (
        (points * _in_time(lines[number], asked) * _by(lines[number].speaker.lower(), asked), -number)
        for number, points in most.items()
    )
    best = heapq.nlargest(_LOOKED_AT, worth)
    return [(number, near.get(number, {})) for number in sorted(-minus for _, minus in best)]


def _counts(word: str, pieces: Sequence[Piece], place: int) -> float:
    if word in pieces[place].stems:
        return 1.0
    return _BESIDE if any(word in piece.stems for piece in pieces[max(0, place - 1) : place + 2]) else _SAME_LINE


def _by(owner: str, asked: Asked) -> float:
    return _OTHER_SPEAKER if asked.names and owner and owner not in asked.names else 1.0


def _in_time(line: Line, asked: Asked) -> float:
    if not line.said_on:
        return 1.0
    if asked.span:
        return 1.0 if asked.span.first <= line.said_on <= asked.span.last else _OTHER_TIME
    # What was in a month is told then or in the month after.
    return 1.0 if not asked.month or (line.said_on.month - asked.month) % 12 < 2 else _OTHER_TIME
