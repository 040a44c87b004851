"""Stacked bars, a bar for each strategy and a panel for each block, one below the other: shares or amounts.

The parts are told apart by colour-blind readers and, with their hatches, in black and white. What is narrower than its
number has none; the numbers of all are in the text twin.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from bench.report.figures.labels import fold_name
from bench.report.figures.scales import format_number
from bench.report.figures.style import POINTS, Look, shorten

__all__ = ["BarPanel", "BarRow", "Part", "build_bar_figure"]

_WIDE = 640.0
_LEFT, _RIGHT = 0.3, 0.1
"""Of the width: the room for names and for what stands right of a bar."""
_BAR, _LINE, _FOOT, _AIR = 19.0, 11.0, 32.0, 14.0
_THICK = 0.74
_LEGIBLE = 8.5
"""Points of width that each letter of a number takes with the air around it."""
_CHAR, _BOLD_CHAR = 0.57, 0.68
_NAME_LINES = 3


@dataclass(frozen=True, slots=True)
class Part:
    """One colour of the bars. ``pale``: the part that is no news."""

    name: str
    light: str
    dark: str
    hatch: str = ""
    pale: bool = False

    def choose_color(self, look: Look) -> str:
        if self.pale:
            return look.theme.pale
        return self.light if look.theme.paper == "#ffffff" else self.dark


@dataclass(frozen=True, slots=True)
class BarRow:
    """One bar: the amount of each part, what stands right of it, and why it is empty where it is."""

    name: str
    values: tuple[float, ...]
    beside: str
    why_empty: str = ""


@dataclass(frozen=True, slots=True)
class BarPanel:
    """The bars of one block."""

    title: str
    about: str
    rows: tuple[BarRow, ...]
    share: bool
    x_label: str = ""


def build_bar_figure(panels: Sequence[BarPanel], parts: Sequence[Part], look: Look) -> Figure:
    """Return the figure. ``parts``: the names and colours of the amounts, in their order."""
    with mpl.rc_context(look.rc):
        page = _BarPage(look)
        key, heights = page.measure_key(parts), [page.measure(panel) for panel in panels]
        tall = key + sum(heights)
        squeeze = 1.0
        if look.tall is not None:
            fixed = tall - sum(page.measure_bars(panel) for panel in panels)
            squeeze = max(0.5, (look.tall - fixed) / (tall - fixed))
            tall = fixed + (tall - fixed) * squeeze
        figure = Figure(figsize=(page.wide / POINTS, tall / POINTS), dpi=150)
        FigureCanvasAgg(figure)
        top = tall - key
        for panel in panels:
            bars, height = squeeze * page.measure_bars(panel), page.measure(panel)
            height += bars - page.measure_bars(panel)
            place = (
                page.left / page.wide,
                (top - height + page.measure_foot(panel)) / tall,
                page.plot / page.wide,
                bars / tall,
            )
            page.draw_panel(figure.add_axes(place), panel, parts)
            top -= height
        page.write_key(figure, tall, parts)
    return figure


@dataclass(frozen=True, slots=True)
class _BarPage:
    """The sizes of a figure and what is drawn on it."""

    look: Look

    @property
    def wide(self) -> float:
        return _WIDE if self.look.wide is None else self.look.wide

    @property
    def scale(self) -> float:
        return self.look.scale(self.wide)

    @property
    def left(self) -> float:
        return _LEFT * self.wide

    @property
    def right(self) -> float:
        return max(_RIGHT * self.wide, 44 * self.scale)

    @property
    def plot(self) -> float:
        return self.wide - self.left - self.right

    def size(self, points: float) -> float:
        return points * self.scale

    def fold(self, name: str) -> list[str]:
        chars = int((self.left - 20) / (self.size(8.5) * _CHAR))
        return fold_name(shorten(name, _NAME_LINES * chars - 4), chars)

    def measure_bars(self, panel: BarPanel) -> float:
        return sum(max(_BAR, _LINE * len(self.fold(row.name)) + 4) for row in panel.rows) * self.scale + 6

    def measure_foot(self, panel: BarPanel) -> float:
        return self.size(_FOOT + (12 if panel.x_label else 0))

    def measure(self, panel: BarPanel) -> float:
        head = 14 + sum(size + 4 for _, size, _ in self.list_head(panel))
        return head + self.measure_bars(panel) + self.measure_foot(panel)

    def list_head(self, panel: BarPanel) -> list[tuple[str, float, bool]]:
        """Return the lines above a panel from below, with their size and whether they are a title."""
        room = self.wide - 28
        title = panel.title if self.look.title is None else self.look.title
        small = textwrap.wrap(panel.about, int(room / (self.size(8.5) * _CHAR)), break_on_hyphens=False)
        large = textwrap.wrap(shorten(title, 300), int(room / (self.size(11) * _BOLD_CHAR)), break_on_hyphens=False)
        lines = [*((line, 8.5, False) for line in reversed(small)), *((line, 11.0, True) for line in reversed(large))]
        return [(line, self.size(size), bold) for line, size, bold in lines]

    def draw_panel(self, axes: Axes, panel: BarPanel, parts: Sequence[Part]) -> None:
        folded = [self.fold(row.name) for row in panel.rows]
        heights = [max(_BAR, _LINE * len(lines) + 4) / _BAR for lines in folded]
        places, at = [], -0.5
        for height in heights:
            places.append(at + height / 2)
            at += height
        longest = max((sum(row.values) for row in panel.rows), default=1.0)
        end = 1.0 if panel.share else (longest or 1.0) * 1.02
        axes.set_xlim(0, end)
        axes.set_ylim(at, -0.5)
        for y, row in zip(places, panel.rows, strict=True):
            self._draw_bar(axes, y, row, parts, end, panel.share)
        axes.set_yticks(places, ["\n".join(lines) for lines in folded])
        if panel.share:
            axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        else:
            axes.xaxis.set_major_locator(MaxNLocator(nbins=max(2, int(self.plot / 80)), steps=[1, 2, 2.5, 5, 10]))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value)))
            axes.set_xlabel(shorten(panel.x_label, int(self.plot / (self.size(9) * _CHAR))), fontsize=self.size(9))
        axes.tick_params(which="both", length=0, labelsize=self.size(8.5))
        axes.tick_params(axis="y", labelcolor=self.look.theme.ink)
        for label, row in zip(axes.get_yticklabels(), panel.rows, strict=True):
            if row.name in self.look.highlight:
                label.set_color(self.look.theme.accent)
                label.set_fontweight("bold")
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        self._write_head(axes, panel)

    def _draw_bar(self, axes: Axes, y: float, row: BarRow, parts: Sequence[Part], end: float, share: bool) -> None:
        theme = self.look.theme
        full = 1.0 if share else sum(row.values)
        axes.annotate(
            row.beside, (full, y), (6, 0), xycoords="data", textcoords="offset points", fontsize=self.size(8),
            color=theme.soft, va="center_baseline", ha="left", annotation_clip=False,
        )  # fmt: skip
        if row.why_empty:
            why = shorten(row.why_empty, int(self.plot / (self.size(8) * _CHAR)))
            axes.text(0.01 * end, y, why, fontsize=self.size(8), color=theme.soft, va="center")
            return
        left = 0.0
        for value, part in zip(row.values, parts, strict=True):
            color = part.choose_color(self.look)
            axes.barh(y, value, _THICK, left, color=color, hatch=part.hatch, edgecolor=theme.paper, linewidth=0.6)
            text = f"{100 * value:.0f}" if share else format_number(float(f"{value:.2g}"))
            if value / end * self.plot >= _LEGIBLE * self.scale * (len(text) + 0.5):
                self._write_number(axes, left + value / 2, y, text, color)
            left += value

    def _write_number(self, axes: Axes, x: float, y: float, text: str, color: str) -> None:
        red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
        bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.52
        axes.text(
            x, y, text, fontsize=self.size(8), color="#1f2933" if bright else "white", va="center_baseline",
            ha="center", fontweight="bold",
            bbox={"boxstyle": "round,pad=0.12", "facecolor": color, "edgecolor": "none"},
        )  # fmt: skip

    def _write_head(self, axes: Axes, panel: BarPanel) -> None:
        up = 4.0
        for line, size, bold in self.list_head(panel):
            axes.annotate(
                line, (0, 1), (14 - self.left, up), xycoords="axes fraction", textcoords="offset points", fontsize=size,
                color=self.look.theme.ink if bold else self.look.theme.soft, fontweight="bold" if bold else "normal",
                va="bottom", ha="left", annotation_clip=False,
            )  # fmt: skip
            up += size + 4

    def _count_columns(self, parts: Sequence[Part]) -> int:
        """Return the most columns of the key that have room beside each other; they are filled from the top."""
        for columns in range(len(parts), 1, -1):
            rows = -(-len(parts) // columns)
            longest = [max(len(part.name) for part in parts[at : at + rows]) for at in range(0, len(parts), rows)]
            if sum(self.size(8.5 * 0.55 * chars + 30) for chars in longest) <= self.wide - 20:
                return columns
        return 1

    def measure_key(self, parts: Sequence[Part]) -> float:
        return 12 + self.size(14) * -(-len(parts) // self._count_columns(parts))

    def write_key(self, figure: Figure, tall: float, parts: Sequence[Part]) -> None:
        paper = self.look.theme.paper
        patches = [
            Patch(facecolor=part.choose_color(self.look), hatch=part.hatch, edgecolor=paper, label=part.name)
            for part in parts
        ]
        figure.legend(
            handles=patches, loc="upper left", bbox_to_anchor=(14 / self.wide, (tall - 6) / tall),
            ncols=self._count_columns(parts), fontsize=self.size(8.5), frameon=False, handlelength=1.4,
            handleheight=1.0, columnspacing=1.4, borderaxespad=0, borderpad=0, labelspacing=0.4,
        )  # fmt: skip
