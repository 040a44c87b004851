"""The causes of failures as a picture: one bar a strategy, from success to reasoning, retrieval and construction.

The colours are told apart by colour-blind readers (Okabe and Ito) and, with their hatches, in black and white. What is
narrower than its number has none; the numbers of all are in the text twin (``error_shares``).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from bench.report.error_shares import Bar, Panel, describe_size
from bench.report.figures.labels import INK, SOFT, fold_name
from bench.report.figures.style import STYLE, save
from bench.scoring.attribution import Cause

__all__ = ["build_error_figure", "draw_errors"]

_POINTS = 72
_WIDE, _LEFT, _RIGHT = 640, 190, 66
"""Points; all strategies of a figure have the same room for their names."""
_BAR, _FOOT, _KEY = 19, 30, 26
_NAME_CHARS, _TITLE_CHARS, _ABOUT_CHARS, _LINE_GAP = 34, 92, 126, 4
_THICK = 0.74
_LEGIBLE = 0.045
"""The narrowest share that holds its number."""
_SUCCESS = ("succeeded", "#e3e8ed", "")
_LOOKS = {
    Cause.REASONING: ("reasoning: recalled, not used", "#0072b2", ""),
    Cause.RETRIEVAL: ("retrieval: in reach, not recalled", "#f0c04c", "...."),
    Cause.CONSTRUCTION: ("construction: out of reach, or lost", "#d55e00", "////"),
}
"""In the order in which they are drawn, right of the successes."""
_HATCH = "#ffffff"


def draw_errors(panels: Sequence[Panel], path: Path) -> None:
    """Draw the panels below each other and write the file; its suffix says the format.

    Raises: UsageError for a suffix other than .png, .svg or .pdf.
    """
    save("errors", path, lambda: build_error_figure(panels))


@mpl.rc_context({**STYLE, "hatch.linewidth": 0.7})
def build_error_figure(panels: Sequence[Panel]) -> Figure:
    """Return the figure."""
    heights = [_measure_head(panel) + _measure_bars(panel) + _FOOT for panel in panels]
    tall = _KEY + sum(heights)
    figure = Figure(figsize=(_WIDE / _POINTS, tall / _POINTS), dpi=150)
    FigureCanvasAgg(figure)
    top = tall - _KEY
    for panel, height in zip(panels, heights, strict=True):
        bars, low = _measure_bars(panel), top - height + _FOOT
        place = (_LEFT / _WIDE, low / tall, (_WIDE - _LEFT - _RIGHT) / _WIDE, bars / tall)
        _draw_panel(figure.add_axes(place), panel)
        top -= height
    _write_key(figure, tall)
    return figure


def _measure_bars(panel: Panel) -> float:
    return _BAR * len(panel.bars) + 6


def _list_head(panel: Panel) -> list[tuple[str, float, str, str]]:
    """Return the lines above a panel from below, with size, color and weight."""
    about = textwrap.wrap(describe_size(panel), _ABOUT_CHARS)[::-1]
    title = textwrap.wrap(panel.title, _TITLE_CHARS)[::-1]
    return [*((line, 8.5, SOFT, "normal") for line in about), *((line, 11, INK, "bold") for line in title)]


def _measure_head(panel: Panel) -> float:
    return 14 + sum(size + _LINE_GAP for _, size, _, _ in _list_head(panel))


def _draw_panel(axes: Axes, panel: Panel) -> None:
    for at, bar in enumerate(panel.bars):
        _draw_bar(axes, at, bar)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(panel.bars) - 0.5, -0.5)
    axes.set_yticks(range(len(panel.bars)), ["\n".join(fold_name(bar.strategy, _NAME_CHARS)) for bar in panel.bars])
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.tick_params(which="both", length=0, labelsize=8.5)
    axes.tick_params(axis="y", labelcolor=INK)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    _write_head(axes, panel)


def _draw_bar(axes: Axes, at: int, bar: Bar) -> None:
    axes.annotate(
        f"n {bar.n:,}", (1, at), (8, 0), xycoords="data", textcoords="offset points", fontsize=8, color=SOFT,
        va="center_baseline", ha="left", annotation_clip=False,
    )  # fmt: skip
    if not bar.shares:
        why = "cites no events: no cause can be named" if bar.scored else "nothing is scored; run it again to go on"
        axes.text(0.01, at, why, fontsize=8, color=SOFT, va="center")
        return
    left = 0.0
    parts = [(bar.succeeded, _SUCCESS), *((bar.shares[cause], look) for cause, look in _LOOKS.items())]
    for share, (_, color, hatch) in parts:
        axes.barh(at, share, _THICK, left, color=color, hatch=hatch, edgecolor=_HATCH, linewidth=0.6)
        if share >= _LEGIBLE:
            _write_number(axes, left + share / 2, at, share, color)
        left += share


def _write_number(axes: Axes, x: float, at: int, share: float, color: str) -> None:
    dark = color in (_SUCCESS[1], _LOOKS[Cause.RETRIEVAL][1])
    axes.text(
        x, at, f"{100 * share:.0f}", fontsize=8, color=INK if dark else "white", va="center_baseline", ha="center",
        fontweight="bold", bbox={"boxstyle": "round,pad=0.12", "facecolor": color, "edgecolor": "none"},
    )  # fmt: skip


def _write_head(axes: Axes, panel: Panel) -> None:
    up = 4.0
    for line, size, color, weight in _list_head(panel):
        axes.annotate(
            line, (0, 1), (14 - _LEFT, up), xycoords="axes fraction", textcoords="offset points", fontsize=size,
            color=color, fontweight=weight, va="bottom", ha="left", annotation_clip=False,
        )  # fmt: skip
        up += size + _LINE_GAP


def _write_key(figure: Figure, tall: float) -> None:
    looks = (_SUCCESS, *_LOOKS.values())
    patches = [Patch(facecolor=color, hatch=hatch, edgecolor=_HATCH, label=name) for name, color, hatch in looks]
    figure.legend(
        handles=patches, loc="upper left", bbox_to_anchor=(14 / _WIDE, (tall - 6) / tall), ncols=len(patches),
        fontsize=8.5, frameon=False, handlelength=1.4, handleheight=1.0, columnspacing=1.4, borderaxespad=0,
        borderpad=0,
    )  # fmt: skip
