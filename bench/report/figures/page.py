"""The page of a figure: panels of one size, headers above them, keys of numbered rows beneath.

Knows matplotlib and sizes in points; not what a panel shows. A row of panels is as tall as its longest header and key.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from bench.errors import UsageError
from bench.report.figures.labels import Key, fold_name
from bench.report.figures.style import POINTS, Look, shorten

__all__ = ["Header", "KeyTable", "Page", "write_header"]

_WIDE, _TALL = 475.0, 256.0
"""Points: a panel with its margins is so wide; the plot in it is so tall."""
_SHORT, _SHORTEST = 0.62, 60.0
"""A narrow plot is so much of its width tall; one of fewer points shows nothing."""
_LEFT, _RIGHT, _FOOT = 56, 12, 40
_LINE, _TITLE, _ABOVE = 13, 16, 10
_CHAR, _BOLD_CHAR = 0.545, 0.68
"""Of the size of a letter: how wide it is."""
_KEY_LINE, _KEY_SIZE, _KEY_GAP, _NUMBER = 12, 8.5, 10, 20
_BRACKETS = re.compile(r"(?P<head>.*?) ?\((?P<inside>[^()]*)\)")
_TWO_FROM = 460.0
"""Two panels stand side by side on a page of so many points."""


@dataclass(frozen=True, slots=True)
class Header:
    """What stands above a plot, from the top: title, what it is about, notes that share a line where they fit."""

    title: str
    about: str
    notes: tuple[str, ...]

    def list_lines(self, wide: float, scale: float) -> list[tuple[str, float, str, float]]:
        """Return the lines from below, each with its size, its place in a theme and its height."""
        chars = max(12, int(wide / (8.5 * scale * _CHAR)))
        notes = _pack(self.notes, chars)
        small = [*_wrap(self.about, chars), *notes] if self.about else notes
        soft = len(small) - len(notes)
        lines = [(line, 8.5 * scale, "ink" if at < soft else "soft", _LINE * scale) for at, line in enumerate(small)]
        titles = _wrap(self.title, max(8, int(wide / (12 * scale * _BOLD_CHAR))))
        return [*reversed(lines), *((line, 12 * scale, "title", _TITLE * scale) for line in reversed(titles))]

    def measure(self, wide: float, scale: float) -> float:
        return _ABOVE + sum(height for *_, height in self.list_lines(wide, scale))


@dataclass(frozen=True, slots=True)
class _KeyLine:
    """A number and what it means, drawn and not yet in place."""

    number: Text
    name: Text

    def measure(self, scale: float) -> float:
        return scale * _KEY_LINE * (self.name.get_text().count("\n") + 1)


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The lines of a key in columns."""

    columns: tuple[tuple[_KeyLine, ...], ...]

    def measure(self, scale: float) -> float:
        tallest = max((sum(line.measure(scale) for line in column) for column in self.columns), default=0.0)
        return tallest + _KEY_GAP if tallest else 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """The sizes of a figure of so many panels."""

    look: Look
    panels: int

    @property
    def across(self) -> int:
        roomy = self.look.wide is None or self.look.wide >= _TWO_FROM
        return min(2 if roomy else 1, self.panels)

    @property
    def panel_wide(self) -> float:
        return _WIDE if self.look.wide is None else self.look.wide / self.across

    @property
    def scale(self) -> float:
        return self.look.scale(self.panel_wide)

    @property
    def left(self) -> float:
        return _LEFT * self.scale

    @property
    def plot_wide(self) -> float:
        return self.panel_wide - self.left - _RIGHT

    def fit_label(self, words: str, room: float) -> str:
        """Return the label of an axis so that it has room: without an explanation in brackets, then shortened."""
        most = max(12, int(room / (9.5 * self.scale * _CHAR)))
        if len(words) > most and (found := _BRACKETS.fullmatch(words)):
            words = found["head"] + (" (log scale)" if "log scale" in found["inside"] else "")
        return shorten(words, most)

    @property
    def foot(self) -> float:
        return _FOOT * self.scale

    def lay_out(
        self, figure: Figure, axes: Sequence[Axes], headers: Sequence[Header], keys: Sequence[KeyTable]
    ) -> None:
        """Size the figure and place its panels; without ``keys``, as if no panel had one.

        Raises: UsageError if a height that was asked for leaves no room for a plot.
        """
        under = [table.measure(self.scale) for table in keys] or [0.0] * self.panels
        rows = [range(i, min(i + self.across, self.panels)) for i in range(0, self.panels, self.across)]
        above = [max(headers[i].measure(self.plot_wide, self.scale) for i in row) for row in rows]
        below = [self.foot + max(under[i] for i in row) for row in rows]
        plot = self._choose_height(sum(above) + sum(below), len(rows))
        wide, tall = self.across * self.panel_wide, sum(above) + sum(below) + plot * len(rows)
        figure.set_size_inches(wide / POINTS, tall / POINTS)
        low = tall
        for row, over, beneath in zip(rows, above, below, strict=True):
            low -= over + plot
            for column, i in enumerate(row):
                place = (column * self.panel_wide + self.left) / wide
                axes[i].set_position((place, low / tall, self.plot_wide / wide, plot / tall))
            low -= beneath

    def stack(self, figure: Figure, axes: Sequence[Axes], headers: Sequence[Header], under: Sequence[float]) -> None:
        """Size the figure and place panels one below the other, with so many points beneath each for its legend."""
        above = [header.measure(self.plot_wide, self.scale) for header in headers]
        taken = sum(above) + sum(under) + len(axes) * self.foot
        plot = self._choose_height(taken, len(axes))
        wide, tall = self.panel_wide, taken + plot * len(axes)
        figure.set_size_inches(wide / POINTS, tall / POINTS)
        low = tall
        for each, over, beneath in zip(axes, above, under, strict=True):
            low -= over + plot
            each.set_position((self.left / wide, low / tall, self.plot_wide / wide, plot / tall))
            low -= self.foot + beneath

    def _choose_height(self, taken: float, rows: int) -> float:
        if self.look.tall is None:
            return min(_TALL, max(120.0, _SHORT * self.plot_wide))
        plot = (self.look.tall - taken) / rows
        if plot < _SHORTEST:
            least = (taken + rows * _SHORTEST) / POINTS
            raise UsageError(
                f"figure: expected a height with room for {rows} {'plots' if rows > 1 else 'plot'}, got "
                f"{self.look.tall / POINTS:g} inches; write at least {least:.1f}, or leave the height out"
            )
        return plot

    def build_key_table(self, figure: Figure, keys: Sequence[Key]) -> KeyTable:
        """Draw the lines of a key, for now anywhere, in as many columns as the longest name leaves room for: two or
        one."""
        room = self.plot_wide - _NUMBER
        chars = max((len(key.name) for key in keys), default=0)
        lines = self._draw_key_lines(figure, keys, chars)
        while (widest := _measure_widest(figure, lines)) > room and chars > 1:
            for line in lines:
                line.number.remove()
                line.name.remove()
            chars = max(1, min(chars - 1, int(chars * room / widest)))
            lines = self._draw_key_lines(figure, keys, chars)
        if not lines:
            return KeyTable(())
        if 2 * (_NUMBER + widest) + _KEY_GAP > self.plot_wide:
            return KeyTable((tuple(lines),))
        half = (len(lines) + 1) // 2
        return KeyTable((tuple(lines[:half]), tuple(lines[half:])))

    def _draw_key_lines(self, figure: Figure, keys: Sequence[Key], chars: int) -> list[_KeyLine]:
        out, theme = [], self.look.theme
        for key in keys:
            weight = "bold" if key.bold else "normal"
            meant = fold_name(key.name, chars)
            digits = f"{key.number}" + "\n" * (len(meant) - 1)  # as many lines as the name, or they would not be level
            size = _KEY_SIZE * self.scale
            number, name = (
                figure.text(0, 0, words, fontsize=size, fontweight=weight, color=color, va="top", ha=side)
                for words, color, side in ((digits, theme.soft, "right"), ("\n".join(meant), theme.ink, "left"))
            )
            out.append(_KeyLine(number, name))
        return out

    def write_key(self, figure: Figure, axes: Axes, table: KeyTable) -> None:
        """Put the lines of a key beneath their plot."""
        wide, tall = (inches * POINTS for inches in figure.get_size_inches())
        place = axes.get_position()
        for number, column in enumerate(table.columns):
            left = place.x0 * wide + number * self.plot_wide / 2
            low = place.y0 * tall - self.foot
            for line in column:
                line.number.set_position(((left + _NUMBER - 6) / wide, low / tall))
                line.name.set_position(((left + _NUMBER) / wide, low / tall))
                low -= line.measure(self.scale)


def write_header(axes: Axes, header: Header, page: Page) -> None:
    """Write it from the plot upward, so that the plots of a row are level whatever is above them."""
    up, theme = 5.0, page.look.theme
    for line, size, kind, height in header.list_lines(page.plot_wide, page.scale):
        axes.annotate(
            line, (0, 1), (0, up), xycoords="axes fraction", textcoords="offset points", fontsize=size,
            color=theme.soft if kind == "soft" else theme.ink, fontweight="bold" if kind == "title" else "normal",
            va="bottom", ha="left", annotation_clip=False,
        )  # fmt: skip
        up += height


def _pack(notes: Sequence[str], chars: int) -> list[str]:
    """Return lines of so many characters: notes share one where they fit, and are broken only where one alone does
    not."""
    lines: list[str] = []
    for note in notes:
        if lines and len(lines[-1]) + 2 + len(note) <= chars:
            lines[-1] += f"; {note}"
        else:
            lines += _wrap(note, chars)
    return lines


def _wrap(text: str, chars: int) -> list[str]:
    return textwrap.wrap(shorten(text, 6 * chars), chars, break_on_hyphens=False)


def _measure_widest(figure: Figure, lines: Sequence[_KeyLine]) -> float:
    return max((line.name.get_window_extent().width for line in lines), default=0.0) * POINTS / figure.dpi
