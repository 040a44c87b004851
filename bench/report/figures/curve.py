"""Learning curves as a picture: success against training tasks, a line for each learner, level lines for the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from bench.errors import UsageError
from bench.report.curve import Curve
from bench.report.figures.lines import Line, LinePanel, build_line_figure
from bench.report.figures.page import Header
from bench.report.figures.style import About, Look, save
from bench.scoring.metric_names import resolve_metric

__all__ = ["build_curve_figure", "draw_curves"]


def draw_curves(found: Sequence[Curve], path: Path, look: Look | None = None) -> None:
    """Draw one panel for each block and write the file. Raises: UsageError."""
    if not any(point.tasks and point.value is not None for one in found for point in one.points):
        raise UsageError("curve: expected at least one scored row that learned, got none; resume the run first")
    look = look or Look()
    lines = [
        f"{one.title}: {point.strategy} after {point.tasks} training tasks: {point.value:.4g}."
        for one in found
        for point in one.points
        if point.value is not None
    ]
    save("curve", path, lambda: build_curve_figure(found, look), look, About("Learning curve", tuple(lines)))


def build_curve_figure(found: Sequence[Curve], look: Look | None = None) -> Figure:
    """Return the figure: panels one below the other, each with its legend."""
    look = look or Look()
    return build_line_figure([_turn(one, look) for one in found], look)


def _turn(one: Curve, look: Look) -> LinePanel:
    metric = resolve_metric("curve", one.y, (one.y,))
    words = metric.axis.format(item="task") or (metric.header or metric.name.replace("_", " ")).removesuffix(" %")
    suite, _, rest = one.title.partition(" · ")
    known = [point for point in one.points if point.value is not None]
    level = [Line(point.strategy, (), (point.value or 0.0,), level=True) for point in known if not point.tasks]
    lines = []
    for name in dict.fromkeys(point.strategy for point in known if point.tasks):
        mine = [point for point in known if point.strategy == name]
        lines.append(
            Line(
                name,
                tuple(float(point.tasks) for point in mine),
                tuple(point.value or 0.0 for point in mine),
                tuple(math.nan if point.low is None else point.low for point in mine),
                tuple(math.nan if point.high is None else point.high for point in mine),
            )
        )
    title = look.title if look.title is not None else f"{suite}: {words} against training tasks"
    about = rest if title else ""
    header = Header(title, about, ("bars: 95 %; level lines learn nothing",) if level else ("bars: 95 %",))
    return LinePanel(header, "training tasks (log scale)", words, (*level, *lines), share=metric.is_share, log=True)
