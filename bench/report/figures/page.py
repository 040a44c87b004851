"""The page of a figure: panels of one size side by side, headers above them, keys of numbered rows beneath.

Knows matplotlib and sizes in points; not what a panel shows. A row of panels is as tall as its longest header and key.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from bench.report.figures.labels import INK, SOFT, Key, fold_name

__all__ = ["PLOT_WIDTH", "Header", "KeyTable", "build_key_table", "lay_out", "write_header", "write_key"]

_POINTS = 72
"""In an inch; all sizes below are points."""
_WIDE, _TALL = 475, 256
"""A panel with its margins is so wide; the plot in it is so tall."""
_LEFT, _RIGHT, _FOOT = 56, 12, 40
PLOT_WIDTH = _WIDE - _LEFT - _RIGHT
_LINE, _TITLE = 13, 16
_HEADER_CHARS, _TITLE_CHARS = 84, 52
_KEY_LINE, _KEY_SIZE, _KEY_GAP, _NUMBER = 12, 8.5, 10, 20


@dataclass(frozen=True, slots=True)
class Header:
    """What stands above a plot, from the top: title, what it is about, notes that share a line where they fit."""

    title: str
    about: str
    notes: tuple[str, ...]

    @property
    def note_lines(self) -> list[str]:
        whole = "; ".join(self.notes)
        return [whole] if len(whole) <= _HEADER_CHARS else list(self.notes)

    @property
    def height(self) -> float:
        titles, abouts = textwrap.wrap(self.title, _TITLE_CHARS), textwrap.wrap(self.about, _HEADER_CHARS)
        return 10 + _TITLE * len(titles) + _LINE * (len(abouts) + len(self.note_lines))


@dataclass(frozen=True, slots=True)
class _KeyLine:
    """A number and what it means, drawn and not yet in place."""

    number: Text
    name: Text

    @property
    def height(self) -> float:
        return _KEY_LINE * (self.name.get_text().count("\n") + 1)


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The lines of a key in columns."""

    columns: tuple[tuple[_KeyLine, ...], ...]

    @property
    def height(self) -> float:
        tallest = max((sum(line.height for line in column) for column in self.columns), default=0.0)
        return tallest + _KEY_GAP if tallest else 0.0


def lay_out(figure: Figure, panels: Sequence[Axes], headers: Sequence[Header], keys: Sequence[KeyTable]) -> None:
    """Size the figure and place its panels, two in a row; without ``keys``, as if no panel had one."""
    across = min(2, len(panels))
    under = [table.height for table in keys] or [0.0] * len(panels)
    rows = [range(first, min(first + across, len(panels))) for first in range(0, len(panels), across)]
    above = [max(headers[i].height for i in row) for row in rows]
    below = [_FOOT + max(under[i] for i in row) for row in rows]
    wide, tall = across * _WIDE, sum(above) + sum(below) + _TALL * len(rows)
    figure.set_size_inches(wide / _POINTS, tall / _POINTS)
    low = tall
    for row, over, beneath in zip(rows, above, below, strict=True):
        low -= over + _TALL
        for column, i in enumerate(row):
            left = column * _WIDE + _LEFT
            panels[i].set_position((left / wide, low / tall, PLOT_WIDTH / wide, _TALL / tall))
        low -= beneath


def write_header(axes: Axes, header: Header) -> None:
    """Write it from the plot upward, so that the plots of a row are level whatever is above them."""
    up = 5.0
    lines = [(line, 8.5, SOFT, _LINE) for line in reversed(header.note_lines)]
    lines += [(line, 8.5, INK, _LINE) for line in reversed(textwrap.wrap(header.about, _HEADER_CHARS))]
    lines += [(line, 12, INK, _TITLE) for line in reversed(textwrap.wrap(header.title, _TITLE_CHARS))]
    for line, size, color, height in lines:
        axes.annotate(
            line, (0, 1), (0, up), xycoords="axes fraction", textcoords="offset points", fontsize=size, color=color,
            fontweight="bold" if height == _TITLE else "normal", va="bottom", ha="left", annotation_clip=False,
        )  # fmt: skip
        up += height


def build_key_table(figure: Figure, keys: Sequence[Key]) -> KeyTable:
    """Draw the lines of a key, for now anywhere, in as many columns as the longest name leaves room for: two or one."""
    room = PLOT_WIDTH - _NUMBER
    chars = max((len(key.name) for key in keys), default=0)
    lines = _draw_key_lines(figure, keys, chars)
    while (widest := _measure_widest(figure, lines)) > room and chars > 1:
        for line in lines:
            line.number.remove()
            line.name.remove()
        chars = max(1, min(chars - 1, int(chars * room / widest)))
        lines = _draw_key_lines(figure, keys, chars)
    if not lines:
        return KeyTable(())
    if 2 * (_NUMBER + widest) + _KEY_GAP > PLOT_WIDTH:
        return KeyTable((tuple(lines),))
    half = (len(lines) + 1) // 2
    return KeyTable((tuple(lines[:half]), tuple(lines[half:])))


def _measure_widest(figure: Figure, lines: Sequence[_KeyLine]) -> float:
    return max((line.name.get_window_extent().width for line in lines), default=0.0) * _POINTS / figure.dpi


def _draw_key_lines(figure: Figure, keys: Sequence[Key], chars: int) -> list[_KeyLine]:
    out = []
    for key in keys:
        weight = "bold" if key.on_frontier else "normal"
        meant = fold_name(key.name, chars)
        digits = f"{key.number}" + "\n" * (len(meant) - 1)  # as many lines as the name, or they would not be level
        number, name = (
            figure.text(0, 0, words, fontsize=_KEY_SIZE, fontweight=weight, color=color, va="top", ha=side)
            for words, color, side in ((digits, SOFT, "right"), ("\n".join(meant), INK, "left"))
        )
        out.append(_KeyLine(number, name))
    return out


def write_key(figure: Figure, axes: Axes, table: KeyTable) -> None:
    """Put the lines of a key beneath their plot."""
    wide, tall = (inches * _POINTS for inches in figure.get_size_inches())
    place = axes.get_position()
    for number, column in enumerate(table.columns):
        left = place.x0 * wide + number * PLOT_WIDTH / 2
        low = place.y0 * tall - _FOOT
        for line in column:
            line.number.set_position(((left + _NUMBER - 6) / wide, low / tall))
            line.name.set_position(((left + _NUMBER) / wide, low / tall))
            low -= line.height
