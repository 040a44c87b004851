"""Which sentence of a memory supports an answer: rare words of the question count, near ones less; cuts no answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adapters.answering.asking import Asked
from adapters.answering.memory import Line, MemoryText, Piece

__all__ = ["Find", "Source", "find", "sources"]

_BESIDE, _SAME_LINE, _HINTED, _BEFORE, _AFTER_QUESTION = 0.6, 0.5, 0.5, 0.3, 1.0
"""What a word of the question counts that stands not in a sentence but: in the one before or after it, elsewhere in its
line, in a heading or a list of keywords beside it, in the line before, in the line before which is a question."""
_OTHER_SPEAKER, _OTHER_TIME, _IS_QUESTION, _FITS = 0.75, 0.5, 0.7, 1.3


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
    for number, near in sorted(_lines_with(memory, weights).items()):
        line = memory.lines[number]
        factor = _factor(memory, line, asked)
        for place, piece in enumerate(line.pieces):
            points = sum(weights[word] * _counts(word, line, place, near) for word in weights)
            share = points / total
            if piece.asks:
                points *= _IS_QUESTION
            if fits(piece):
                points *= _FITS
            finds.append(Find(number, place, points * factor, share))
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


def _lines_with(memory: MemoryText, weights: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """Return the lines that hold a word of the question or follow such a line, with what the line before counts."""
    near: dict[int, dict[str, float]] = {}
    for word in weights:
        for number in memory.found_in.get(word, ()):
            near.setdefault(number, {})
            if number + 1 < len(memory.lines) and memory.lines[number + 1].said_on == memory.lines[number].said_on:
                asks = any(piece.asks and word in piece.stems for piece in memory.lines[number].pieces)
                near.setdefault(number + 1, {})[word] = _AFTER_QUESTION if asks else _BEFORE
    return near


def _counts(word: str, line: Line, place: int, near: Mapping[str, float]) -> float:
    if word in line.pieces[place].stems:
        return 1.0
    if word in line.stems:
        beside = line.pieces[max(0, place - 1) : place + 2]
        return _BESIDE if any(word in piece.stems for piece in beside) else _SAME_LINE
    return max(near.get(word, 0.0), _HINTED if word in line.hints else 0.0)


def _factor(memory: MemoryText, line: Line, asked: Asked) -> float:
    factor = 1.0
    owner = memory.owner(line)
    if asked.names and owner and owner not in asked.names:
        factor *= _OTHER_SPEAKER
    if asked.span and line.said_on and not asked.span.first <= line.said_on <= asked.span.last:
        factor *= _OTHER_TIME
    return factor
