"""Where a label finds room in a panel: places round its marker, and how much of other things each would cover.

Knows matplotlib and pixels; not what a label is about. Thin lines are covered rather than markers, markers rather than
letting a label leave the panel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

__all__ = ["Board", "Dot", "Label", "Place", "Text", "list_leader_places", "list_ring_places", "write"]

_SOLID = 6
"""How much worse it is to cover a name or a marker than a thin line."""
_LOST = 60
"""How much worse it is to leave the panel: what leaves the picture cannot be read at all."""
_FAR = 0.7
"""How many square points of a thin line may be covered for every point that a label is nearer to its marker."""
_RADIUS = 6.0
"""Of a marker, with its rim and a little air, in points."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A marker: whose it is, and where, in the units of the axes."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where a label may stand, in points from its marker."""

    dx: float
    dy: float
    ha: Literal["left", "center", "right"]
    va: Literal["baseline", "center"] = "baseline"
    needs_leader: bool = False
    """Far enough to need a leader line."""

    @property
    def far(self) -> float:
        return math.hypot(self.dx, self.dy)


@dataclass(frozen=True, slots=True)
class Text:
    """What a label says, and how."""

    text: str
    size: float
    bold: bool
    color: str
    paper: str = "#ffffff"
    """The ground, which keeps lines from running through the letters."""
    slanted: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A label with its place."""

    dot: Dot
    words: Text
    place: Place
    lost: float
    """What of other labels, markers and leader lines it covers, and of itself leaves the panel, in square points."""


def list_ring_places(radius: float, count: int, *, needs_leader: bool) -> tuple[Place, ...]:
    """Return places on a circle, the upper right first."""
    turns = (math.pi / 4 + 2 * math.pi * step / count for step in range(count))
    points = ((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)
    return tuple(Place(dx, dy, "center", "center", needs_leader) for dx, dy in points)


def list_leader_places(ups: Sequence[float], sides: Sequence[float]) -> tuple[Place, ...]:
    """Return places with a leader line, so far up and down and to the sides."""
    return tuple(
        Place(side * dx, up * dy, "left" if side > 0 else "right", needs_leader=True)
        for dy in ups
        for dx in sides
        for up in (-1, 1)
        for side in (1, -1)
    )


class Board:
    """A panel as far as it is taken, in pixels."""

    def __init__(self, axes: Axes, dots: Sequence[Dot]) -> None:
        self._axes = axes
        self._unit: float = axes.get_figure(root=True).dpi / 72  # type: ignore[union-attr]  # axes in hand have one
        self._at: Mapping[str, Any] = {dot.name: axes.transData.transform((dot.x, dot.y)) for dot in dots}
        self._solid = [_make_square(x, y, _RADIUS * self._unit) for x, y in self._at.values()]
        self._lines = _stack_corners([box for line in axes.get_lines() for box in _trace(line, 2 * self._unit)])
        self._inside = _stack_corners([axes.get_window_extent()])

    def distance_px(self, one: Dot, other: Dot) -> float:
        """Return how far two markers are from one another."""
        return float(np.hypot(*(self._at[one.name] - self._at[other.name])))

    def find_best(self, dot: Dot, words: Text, places: Sequence[Place]) -> Label:
        """Return a label at the place where it covers least; among equals, at the first. Writes nothing."""
        boxes = self._find_boxes(dot, words, places)
        solid = _stack_corners(self._solid)
        covered = [
            _sum_overlap(box, solid) + sum(_sum_overlap(part, solid) for part in self._cover_leader(dot, place, box))
            for place, box in zip(places, boxes, strict=True)
        ]
        outside = [float(box.width * box.height) - _sum_overlap(box, self._inside) for box in boxes]
        costs = [
            _SOLID * hidden + _LOST * away + _sum_overlap(box, self._lines) + (rank + _FAR * place.far) * self._unit**2
            for rank, (place, box, hidden, away) in enumerate(zip(places, boxes, covered, outside, strict=True))
        ]
        chosen = costs.index(min(costs))
        lost = (covered[chosen] + outside[chosen]) / self._unit**2
        return Label(dot, words, places[chosen], lost)

    def take(self, label: Label) -> None:
        """Keep the room of a label, and of its leader line, from those that come after it."""
        (box,) = self._find_boxes(label.dot, label.words, (label.place,))
        self._solid += [box, *self._cover_leader(label.dot, label.place, box)]

    def _find_boxes(self, dot: Dot, words: Text, places: Sequence[Place]) -> list[Bbox]:
        """Return what a text would cover at each place, with a little air around it."""
        first = places[0]
        bare = Place(first.dx, first.dy, first.ha, first.va)  # a leader line would be measured with it
        written = write(self._axes, Label(dot, words, bare, 0))
        size = written.get_window_extent()
        written.remove()
        shift = {"left": 0.0, "center": 0.5, "right": 1.0}
        x, low = self._at[dot.name][0], size.y0 - first.dy * self._unit
        return [
            Bbox.from_bounds(
                x + place.dx * self._unit - shift[place.ha] * size.width,
                low + place.dy * self._unit,
                size.width,
                size.height,
            ).expanded(1.04, 1.1)
            for place in places
        ]

    def _cover_leader(self, dot: Dot, place: Place, box: Bbox) -> list[Bbox]:
        """Cover the leader line between a marker and its label, if the place has one, by small squares."""
        if not place.needs_leader:
            return []
        start = self._at[dot.name]
        way = np.array([min(max(start[0], box.x0), box.x1), min(max(start[1], box.y0), box.y1)]) - start
        length = float(np.hypot(*way))
        steps = np.arange(1.5 * _RADIUS * self._unit, length, 2 * self._unit)
        return [_make_square(x, y, self._unit) for x, y in (start + way * step / length for step in steps)]


def write(axes: Axes, label: Label) -> Annotation:
    """Write a label at its place."""
    words, place = label.words, label.place
    anchor = {"left": 0.0, "center": 0.5, "right": 1.0}[place.ha]
    leader = {
        "arrowstyle": "-",
        "color": words.color,
        "alpha": 0.55,
        "linewidth": 0.6,
        "shrinkA": 1,
        "shrinkB": 5,
        "relpos": (anchor, 0.5),
    }
    return axes.annotate(
        words.text,
        (label.dot.x, label.dot.y),
        (place.dx, place.dy),
        textcoords="offset points",
        ha=place.ha,
        va=place.va,
        fontsize=words.size,
        fontweight="bold" if words.bold else "normal",
        fontstyle="italic" if words.slanted else "normal",
        color=words.color,
        arrowprops=leader if place.needs_leader else None,
        annotation_clip=False,
        # A stroke round the letters would turn text into outlines in SVG and PDF.
        bbox={"boxstyle": "square,pad=0.08", "facecolor": words.paper, "edgecolor": "none", "alpha": 0.8},
        zorder=5,
    )


def _make_square(x: float, y: float, half: float) -> Bbox:
    return Bbox.from_extents(x - half, y - half, x + half, y + half)


def _trace(line: Line2D, half: float) -> list[Bbox]:
    """Cover a line, as drawn, by small squares."""
    path = line.get_transform().transform_path(line.get_path())
    corners = np.asarray(path.vertices)
    if line.get_drawstyle() == "steps-post":
        turns = np.column_stack([corners[1:, 0], corners[:-1, 1]])
        corners = np.vstack([corners[:1], np.stack([turns, corners[1:]], axis=1).reshape(-1, 2)])
    boxes = []
    for start, end in pairwise(corners):
        count = max(2, int(np.hypot(*(end - start)) / (2 * half)))
        boxes += [_make_square(x, y, half) for x, y in np.linspace(start, end, count)]
    return boxes


def _stack_corners(boxes: Sequence[Bbox]) -> npt.NDArray[np.float64]:
    """Return boxes as rows of left, low, right, high."""
    return np.array([box.extents for box in boxes], dtype=np.float64).reshape(-1, 4)


def _sum_overlap(box: Bbox, others: npt.NDArray[np.float64]) -> float:
    """Return the area that a box shares with others, summed."""
    left, low, right, high = box.extents
    wide = np.minimum(right, others[:, 2]) - np.maximum(left, others[:, 0])
    tall = np.minimum(high, others[:, 3]) - np.maximum(low, others[:, 1])
    return float((wide.clip(0) * tall.clip(0)).sum())
