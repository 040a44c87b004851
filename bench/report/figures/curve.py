"""Learning curves as a picture: success against training tasks, a line for each learner, level lines for the others.

Tasks on a logarithmic axis with a mark at each number, 95 % bars, beside each other where lines meet. The legend stands
beneath its panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bench.errors import UsageError
from bench.report.curve import Curve, Point
from bench.report.figures.labels import SOFT
from bench.report.figures.style import STYLE, draw_grid, save
from bench.scoring.metric_names import resolve_metric

__all__ = ["build_curve_figure", "draw_curves"]

_COLORS = ("#0b6e8a", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b4fa2", "#1f2933")
"""Told apart with any kind of colour vision; the markers tell them apart without."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES = ((0, (1, 1.5)), (0, (4, 2)), (0, (6, 1.5, 1, 1.5)), (0, (2, 3)))
_WIDE, _TALL, _ABOVE, _BELOW, _LINE = 6.6, 3.4, 0.45, 0.7, 0.19
"""Inches: of a panel's width and height, its heading, its axis, and one line of its legend."""
_ACROSS = 2
"""Names in a line of a legend."""
_APART = 0.018
"""Of the drawn width, between the bars of two learners at one number of tasks."""


def draw_curves(found: Sequence[Curve], path: Path) -> None:
    """Draw one panel for each block and write the file. Raises: UsageError."""
    if not any(point.tasks and point.value is not None for one in found for point in one.points):
        raise UsageError("curve: expected at least one scored row that learned, got none; resume the run first")
    save("curve", path, lambda: build_curve_figure(found))


@mpl.rc_context(STYLE)
def build_curve_figure(found: Sequence[Curve]) -> Figure:
    """Return the figure: panels one below the other, each with its legend."""
    legends = [_LINE * -(-len({point.strategy for point in one.points}) // _ACROSS) for one in found]
    tall = sum(_ABOVE + _TALL + _BELOW + legend for legend in legends)
    figure = Figure(figsize=(_WIDE, tall), dpi=150)
    FigureCanvasAgg(figure)
    top = tall
    for one, legend in zip(found, legends, strict=True):
        low = top - _ABOVE - _TALL
        axes = figure.add_axes((0.75 / _WIDE, low / tall, (_WIDE - 0.95) / _WIDE, _TALL / tall), label=one.title)
        _draw_panel(axes, one)
        axes.legend(
            loc="upper left", bbox_to_anchor=(0, -0.55 / _TALL), ncols=_ACROSS, frameon=False, fontsize=8.5,
            borderaxespad=0, borderpad=0, handlelength=2.6, labelspacing=0.35,
        )  # fmt: skip
        top = low - _BELOW - legend
    return figure


def _draw_panel(axes: Axes, one: Curve) -> None:
    metric = resolve_metric("curve", one.y, (one.y,))
    learners = list(dict.fromkeys(point.strategy for point in one.points if point.tasks))
    counts = sorted({point.tasks for point in one.points if point.tasks})
    axes.set_xscale("log")
    if counts:
        axes.set_xlim(counts[0] / 1.25, counts[-1] * 1.25)
    axes.xaxis.set_major_locator(FixedLocator(counts))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    if metric.is_share:
        axes.set_ylim(0, 1.05)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))
    draw_grid(axes)
    axes.set_xlabel("training tasks")
    axes.set_ylabel(metric.axis.format(item="task") or metric.name.replace("_", " "))
    axes.set_title(one.title, fontsize=8.5, loc="left")
    _draw_level_lines(axes, [point for point in one.points if not point.tasks and point.value is not None])
    for number, name in enumerate(learners):
        mine = [point for point in one.points if point.strategy == name and point.value is not None]
        _draw_learner(axes, name, mine, number, len(learners))


def _draw_level_lines(axes: Axes, points: Sequence[Point]) -> None:
    for point, dash in zip(points, cycle(_DASHES), strict=False):
        axes.axhline(point.value or 0.0, color=SOFT, linewidth=1.1, linestyle=dash, zorder=1.5, label=point.strategy)


def _draw_learner(axes: Axes, name: str, points: Sequence[Point], number: int, of: int) -> None:
    color, marker = _COLORS[number % len(_COLORS)], _MARKERS[number % len(_MARKERS)]
    low, high = axes.get_xlim()
    shift = (high / low) ** (_APART * (number - (of - 1) / 2))
    xs = [point.tasks * shift for point in points]
    axes.plot(xs, [point.value or 0.0 for point in points], color=color, marker=marker, markersize=5, linewidth=1.4,
              zorder=3, label=name)  # fmt: skip
    for x, point in zip(xs, points, strict=True):
        if point.low is not None and point.high is not None:
            axes.plot([x, x], [point.low, point.high], color=color, linewidth=1.0, alpha=0.55, zorder=2)
