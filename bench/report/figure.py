"""The frontier as a picture: PNG, SVG or PDF, the same bytes for the same numbers. The only file that knows matplotlib.

Tokens per task on a logarithmic axis, success from zero, the non-dominated set as a staircase, 95 % bars, names beside
the points. Rows whose tokens are estimated are hollow; rows without tokens, without any (a logarithm has no zero) or
with unscored trials stand hollow too, the former two in bands of their own at the edge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from bench.errors import UsageError
from bench.report.frontier import Frontier, Spot

__all__ = ["SUFFIXES", "draw"]

SUFFIXES = (".png", ".svg", ".pdf")

_INK, _SOFT, _GRID, _BAND = "#1f2933", "#6b7785", "#e4e8ec", "#f4f6f8"
_ON, _OFF = "#0b6e8a", "#9aa5b1"
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "svg.hashsalt": "memfrontier",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "axes.edgecolor": _SOFT,
    "axes.labelcolor": _INK,
    "xtick.color": _SOFT,
    "ytick.color": _SOFT,
    "text.color": _INK,
}
_LABELS = {
    "tokens_total": "tokens per task (prompt + completion, log scale)",
    "context_tokens_mean": "context tokens per decision (log scale)",
    "cost_usd": "US$ per task (log scale)",
    "success": "success",
    "progress": "progress",
}
_SHARES = frozenset({"success", "progress", "valid_action_rate", "judge_accuracy", "f1", "evidence_recall"})
_NEAR = ((9, 5, "left"), (-9, 5, "right"), (9, -14, "left"), (-9, -14, "right"), (0, 11, "center"), (0, -20, "center"))
_PLACES = (
    *_NEAR,
    *(
        (side * dx, up * dy, "left" if side > 0 else "right")
        for dy in (22, 36, 52, 70, 90, 112, 136, 160, 186)
        for dx in (14, 30, 50, 80)
        for up in (-1, 1)
        for side in (1, -1)
    ),
)
"""Where a name may stand, in points from its marker, best place first; the farther ones get a leader line."""
_SOLID = 6
"""How much worse it is to cover a name or a marker than a thin line."""
_TOGETHER_PX = 3.0
"""Markers closer than this are one point to the eye, and share one label."""


@dataclass(frozen=True, slots=True)
class _Scale:
    """The drawn range of x, and where the two bands are."""

    low: float
    high: float
    zero: float
    missing: float
    has_zero: bool
    has_missing: bool


def draw(found: Sequence[Frontier], path: Path, *, hulls: bool = False) -> None:
    """Draw one panel for each frontier and write the file; its suffix says the format.

    Raises: UsageError for a suffix other than .png, .svg or .pdf, or if there is nothing to draw.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"frontier: expected a file ending in {', '.join(SUFFIXES)}, got {path.name!r}; rename it")
    if not any(spot.value is not None for one in found for spot in one.spots):
        raise UsageError("frontier: expected at least one scored row to draw, got none; resume the run first")
    with mpl.rc_context(_STYLE):
        across = min(2, len(found))
        down = math.ceil(len(found) / across)
        figure = Figure(figsize=(6.6 * across, 4.7 * down), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(down, across, squeeze=False).ravel()
        scales = [_panel(axes, one, hulls) for axes, one in zip(panels, found, strict=False)]
        for axes in panels[len(found) :]:
            axes.set_visible(False)
        figure.canvas.draw()  # lays the panels out: names can only be placed when sizes are known
        figure.set_layout_engine("none")
        for axes, one, scale in zip(panels, found, scales, strict=False):
            _name(axes, one, scale)
        figure.savefig(path, metadata=_metadata(path), facecolor="white")


def _metadata(path: Path) -> dict[str, str | None]:
    """No dates and no versions: equal numbers give equal files."""
    if path.suffix.lower() == ".svg":
        return {"Date": None, "Creator": None}
    if path.suffix.lower() == ".pdf":
        return {"CreationDate": None, "Creator": None, "Producer": None}
    return {"Software": None}


def _panel(axes: Axes, one: Frontier, hulls: bool) -> _Scale:
    scale = _scale(one)
    _frame(axes, one, scale)
    chosen = [s for s in one.spots if (s.on_hull if hulls else s.on_frontier)]
    if chosen:
        _stairs(axes, chosen, scale, hulls)
    for spot in one.spots:
        _mark(axes, spot, scale)
    return scale


def _scale(one: Frontier) -> _Scale:
    """Room for every bar; half a decade more at an edge where a band is needed."""
    ends = [v for s in one.spots for v in (s.cost, s.cost_low, s.cost_high) if v is not None and v > 0] or [1.0, 10.0]
    low, high = min(ends), max(ends)
    margin = max(0.12, 0.16 * math.log10(high / low))
    low, high = low / 10**margin, high * 10**margin
    has_zero = any(s.cost == 0 for s in one.spots)
    has_missing = any(s.cost is None and s.value is not None for s in one.spots)
    band = 10 ** max(0.07, 0.08 * math.log10(high / low))
    return _Scale(
        low / (band**2 if has_zero else 1),
        high * (band**2 if has_missing else 1),
        low / band,
        high * band,
        has_zero,
        has_missing,
    )


def _frame(axes: Axes, one: Frontier, scale: _Scale) -> None:
    axes.set_xscale("log")
    axes.set_xlim(scale.low, scale.high)
    share = one.y in _SHARES
    tops = [v for s in one.spots for v in (s.value, s.value_high) if v is not None]
    axes.set_ylim(0, 1.05 if share else 1.1 * max(tops, default=1.0))
    if share:
        axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * v:.0f} %"))
    decades = math.log10(scale.high / scale.low)
    subs = (1.0,) if decades > 3 else (1.0, 2.0, 5.0) if decades > 0.9 else (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
    axes.xaxis.set_major_locator(LogLocator(subs=subs, numticks=20))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: _tick(v, scale)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel(_LABELS.get(one.x, one.x))
    axes.set_ylabel(_LABELS.get(one.y, one.y))
    subtitle = f"mean over {one.n_shared} tasks; bars: 95 % bootstrap"
    if any(s.value is not None and (s.estimated or not s.solid) for s in one.spots):
        subtitle += "; hollow: estimated, not told or unscored"
    suite, _, rest = one.title.partition(" · ")
    axes.set_title(f"{suite}", loc="left", fontsize=12, fontweight="bold", pad=32)
    axes.text(0, 1.075, rest, transform=axes.transAxes, fontsize=8.5, color=_INK, va="center")
    axes.text(0, 1.025, subtitle, transform=axes.transAxes, fontsize=8.5, color=_SOFT, va="center")
    bands = ((scale.has_zero, scale.zero, "0"), (scale.has_missing, scale.missing, "not told"))
    for present, place, text in bands:
        if present:
            left, right = (scale.low, place**2 / scale.low) if text == "0" else (place**2 / scale.high, scale.high)
            axes.axvspan(left, right, color=_BAND, linewidth=0, zorder=1.5)
            axes.annotate(text, (place, 0), (0, -6), textcoords="offset points", ha="center", va="top", color=_SOFT)


def _tick(value: float, scale: _Scale) -> str:
    """Whole numbers short, none inside a band."""
    if (scale.has_zero and value <= scale.zero * 1.2) or (scale.has_missing and value >= scale.missing / 1.2):
        return ""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{suffix}"
    return f"{value:g}"


def _stairs(axes: Axes, chosen: Sequence[Spot], scale: _Scale, hulls: bool) -> None:
    """What the best row below a given spend reaches; level from one row to the next."""
    ordered = sorted(chosen, key=lambda s: (s.cost or 0.0, s.value or 0.0))
    edge = scale.missing**2 / scale.high if scale.has_missing else scale.high
    xs = [_x(s, scale) for s in ordered] + ([] if hulls else [edge])
    ys = [s.value or 0.0 for s in ordered]
    if hulls:
        axes.plot(xs, ys, color=_ON, linewidth=1.6, linestyle=(0, (5, 2)), alpha=0.8, zorder=2)
        return
    axes.step(xs, [*ys, ys[-1]], where="post", color=_ON, linewidth=1.6, alpha=0.8, zorder=2)
    axes.fill_between(xs, [*ys, ys[-1]], step="post", color=_ON, alpha=0.06, linewidth=0, zorder=1)


def _x(spot: Spot, scale: _Scale) -> float:
    return scale.missing if spot.cost is None else spot.cost or scale.zero


def _mark(axes: Axes, spot: Spot, scale: _Scale) -> None:
    if spot.value is None:
        return
    color = _ON if spot.on_frontier else _OFF
    x = _x(spot, scale)
    if spot.value_low is not None and spot.value_high is not None:
        axes.plot([x, x], [spot.value_low, spot.value_high], color=color, linewidth=1.1, alpha=0.65, zorder=3)
    if spot.cost and spot.cost_low and spot.cost_high:
        axes.plot([spot.cost_low, spot.cost_high], [spot.value] * 2, color=color, linewidth=1.1, alpha=0.65, zorder=3)
    hollow = spot.estimated or not spot.solid
    axes.plot(
        [x], [spot.value], marker="o", markersize=7.5, markeredgewidth=1.6, zorder=4, clip_on=False,
        markerfacecolor="white" if hollow else color, markeredgecolor=color,
    )  # fmt: skip


def _name(axes: Axes, one: Frontier, scale: _Scale) -> None:
    """Write each name at the first place where it covers no other name, marker or edge; frontier rows choose first."""
    drawn = [spot for spot in one.spots if spot.value is not None]
    dots = {s.strategy: axes.transData.transform((_x(s, scale), s.value or 0.0)) for s in drawn}
    unit = axes.get_figure(root=True).dpi / 72  # type: ignore[union-attr]  # axes in hand belong to a figure
    names = [Bbox.from_extents(x - 6 * unit, y - 6 * unit, x + 6 * unit, y + 6 * unit) for x, y in dots.values()]
    lines = _corners([box for line in axes.get_lines() for box in _traced(line, 2 * unit)])
    inside = axes.get_window_extent()
    for spots in _together(sorted(drawn, key=lambda s: (not s.on_frontier, -(s.value or 0.0), s.strategy)), dots):
        boxes = _boxes(axes, spots, scale, dots[spots[0].strategy], unit)
        solid = _corners(names)
        costs = [
            _SOLID * (_covered(box, solid) + _outside(box, inside)) + _covered(box, lines) + rank * unit**2
            for rank, box in enumerate(boxes)
        ]
        best = costs.index(min(costs))
        _label(axes, spots, scale, _PLACES[best])
        names.append(boxes[best])


def _boxes(axes: Axes, spots: Sequence[Spot], scale: _Scale, dot: Any, unit: float) -> list[Bbox]:
    """Return what a label would cover at each place, in pixels, with a little air around it."""
    _, dy, _ = _PLACES[0]
    label = _label(axes, spots, scale, _PLACES[0])  # measured once, where it has no leader line
    size = label.get_window_extent()
    label.remove()
    x, low = dot[0], size.y0 - dy * unit
    shift = {"left": 0.0, "center": 0.5, "right": 1.0}
    return [
        Bbox.from_bounds(x + dx * unit - shift[align] * size.width, low + dy * unit, size.width, size.height).expanded(
            1.04, 1.1
        )
        for dx, dy, align in _PLACES
    ]


def _together(ordered: Sequence[Spot], dots: Mapping[str, Any]) -> list[list[Spot]]:
    """Group the spots that lie on one another and are of one kind, so that one label can name them all."""
    groups: list[list[Spot]] = []
    for spot in ordered:
        for group in groups:
            first = group[0]
            apart = float(np.hypot(*(dots[spot.strategy] - dots[first.strategy])))
            if apart < _TOGETHER_PX and spot.on_frontier is first.on_frontier and spot.ranked and first.ranked:
                group.append(spot)
                break
        else:
            groups.append([spot])
    return groups


def _traced(line: Line2D, half: float) -> list[Bbox]:
    """Cover a line, as drawn, by small squares."""
    path = line.get_transform().transform_path(line.get_path())
    corners = np.asarray(path.vertices)
    if line.get_drawstyle() == "steps-post":
        turns = np.column_stack([corners[1:, 0], corners[:-1, 1]])
        corners = np.vstack([corners[:1], np.stack([turns, corners[1:]], axis=1).reshape(-1, 2)])
    boxes = []
    for start, end in pairwise(corners):
        count = max(2, int(np.hypot(*(end - start)) / (2 * half)))
        boxes += [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in np.linspace(start, end, count)]
    return boxes


def _label(axes: Axes, spots: Sequence[Spot], scale: _Scale, place: tuple[int, int, str]) -> Annotation:
    dx, dy, align = place
    spot, names = spots[0], sorted(s.strategy for s in spots)
    note = "" if spot.ranked else f" ({spot.n}/{spot.n_total} scored)"
    lines = [", ".join(names[i : i + 2]) for i in range(0, len(names), 2)]
    far = place not in _NEAR
    return axes.annotate(
        ",\n".join(lines) + note,
        (_x(spot, scale), spot.value or 0.0),
        (dx, dy),
        textcoords="offset points",
        ha=align,
        va="baseline",
        fontsize=9,
        fontweight="bold" if spot.on_frontier else "normal",
        color=_INK if spot.on_frontier else _SOFT,
        arrowprops={"arrowstyle": "-", "color": _OFF, "linewidth": 0.6, "shrinkB": 5} if far else None,
        annotation_clip=False,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
        zorder=5,
    )


def _corners(boxes: Sequence[Bbox]) -> npt.NDArray[np.float64]:
    """Return boxes as rows of left, low, right, high."""
    return np.array([box.extents for box in boxes], dtype=np.float64).reshape(-1, 4)


def _covered(box: Bbox, others: npt.NDArray[np.float64]) -> float:
    """Return the area that a box shares with others, summed."""
    left, low, right, high = box.extents
    wide = np.minimum(right, others[:, 2]) - np.maximum(left, others[:, 0])
    tall = np.minimum(high, others[:, 3]) - np.maximum(low, others[:, 1])
    return float((wide.clip(0) * tall.clip(0)).sum())


def _outside(box: Bbox, inside: Bbox) -> float:
    return float(box.width * box.height) - _covered(box, _corners([inside]))
