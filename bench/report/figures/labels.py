"""What is written next to the points of a figure: each name in place, or a number where the names would not fit.

Knows the spots; not where a label finds room. A panel of few rows names them all, the farther names with a leader line.
In a crowded one only the frontier, the strategies given the evidence and the two ends of the cost axis are named, close
by; the others, and those whose name finds no free place, get a number, explained in the key beneath the panel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from bench.report.figures.places import Board, Dot, Label, Place, Text, list_leader_places, list_ring_places, write
from bench.report.figures.style import Look, shorten
from bench.report.frontier import Spot

__all__ = ["Key", "Mark", "fold_name", "label"]

_MANY, _MANY_NARROW = 12, 7
"""More rows than this are not all named in place, in a panel of full width and in a narrow one."""
_WIDEST = 38
"""Characters of a line of a name; a longer name is folded."""
_TOGETHER_PX = 3.0
"""Markers closer than this look like one point, and share one label."""
_LEGIBLE = 20.0
"""A name in a crowded panel may cover so much of others, in square points."""
_FITTING = 72.0
"""And one in a panel of few: half a marker."""
_LONGEST = 160
"""Characters of a name in a key; what is longer loses its middle."""
_IN_PLACE = 140
"""And next to a marker."""
_NEAR = (
    Place(9, 5, "left"),
    Place(-9, 5, "right"),
    Place(9, -14, "left"),
    Place(-9, -14, "right"),
    Place(0, 11, "center"),
    Place(0, -20, "center"),
)
_PLACES = (*_NEAR, *list_leader_places((22, 36, 52, 70, 90, 112, 136, 160, 186), (14, 30, 50, 80)))
"""Of a name in a panel of few rows."""
_CLOSE = (*_NEAR, Place(10, -3, "left"), Place(-10, -3, "right"), *list_leader_places((22, 30), (6, 14, 24)))
"""Of a name in a crowded panel, whose leader line must stay short."""
_RINGS = (
    *(place for radius in (10.5, 12.5, 15.0) for place in list_ring_places(radius, 16, needs_leader=False)),
    *(place for radius in (20.0, 26.0, 33.0) for place in list_ring_places(radius, 16, needs_leader=True)),
)
"""Of a number."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One drawn row and where its marker is, in the units of the axes."""

    spot: Spot
    x: float
    y: float
    named: bool = True
    """False: only an obstacle, whose name stands elsewhere."""

    @property
    def dot(self) -> Dot:
        return Dot(f"{self.spot.strategy}\x1f{self.named}", self.x, self.y)


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the key: the number next to a marker, and the row it stands for."""

    number: int
    name: str
    bold: bool


def label(axes: Axes, marks: Sequence[Mark], look: Look, scale: float = 1.0) -> tuple[Key, ...]:
    """Write next to every marker its name or its number; return what the numbers mean, cheapest row first."""
    ordered = sorted(marks, key=lambda m: (not _is_bold(m.spot, look), -m.y, m.spot.strategy))
    ordered = [mark for mark in ordered if mark.named]
    dots, marks = [mark.dot for mark in marks], ordered
    pen = _Pen(look, scale)
    names = (
        _place_all_names(Board(axes, dots), ordered, pen)
        if len(marks) <= (_MANY if scale >= 1 else _MANY_NARROW)
        else []
    )
    if names:
        for name in names:
            write(axes, name)
        return ()
    board = Board(axes, dots)
    named = _write_close_names(axes, board, ordered, pen)
    rest = [mark for mark in marks if mark.spot.strategy not in named]
    rest.sort(key=lambda m: (m.spot.cost is None, m.x, -m.y, m.spot.strategy))
    keys = tuple(
        Key(number, shorten(mark.spot.strategy, _LONGEST) + _note_gap(mark.spot), _is_bold(mark.spot, look))
        for number, mark in enumerate(rest, 1)
    )
    _write_numbers(axes, board, rest, pen)
    return keys


@dataclass(frozen=True, slots=True)
class _Pen:
    """How names are written."""

    look: Look
    scale: float

    def write_names(self, group: Sequence[Mark]) -> Text:
        """Return names: two a line where they are short; a long one is folded."""
        first, theme = group[0].spot, self.look.theme
        names = sorted(shorten(mark.spot.strategy, _IN_PLACE) for mark in group)
        pairs = [", ".join(names[i : i + 2]) for i in range(0, len(names), 2)]
        folded = [*(f"{pair}," for pair in pairs[:-1]), pairs[-1]]
        lines = [line for pair in folded for line in fold_name(pair, _WIDEST)]
        chosen, bold = first.strategy in self.look.highlight, _is_bold(first, self.look)
        color = theme.accent if chosen else theme.ink if bold else theme.soft
        return Text("\n".join(lines) + _note_gap(first), 9 * self.scale, bold, color, theme.paper, first.sanity)

    def write_numbers(self, text: str, spot: Spot) -> Text:
        return Text(text, 7.5 * max(self.scale, 0.9), _is_bold(spot, self.look), self.look.theme.ink,
                    self.look.theme.paper, spot.sanity)  # fmt: skip


def _is_bold(spot: Spot, look: Look) -> bool:
    return spot.strategy in look.highlight if look.highlight else spot.on_frontier


def _place_all_names(board: Board, ordered: Sequence[Mark], pen: _Pen) -> list[Label]:
    """Return the names of all rows at their places, none if one of them would be hard to read."""
    names = []
    for group in _group_marks(board, ordered, by_kind=True):
        found = board.find_best(group[0].dot, pen.write_names(group), _PLACES)
        if found.lost > _FITTING:
            return []
        board.take(found)
        names.append(found)
    return names


def _write_close_names(axes: Axes, board: Board, ordered: Sequence[Mark], pen: _Pen) -> list[str]:
    """Write the names that a crowded panel has room for; return whose they are."""
    ends = _find_ends(ordered)
    chosen = [
        m for m in ordered if _is_bold(m.spot, pen.look) or m.spot.on_frontier or m.spot.sanity or m.spot.privileged
    ]
    chosen += [m for m in ordered if m.spot.strategy in ends and m not in chosen]
    named: list[str] = []
    for group in _group_marks(board, chosen, by_kind=True):
        found = board.find_best(group[0].dot, pen.write_names(group), _CLOSE)
        if found.lost <= _LEGIBLE:
            board.take(found)
            write(axes, found)
            named += [mark.spot.strategy for mark in group]
    return named


def _write_numbers(axes: Axes, board: Board, rest: Sequence[Mark], pen: _Pen) -> None:
    numbers = {mark.spot.strategy: number for number, mark in enumerate(rest, 1)}
    for group in _group_marks(board, rest, by_kind=False):
        text = ",".join(str(number) for number in sorted(numbers[mark.spot.strategy] for mark in group))
        found = board.find_best(group[0].dot, pen.write_numbers(text, group[0].spot), _RINGS)
        board.take(found)
        write(axes, found)


def _find_ends(marks: Sequence[Mark]) -> tuple[str, ...]:
    """Name the cheapest and the most expensive strategy, between which all others are."""
    priced = sorted((m.x, m.spot.strategy) for m in marks if m.spot.cost is not None)
    return (priced[0][1], priced[-1][1]) if priced else ()


def _group_marks(board: Board, ordered: Sequence[Mark], *, by_kind: bool) -> list[list[Mark]]:
    """Group the markers that lie on one another, and are of one kind, so that one label can name them all."""
    groups: list[list[Mark]] = []
    for mark in ordered:
        for group in groups:
            near = board.distance_px(mark.dot, group[0].dot) < _TOGETHER_PX
            if near and (not by_kind or _is_alike(mark.spot, group[0].spot)):
                group.append(mark)
                break
        else:
            groups.append([mark])
    return groups


def _is_alike(one: Spot, other: Spot) -> bool:
    same = (one.on_frontier, one.sanity) == (other.on_frontier, other.sanity)
    return same and one.ranked and other.ranked


def _note_gap(spot: Spot) -> str:
    return "" if spot.ranked else f" ({spot.n}/{spot.n_total} scored)"


def fold_name(name: str, widest: int) -> list[str]:
    """Cut a name into lines: after a comma, colon, plus, dash or blank where there is one, else anywhere."""
    lines = [""]
    for piece in re.findall(r"[^,:+\- ]*[,:+\- ]+|[^,:+\- ]+", name):
        if len(lines[-1]) + len(piece) > widest and lines[-1]:
            lines.append("")
        while len(piece) > widest:
            lines[-1], piece = piece[:widest], piece[widest:]
            lines.append("")
        lines[-1] += piece
    return [line for line in lines if line]
