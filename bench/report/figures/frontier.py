"""The frontier as a picture. Only the files of this folder know matplotlib.

Tokens on a logarithmic axis, success from zero, the non-dominated set as a staircase, 95 % bars, names next to the
points; of many rows most are numbered, and named in a key beneath their panel. Rows that cannot be on the frontier, or
whose tokens are estimated, are hollow. Rows without known tokens, or without any (a logarithm has no zero), stand in
bands of their own at the edge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from bench.errors import UsageError
from bench.report.figures.labels import SOFT, Mark, label
from bench.report.figures.page import PLOT_WIDTH, Header, build_key_table, lay_out, write_header, write_key
from bench.report.figures.style import STYLE, check_suffix, draw_grid, save
from bench.report.frontier import Frontier, Spot, cost_sign
from bench.scoring.metric import Metric
from bench.scoring.metric_names import resolve_metric

__all__ = ["build_figure", "draw"]

_ON, _OFF, _BAND = "#0b6e8a", "#9aa5b1", "#f4f6f8"
_LOWEST_TOP = 0.4
_BAND_LABEL, _ZERO_LABEL = 44, 18
"""Ticks closer to the label of a band than this many points are left out."""


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
    check_suffix("frontier", path)
    if not any(spot.value is not None for one in found for spot in one.spots):
        raise UsageError("frontier: expected at least one scored row to draw, got none; resume the run first")
    save("frontier", path, lambda: build_figure(found, hulls=hulls))


@mpl.rc_context(STYLE)
def build_figure(found: Sequence[Frontier], *, hulls: bool = False) -> Figure:
    """Return the figure of frontiers.

    Laid out twice: how long a key is, is known only when the names of its panel are placed.
    """
    figure = Figure(dpi=150)
    FigureCanvasAgg(figure)
    panels = [figure.add_axes((0, 0, 1, 1), label=str(number)) for number in range(len(found))]
    headers = [_write_header_text(one) for one in found]
    lay_out(figure, panels, headers, ())
    tables = []
    for axes, one, header in zip(panels, found, headers, strict=True):
        scale = _draw_panel(axes, one, hulls)
        write_header(axes, header)
        marks = [Mark(spot, _place_x(spot, scale), spot.value) for spot in one.spots if spot.value is not None]
        tables.append(build_key_table(figure, label(axes, marks)))
    lay_out(figure, panels, headers, tables)
    for axes, table in zip(panels, tables, strict=True):
        write_key(figure, axes, table)
    return figure


def _draw_panel(axes: Axes, one: Frontier, hulls: bool) -> _Scale:
    scale = _fit_scale(one)
    _draw_frame(axes, one, scale)
    chosen = [s for s in one.spots if (s.on_hull if hulls else s.on_frontier)]
    if chosen:
        _draw_stairs(axes, chosen, scale, hulls=hulls, more_is_better=cost_sign(_find_entry(one.x)) < 0)
    for spot in one.spots:
        _draw_mark(axes, spot, scale)
    return scale


def _fit_scale(one: Frontier) -> _Scale:
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


def _draw_frame(axes: Axes, one: Frontier, scale: _Scale) -> None:
    axes.set_xscale("log")
    axes.set_xlim(scale.low, scale.high)
    tops = [v for s in one.spots for v in (s.value, s.value_high) if v is not None]
    highest = max(tops, default=1.0)
    if _find_entry(one.y).is_share:
        top = _choose_top(highest)
        step = 0.1 if top <= 0.6 else 0.2
        axes.set_ylim(0, top)
        axes.set_yticks([step * k for k in range(math.floor(top / step + 1e-6) + 1)])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * v:.0f} %"))
    else:
        axes.set_ylim(0, 1.1 * highest)
    decades = math.log10(scale.high / scale.low)
    subs = (1.0,) if decades > 3 else (1.0, 2.0, 5.0) if decades > 0.9 else (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
    axes.xaxis.set_major_locator(LogLocator(subs=subs, numticks=20))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: _format_tick(v, scale)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    draw_grid(axes)
    axes.set_xlabel(_find_entry(one.x).axis.format(item=one.item) or one.x)
    axes.set_ylabel(_find_entry(one.y).axis.format(item=one.item) or one.y)
    bands = ((scale.has_zero, scale.zero, "0"), (scale.has_missing, scale.missing, "missing"))
    for present, place, text in bands:
        if present:
            left, right = (scale.low, place**2 / scale.low) if text == "0" else (place**2 / scale.high, scale.high)
            axes.axvspan(left, right, color=_BAND, linewidth=0, zorder=1.5)
            axes.annotate(text, (place, 0), (0, -3.5), textcoords="offset points", ha="center", va="top", color=SOFT)


def _find_entry(name: str) -> Metric:
    """Return the catalogue's entry of an axis, which a frontier always has."""
    return resolve_metric("frontier", name, (name,))


def _choose_top(highest: float) -> float:
    """Return the next tenth above the highest bar; a little above 100 % where that is needed."""
    top = max(_LOWEST_TOP, math.floor(10 * highest + 1e-9) / 10 + 0.1)
    return round(top, 1) if top < 1 - 1e-9 else 1.05


def _write_header_text(one: Frontier) -> Header:
    suite, _, rest = one.title.partition(" · ")
    why = _list_hollow_reasons(one)
    hollow = (f"hollow: {', '.join(why)}",) if why else ()
    return Header(suite, rest, (f"mean over {one.n_shared} {one.item}s; bars: 95 % bootstrap", *hollow))


def _list_hollow_reasons(one: Frontier) -> list[str]:
    """Name the reasons for which a marker of this panel is hollow."""
    visible = [spot for spot in one.spots if spot.value is not None]
    reasons = (
        ("sees the evidence", any(spot.privileged for spot in visible)),
        ("tokens estimated", any(spot.estimated for spot in visible)),
        ("tokens missing", any(spot.cost is None for spot in visible)),
        ("trials unscored", any(not spot.ranked for spot in visible)),
    )
    return [reason for reason, there in reasons if there]


def _format_tick(value: float, scale: _Scale) -> str:
    """Whole numbers short; none inside a band, nor so close to it that the band's own label has no room."""
    point = (scale.high / scale.low) ** (1 / PLOT_WIDTH)
    if scale.has_zero and value < scale.zero * point**_ZERO_LABEL:
        return ""
    if scale.has_missing and value > scale.missing / point**_BAND_LABEL:
        return ""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{suffix}"
    return f"{value:g}"


def _draw_stairs(axes: Axes, chosen: Sequence[Spot], scale: _Scale, *, hulls: bool, more_is_better: bool) -> None:
    """Draw what the best row below a given spend reaches; level from one row to the next.

    Where more of x is better, the stairs go from right to left.
    """
    ordered = sorted(chosen, key=lambda s: (s.cost or 0.0, s.value or 0.0), reverse=more_is_better)
    edge = scale.missing**2 / scale.high if scale.has_missing else scale.high
    edge = scale.low if more_is_better else edge
    xs = [_place_x(s, scale) for s in ordered] + ([] if hulls else [edge])
    ys = [s.value or 0.0 for s in ordered]
    if hulls:
        axes.plot(xs, ys, color=_ON, linewidth=1.6, linestyle=(0, (5, 2)), alpha=0.8, zorder=2)
        return
    axes.step(xs, [*ys, ys[-1]], where="post", color=_ON, linewidth=1.6, alpha=0.8, zorder=2)
    axes.fill_between(xs, [*ys, ys[-1]], step="post", color=_ON, alpha=0.06, linewidth=0, zorder=1)


def _place_x(spot: Spot, scale: _Scale) -> float:
    return scale.missing if spot.cost is None else spot.cost or scale.zero


def _draw_mark(axes: Axes, spot: Spot, scale: _Scale) -> None:
    if spot.value is None:
        return
    color = _ON if spot.on_frontier else _OFF
    x = _place_x(spot, scale)
    if spot.value_low is not None and spot.value_high is not None:
        axes.plot([x, x], [spot.value_low, spot.value_high], color=color, linewidth=1.1, alpha=0.65, zorder=3)
    if spot.cost and spot.cost_low and spot.cost_high:
        axes.plot([spot.cost_low, spot.cost_high], [spot.value] * 2, color=color, linewidth=1.1, alpha=0.65, zorder=3)
    hollow = spot.estimated or not spot.solid
    axes.plot(
        [x], [spot.value], marker="o", markersize=7.5, markeredgewidth=1.6, zorder=4, clip_on=False,
        markerfacecolor="white" if hollow else color, markeredgecolor=color,
    )  # fmt: skip
