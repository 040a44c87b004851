"""Lines over one axis, a panel for each block, one below the other, each with its legend beneath: the curves by step
and the learning curve.

Up to six lines have their 95 % bars, beside each other where lines meet; of more, the numbers have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bench.report.figures.page import Header, Page, write_header
from bench.report.figures.scales import format_number
from bench.report.figures.style import POINTS, Look, draw_grid, shorten

__all__ = ["MOST_BARS", "Line", "LinePanel", "build_line_figure"]

MOST_BARS = 6
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[tuple[int, tuple[float, ...]], ...] = ((0, (1, 1.5)), (0, (4, 2)), (0, (6, 1.5, 1, 1.5)), (0, (2, 3)))
_APART = 0.018
"""Of the drawn width, between the bars of two lines at one place."""
_LEGEND_LINE, _LEGEND_SIZE, _NAME_CHARS = 13.0, 8.5, 44


@dataclass(frozen=True, slots=True)
class Line:
    """One named line. ``level``: it has one value, drawn from edge to edge. Bars may be NaN: there is none."""

    name: str
    xs: tuple[float, ...]
    values: tuple[float, ...]
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()
    level: bool = False


@dataclass(frozen=True, slots=True)
class LinePanel:
    """What one panel shows. ``stairs``: a value holds until the next. Lines with one name look alike in all panels of
    the same names, whatever their order."""

    header: Header
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    share: bool
    log: bool = False
    stairs: bool = False
    every: int = 1
    """A marker, and a bar, at every so many values."""


def build_line_figure(panels: Sequence[LinePanel], look: Look) -> Figure:
    """Return the figure."""
    with mpl.rc_context(look.rc):
        page = Page(look, 1)
        legends = [_measure_legend(panel, page) for panel in panels]
        figure = Figure(dpi=150)
        FigureCanvasAgg(figure)
        axes = [figure.add_axes((0, 0, 1, 1), label=str(at)) for at in range(len(panels))]
        page.stack(figure, axes, [panel.header for panel in panels], legends)
        for plot, panel in zip(axes, panels, strict=True):
            _draw_panel(plot, panel, page)
            write_header(plot, panel.header, page)
    return figure


def _shorten(name: str, page: Page) -> str:
    """Return a name that has room in a line of the legend."""
    room = (page.plot_wide - 44 * page.scale) / (_LEGEND_SIZE * page.scale * 0.64)
    return shorten(name, min(_NAME_CHARS, int(room)))


def _count_columns(panel: LinePanel, page: Page) -> int:
    longest = max((len(_shorten(line.name, page)) for line in panel.lines), default=1)
    return max(1, int(page.plot_wide / ((0.55 * longest * _LEGEND_SIZE + 38) * page.scale)))


def _measure_legend(panel: LinePanel, page: Page) -> float:
    return 8 + _LEGEND_LINE * page.scale * -(-len(panel.lines) // _count_columns(panel, page))


def _draw_panel(axes: Axes, panel: LinePanel, page: Page) -> None:
    _draw_frame(axes, panel, page)
    moving = [line for line in panel.lines if not line.level]
    for line, dash in zip([line for line in panel.lines if line.level], cycle(_DASHES), strict=False):
        color = page.look.theme.accent if line.name in page.look.highlight else page.look.theme.soft
        axes.axhline(line.values[0], color=color, linewidth=1.1, linestyle=dash, zorder=1.5,
                     label=_shorten(line.name, page))  # fmt: skip
    numbers = {name: number for number, name in enumerate(sorted(line.name for line in moving))}
    for line in moving:
        _draw_line(axes, panel, line, numbers[line.name], len(moving), page)
    axes.legend(
        loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=_move_down(axes, page.foot), frameon=False,
        ncols=_count_columns(panel, page), fontsize=_LEGEND_SIZE * page.scale, borderaxespad=0, borderpad=0,
        handlelength=2.4, labelspacing=0.35, columnspacing=1.4,
    )  # fmt: skip


def _move_down(axes: Axes, points: float) -> mpl.transforms.Transform:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return axes.transAxes + mpl.transforms.ScaledTranslation(0, -points / POINTS, figure.dpi_scale_trans)


def _draw_frame(axes: Axes, panel: LinePanel, page: Page) -> None:
    xs = sorted({x for line in panel.lines for x in line.xs if x % panel.every == 0})
    if panel.log:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(_thin(xs, page)))
        if xs:
            axes.set_xlim(xs[0] / 1.25, xs[-1] * 1.25)
    elif xs:
        gap = 0.03 * (xs[-1] - xs[0] or 1)
        axes.set_xlim(min(0.0, xs[0]), max(x for line in panel.lines for x in line.xs) + gap)
        axes.xaxis.set_major_locator(FixedLocator(_thin(sorted({0.0, *xs}), page)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value)))
    if panel.share:
        axes.set_ylim(0, 1.05)
        axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))
    draw_grid(axes, page.look)
    axes.tick_params(labelsize=9.5 * page.scale, pad=3)
    tall = axes.get_window_extent().height * POINTS / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    axes.set_xlabel(page.fit_label(panel.x_label, page.plot_wide), fontsize=9.5 * page.scale, labelpad=3)
    axes.set_ylabel(page.fit_label(panel.y_label, tall), fontsize=9.5 * page.scale, labelpad=3)


def _thin(places: Sequence[float], page: Page) -> list[float]:
    """Return those of the places whose numbers have room beside each other."""
    most = max(2, int(page.plot_wide / (30 * page.scale)))
    step = -(-len(places) // most)
    return list(places[::step])


def _draw_line(axes: Axes, panel: LinePanel, line: Line, number: int, of: int, page: Page) -> None:
    theme, chosen = page.look.theme, page.look.highlight
    color = (
        theme.palette[number % len(theme.palette)]
        if not chosen
        else theme.accent
        if line.name in chosen
        else theme.rest
    )
    dash = "-" if number < len(theme.palette) else _DASHES[number // len(theme.palette) % len(_DASHES)]
    low, high = axes.get_xlim()
    # Bars stand beside each other; lines of few points move with theirs, others stay where their values are.
    turn = _APART * (number - (of - 1) / 2) if of <= MOST_BARS else 0.0
    aside = [x * (high / low) ** turn if panel.log else x + (high - low) * turn * 0.6 for x in line.xs]
    xs = aside if panel.every == 1 and not panel.stairs else line.xs
    axes.plot(
        xs, line.values, color=color, marker=_MARKERS[number % len(_MARKERS)], markersize=4.6 * page.scale,
        linewidth=1.4 * page.scale, linestyle=dash, zorder=4 if line.name in chosen else 3, clip_on=False,
        markevery=panel.every,
        drawstyle="steps-post" if panel.stairs else "default", label=_shorten(line.name, page),
    )  # fmt: skip
    for x, bottom, top in (
        list(zip(aside, line.lows, line.highs, strict=False))[:: panel.every] if of <= MOST_BARS else ()
    ):
        axes.plot([x, x], [bottom, top], color=color, linewidth=1.0 * page.scale, alpha=0.5, zorder=2)
