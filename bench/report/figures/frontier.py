"""The frontier as a picture. Only the files of this folder know matplotlib.

The non-dominated set as a staircase, whichever way of an axis is better; 95 % bars; names next to the points; of many
rows most are numbered, and named in a key beneath their panel. Rows that cannot be on the frontier, or whose tokens are
estimated, are hollow; those that compete with nobody are diamonds. Rows without known tokens, or without any where the
axis is logarithmic, stand in bands of their own at the edge. A second run of the same block is drawn over the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bench.errors import UsageError
from bench.report.figures.frontier_words import describe_frontiers, write_header_text
from bench.report.figures.labels import Key, Mark, label
from bench.report.figures.page import Page, write_header
from bench.report.figures.scales import Scale, fit_scale
from bench.report.figures.style import Look, check_suffix, draw_grid, save
from bench.report.frontier import Frontier, Spot
from bench.report.frontier_axes import describe_axis

__all__ = ["build_figure", "draw"]


@dataclass(frozen=True, slots=True)
class _Panel:
    """What one plot is drawn from, and how."""

    axes: Axes
    one: Frontier
    before: Frontier | None
    page: Page
    hulls: bool
    x: Scale
    y: Scale

    @property
    def look(self) -> Look:
        return self.page.look

    def list_chosen(self, one: Frontier) -> list[Spot]:
        return [spot for spot in one.spots if (spot.on_hull if self.hulls else spot.on_frontier)]


def draw(
    found: Sequence[Frontier],
    path: Path,
    *,
    hulls: bool = False,
    look: Look | None = None,
    before: Sequence[Frontier] = (),
) -> None:
    """Draw one panel for each frontier and write the file; its suffix says the format.

    ``before``: frontiers of another run, each drawn beneath the one of its suite and split.
    Raises: UsageError for a suffix other than .png, .svg or .pdf, or if there is nothing to draw.
    """
    check_suffix("frontier", path)
    if not any(spot.value is not None for one in found for spot in one.spots):
        raise UsageError("frontier: expected at least one scored row to draw, got none; resume the run first")
    look = look or Look()
    save(
        "frontier",
        path,
        lambda: build_figure(found, hulls=hulls, look=look, before=before),
        look,
        describe_frontiers(found),
    )


def build_figure(
    found: Sequence[Frontier], *, hulls: bool = False, look: Look | None = None, before: Sequence[Frontier] = ()
) -> Figure:
    """Return the figure of frontiers.

    Laid out twice: how long a key is, is known only when the names of its panel are placed.
    """
    look = look or Look()
    with mpl.rc_context(look.rc):
        figure = Figure(dpi=150)
        FigureCanvasAgg(figure)
        page = Page(look, len(found))
        under = [_find_before(one, before) for one in found]
        axes = [figure.add_axes((0, 0, 1, 1), label=str(number)) for number in range(len(found))]
        headers = [write_header_text(one, old, look) for one, old in zip(found, under, strict=True)]
        page.lay_out(figure, axes, headers, ())
        tables = []
        for at, (one, old) in enumerate(zip(found, under, strict=True)):
            keys = _draw_panel(axes[at], one, old, page, hulls)
            write_header(axes[at], headers[at], page)
            tables.append(page.build_key_table(figure, keys))
        page.lay_out(figure, axes, headers, tables)
        for plot, table in zip(axes, tables, strict=True):
            page.write_key(figure, plot, table)
    return figure


def _find_before(one: Frontier, before: Sequence[Frontier]) -> Frontier | None:
    """Return the first run's frontier of the same title, else of the same suite and split."""
    for same in (lambda other: other.title == one.title, lambda other: _name_place(other) == _name_place(one)):
        for other in before:
            if same(other):
                return other
    return None


def _name_place(one: Frontier) -> tuple[str, ...]:
    return tuple(one.title.split(" · ")[:2])


def _draw_panel(axes: Axes, one: Frontier, before: Frontier | None, page: Page, hulls: bool) -> tuple[Key, ...]:
    x, y = _fit_scales((one, before) if before else (one,))
    panel = _Panel(axes, one, before, page, hulls, x, y)
    _draw_frame(panel)
    for layer in (before, one):
        if layer is not None and (chosen := panel.list_chosen(layer)):
            _draw_stairs(panel, layer, chosen)
    if before is not None:
        _draw_arrows(panel, before)
    for layer in (before, one):
        for spot in layer.spots if layer is not None else ():
            _draw_mark(panel, spot, is_before=layer is not one)
    return label(axes, _list_marks(panel), page.look, page.scale)


def _list_marks(panel: _Panel) -> list[Mark]:
    """Return what is to be named; a row of two runs is named once, where the second has it."""
    own = {spot.strategy for spot in panel.one.spots if spot.value is not None}
    spots = [(spot, True) for spot in panel.one.spots]
    if panel.before is not None:
        spots += [(replace(spot, on_frontier=False), spot.strategy not in own) for spot in panel.before.spots]
    return [
        Mark(spot, panel.x.place(spot.cost), panel.y.place(spot.value), named)
        for spot, named in spots
        if spot.value is not None
    ]


def _fit_scales(layers: Sequence[Frontier]) -> tuple[Scale, Scale]:
    spots = [spot for one in layers for spot in one.spots if spot.value is not None]
    costs, values = ([v for v in side if v is not None] for side in ([s.cost for s in spots], [s.value for s in spots]))
    bars = [v for s in spots for v in (s.cost_low, s.cost_high) if v is not None]
    ends = [v for s in spots for v in (s.value_low, s.value_high) if v is not None]
    missing = any(spot.cost is None for spot in spots)
    one = layers[0]
    x = fit_scale(one.x_axis.metric, costs, bars, missing=missing)
    return x, fit_scale(one.y_axis.metric, values, ends, missing=False)


def _draw_frame(panel: _Panel) -> None:
    axes, one, look, size = panel.axes, panel.one, panel.look, panel.page.scale
    tall = axes.get_window_extent().height * 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    panel.x.set_up(axes, "x", panel.page.plot_wide)
    panel.y.set_up(axes, "y", tall)
    draw_grid(axes, look)
    axes.tick_params(labelsize=9.5 * size, pad=3)
    for axis, cost, scale in ((one.x_axis, True, panel.x), (one.y_axis, False, panel.y)):
        words = describe_axis(axis, one.main, one.item, cost=cost) + (", log scale" if scale.log else "")
        words = words.replace("), log scale", ", log scale)").replace(", log scale", " (log scale)", "(" not in words)
        write, room = (axes.set_xlabel, panel.page.plot_wide) if cost else (axes.set_ylabel, tall)
        write(panel.page.fit_label(words, room), fontsize=9.5 * size, labelpad=3)
    for band in panel.x.bands:
        axes.axvspan(band.low, band.high, color=look.theme.band, linewidth=0, zorder=1.5)
        _write_band(panel, band.name, (band.middle, 0), ("data", "axes fraction"), (0, -3.5))
    for band in panel.y.bands:
        axes.axhspan(band.low, band.high, color=look.theme.band, linewidth=0, zorder=1.5)
        _write_band(panel, band.name, (0, band.middle), ("axes fraction", "data"), (-3.5, 0))


def _write_band(
    panel: _Panel, text: str, at: tuple[float, float], units: tuple[str, str], shift: tuple[float, float]
) -> None:
    """Write the name of a band where the tick of a number would be."""
    aside = shift[1] == 0
    panel.axes.annotate(
        text, at, shift, xycoords=units, textcoords="offset points", ha="right" if aside else "center",
        va="center" if aside else "top", color=panel.look.theme.soft, fontsize=9.5 * panel.page.scale,
    )  # fmt: skip


def _draw_stairs(panel: _Panel, one: Frontier, chosen: Sequence[Spot]) -> None:
    """Draw what the best row up to a given spend reaches; level from one row to the next.

    Where more of x is better, the stairs go from right to left; where less of y is, the dominated side is above.
    """
    more, less = one.x_axis.sign < 0, one.y_axis.sign < 0
    ordered = sorted(chosen, key=lambda s: (s.cost or 0.0, s.value or 0.0), reverse=more)
    edge = panel.x.low if more else panel.x.edge
    is_before = one is panel.before
    color = panel.look.theme.before if is_before else panel.look.theme.main
    xs = [panel.x.place(s.cost) for s in ordered] + ([] if panel.hulls else [edge])
    ys = [panel.y.place(s.value) for s in ordered]
    if panel.hulls:
        panel.axes.plot(xs, ys, color=color, linewidth=1.6, linestyle=(0, (5, 2)), alpha=0.8, zorder=2)
        return
    dashes = {"linestyle": (0, (4, 2))} if is_before else {}
    width = 1.6 * panel.page.scale
    panel.axes.step(xs, [*ys, ys[-1]], where="post", color=color, linewidth=width, alpha=0.8, zorder=2, **dashes)  # type: ignore[arg-type]
    if panel.before is None:
        far = panel.y.high if less else panel.y.low
        panel.axes.fill_between(xs, [*ys, ys[-1]], far, step="post", color=color, alpha=0.06, linewidth=0, zorder=1)


def _draw_arrows(panel: _Panel, before: Frontier) -> None:
    """Draw where each row of both runs went."""
    first = {spot.strategy: spot for spot in before.spots}
    for spot in panel.one.spots:
        old = first.get(spot.strategy)
        if old is None or spot.value is None or old.value is None:
            continue
        start, end = ((panel.x.place(each.cost), panel.y.place(each.value)) for each in (old, spot))
        panel.axes.annotate(
            "", end, start, zorder=3.5,
            arrowprops={"arrowstyle": "-|>,head_width=0.16,head_length=0.3", "color": panel.look.theme.soft,
                        "linewidth": 0.8, "shrinkA": 4, "shrinkB": 4.5, "alpha": 0.8},
        )  # fmt: skip


def _choose_color(panel: _Panel, spot: Spot, is_before: bool) -> str:
    theme = panel.look.theme
    if spot.strategy in panel.look.highlight:
        return theme.accent
    if is_before:
        return theme.before
    return theme.main if spot.on_frontier or panel.before is not None else theme.rest


def _draw_mark(panel: _Panel, spot: Spot, *, is_before: bool) -> None:
    if spot.value is None:
        return
    color, scale = _choose_color(panel, spot, is_before), panel.page.scale
    x, y = panel.x.place(spot.cost), panel.y.place(spot.value)
    bar = {"color": color, "linewidth": 1.1 * scale, "alpha": 0.35 if panel.before is not None else 0.6, "zorder": 3}
    if spot.value_low is not None and spot.value_high is not None and y == spot.value:
        panel.axes.plot([x, x], [spot.value_low, spot.value_high], **bar)  # type: ignore[arg-type]
    if spot.cost and spot.cost_low and spot.cost_high:
        panel.axes.plot([spot.cost_low, spot.cost_high], [y] * 2, **bar)  # type: ignore[arg-type]
    hollow = spot.estimated or not spot.competes
    panel.axes.plot(
        [x], [y], marker="D" if spot.sanity else "s" if is_before else "o", clip_on=False, zorder=4,
        markersize=(6.0 if spot.sanity else 6.6 if is_before else 7.5) * scale, markeredgewidth=1.5 * scale,
        markerfacecolor=panel.look.theme.paper if hollow else color, markeredgecolor=color,
    )  # fmt: skip
