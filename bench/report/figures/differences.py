"""Two strategies task by task as a picture: sorted differences with their shift; of scores of 0 or 1 a table of dots.

Colours say who is better on a task, whichever way of the metric is better; so does the side where the dots are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from bench.report.columns import format_p, format_value
from bench.report.differences import Differences, find_p
from bench.report.figures.page import Header, Page, write_header
from bench.report.figures.scales import format_number
from bench.report.figures.style import POINTS, About, Look, draw_grid, save, shorten
from bench.scoring.metric import Topic

__all__ = ["build_difference_figure", "draw_differences"]

_NAME_CHARS = 40
_MOST_BARS = 400
"""Of more tasks the sorted differences are an area, not bars."""
_MOST_DOTS = 240
"""Dots in a cell; of more tasks one dot stands for several."""
_STRIP, _GAP = 0.24, 0.03
"""Of the height of a cell: the room of its count; of its sides: the air around its dots."""


def draw_differences(found: Sequence[Differences], path: Path, look: Look | None = None) -> None:
    """Draw a panel for each block and write the file. Raises: UsageError, StoreError."""
    look = look or Look()
    lines = [f"{one.found.block}: {_summarize(one)}" for one in found]
    title = f"{found[0].found.a} against {found[0].found.b}, task by task"
    save("figure differences", path, lambda: build_difference_figure(found, look), look, About(title, tuple(lines)))


def build_difference_figure(found: Sequence[Differences], look: Look | None = None) -> Figure:
    """Return the figure."""
    look = look or Look()
    with mpl.rc_context(look.rc):
        page = Page(look, 1)
        headers = [_write_header_text(one, look) for one in found]
        figure = Figure(dpi=150)
        FigureCanvasAgg(figure)
        axes = [figure.add_axes((0, 0, 1, 1), label=str(at)) for at in range(len(found))]
        page.stack(figure, axes, headers, [0.0] * len(found))
        for plot, one, header in zip(axes, found, headers, strict=True):
            (_draw_cells if one.binary else _draw_sorted)(plot, one, page)
            write_header(plot, header, page)
    return figure


def _write_header_text(one: Differences, look: Look) -> Header:
    suite, _, rest = one.found.block.partition(" · ")
    first, second = shorten(one.found.a, _NAME_CHARS), shorten(one.found.b, _NAME_CHARS)
    title = f"{suite}: {one.name} of {first} and {second}" if look.title is None else look.title
    each = _count_tasks_of_a_dot(one)
    dots = (f"one dot = {each} tasks",) if one.binary and each > 1 else ()
    return Header(title, rest if title else "", (_summarize(one), *dots))


def _summarize(one: Differences) -> str:
    c, unit = one.found, " points" if one.metric.is_share else ""
    parts = [f"{c.wins} wins, {c.ties} ties, {c.losses} losses of {c.n_pairs}"]
    if not one.binary:
        interval = f" [{_show(one, one.interval.low)}, {_show(one, one.interval.high)}]" if one.interval else ""
        parts.append(f"Hodges-Lehmann shift {_show(one, one.shift)}{unit}{interval}")
    mean = c.by_cluster or (None if c.one_conversation else c.interval)
    around = f" [{_show(one, mean.low)}, {_show(one, mean.high)}]" if mean else ""
    parts.append(f"mean difference {_show(one, c.difference)}{unit}{around}")
    p = find_p(one)
    return "; ".join([*parts, *([] if p is None else [f"p {'' if p < 0.001 else '= '}{format_p(p)}"])])


def _show(one: Differences, value: float) -> str:
    text = format_value(one.metric, value)
    return f"+{text}" if value > 0 and not text.startswith("-") else text


def _draw_sorted(axes: Axes, one: Differences, page: Page) -> None:
    theme = page.look.theme
    d = np.sort(np.asarray(one.pairs.differences))[::-1]
    good, places = d * one.pairs.sign > 0, np.arange(1, len(d) + 1)
    if len(d) <= _MOST_BARS:
        colors = [theme.main if won else theme.accent for won in good]
        axes.bar(places, d, width=1.0 if len(d) > 60 else 0.8, color=colors, linewidth=0, zorder=2)
        ties = places[np.abs(d) < 1e-9]
        axes.plot(ties, np.zeros(len(ties)), ".", color=theme.rest, markersize=3, zorder=3)
    else:
        for side, color in ((good, theme.main), (~good, theme.accent)):
            axes.fill_between(places, np.where(side, d, 0.0), 0, step="mid", color=color, linewidth=0, zorder=2)
    axes.axhline(0, color=theme.soft, linewidth=0.9, zorder=3)
    axes.axhline(one.shift, color=theme.ink, linewidth=1.2, linestyle=(0, (4, 2)), zorder=4)
    if one.interval is not None:
        axes.axhspan(one.interval.low, one.interval.high, color=theme.ink, alpha=0.1, linewidth=0, zorder=1)
    _set_up_sorted(axes, one, page, d)


def _set_up_sorted(axes: Axes, one: Differences, page: Page, d: npt.NDArray[np.float64]) -> None:
    reach = max(float(np.abs(d).max(initial=0.0)), abs(one.shift)) or 1.0
    ends = [float(d.min(initial=0.0)), float(d.max(initial=0.0)), one.shift, 0.0]
    ends += [one.interval.low, one.interval.high] if one.interval else []
    axes.set_ylim(min(ends) - 0.12 * reach, max(ends) + 0.12 * reach)
    axes.set_xlim(0.3, len(d) + 0.7)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
    factor = 100 if one.metric.is_share else 1
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda v, _: f"{'+' if v > 1e-12 else ''}{format_number(round(factor * v, 9))}")
    )
    draw_grid(axes, page.look, vertical=False)
    axes.tick_params(labelsize=9.5 * page.scale, pad=3)
    item = "questions" if any(" " in task for task in one.pairs.tasks) else "tasks"
    tall = _measure_height(axes)
    axes.set_xlabel(f"{item}, by difference", fontsize=9.5 * page.scale, labelpad=3)
    words = f"difference of {one.name}{' (points)' if one.metric.is_share else ''}"
    axes.set_ylabel(page.fit_label(words, tall), fontsize=9.5 * page.scale, labelpad=3)
    _name_sides(axes, one, page)


def _name_sides(axes: Axes, one: Differences, page: Page) -> None:
    """Say at both ends who is better there, in the colour of the bars."""
    theme, up = page.look.theme, one.pairs.sign > 0
    chars = max(8, int(page.plot_wide / 2 / (8.5 * page.scale * 0.6)) - 8)
    for name, color, high in ((one.found.a, theme.main, up), (one.found.b, theme.accent, not up)):
        # The bars of differences above zero are on the left: the other corner of their half is free.
        axes.annotate(
            f"{shorten(name, chars)} better", (1, 1) if high else (0, 0), (-4, -4) if high else (4, 4),
            xycoords="axes fraction", textcoords="offset points", ha="right" if high else "left",
            va="top" if high else "bottom", color=color, fontsize=8.5 * page.scale, fontweight="bold",
        )  # fmt: skip


def _draw_cells(axes: Axes, one: Differences, page: Page) -> None:
    """Draw a table of two by two, one dot a task: rows are the first strategy, columns the second."""
    theme = page.look.theme
    both, first, second, neither = one.cells
    won, lost = (theme.main, theme.accent)[:: one.pairs.sign]
    cells = ((both, 0, 1, theme.rest), (first, 1, 1, won), (second, 0, 0, lost), (neither, 1, 0, theme.rest))
    each = _count_tasks_of_a_dot(one)
    most = max(count for count, *_ in cells) / each
    tall = _measure_height(axes)
    for count, column, row, color in cells:
        _draw_dots(axes, (column, row), math.ceil(count / each), color, most, page)
        share = f"{count:,} ({100 * count / len(one.pairs.tasks):.0f} %)"
        axes.annotate(share, (column + _GAP, row + 1), (0, -4), textcoords="offset points", va="top", ha="left",
                      fontsize=9.5 * page.scale, fontweight="bold", color=theme.ink)  # fmt: skip
    axes.set_xlim(0, 2)
    axes.set_ylim(0, 2)
    for line in (axes.axhline, axes.axvline):
        line(1, color=theme.soft, linewidth=0.9)
    for side in axes.spines.values():
        side.set_color(theme.soft)
    axes.tick_params(which="both", length=0, labelsize=8.5 * page.scale, pad=4)
    yes, no = ("succeeded", "failed") if one.metric.topic in (Topic.OUTCOME, Topic.ANSWERS) else ("yes", "no")
    size, per_point = 9.5 * page.scale, 0.64 * 9.5 * page.scale
    axes.set_xticks([0.5, 1.5], [yes, no])
    axes.set_yticks([1.5, 0.5], [yes, no], rotation=90, va="center")
    axes.set_xlabel(shorten(one.found.b, max(8, int(page.plot_wide / per_point))), fontsize=size, labelpad=3)
    axes.set_ylabel(shorten(one.found.a, max(8, int(tall / per_point))), fontsize=size, labelpad=3)


def _count_tasks_of_a_dot(one: Differences) -> int:
    return max(1, math.ceil(max(one.cells) / _MOST_DOTS))


def _draw_dots(axes: Axes, corner: tuple[float, float], dots: int, color: str, most: float, page: Page) -> None:
    """Fill a cell from its lower left with so many dots, in a raster that is the same in all cells."""
    high = _measure_height(axes)
    wide, tall, shape = 1 - 2 * _GAP, 1 - _STRIP - _GAP, page.plot_wide / high
    columns = max(1, math.ceil(math.sqrt(max(most, 12) * wide * shape / tall)))
    rows = max(1, math.ceil(max(most, 12) / columns))
    at = np.arange(dots)
    xs = corner[0] + _GAP + wide * ((at // rows) + 0.5) / columns
    ys = corner[1] + _GAP + tall * ((at % rows) + 0.5) / rows
    size = min(11.0 * page.scale, 0.37 * high * tall / rows, 0.37 * page.plot_wide * wide / columns)
    axes.plot(xs, ys, "o", color=color, markersize=size, markeredgewidth=0, clip_on=False)


def _measure_height(axes: Axes) -> float:
    """Return the height of a plot in points."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return float(axes.get_window_extent().height * POINTS / figure.dpi)
