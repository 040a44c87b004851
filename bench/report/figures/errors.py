"""The causes of failures as a picture: one bar a strategy, from success to reasoning, retrieval and construction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from bench.report.error_shares import Bar, Panel, describe_size
from bench.report.figures.bars import BarPanel, BarRow, Part, build_bar_figure
from bench.report.figures.style import About, Look, save
from bench.scoring.attribution import Cause

__all__ = ["ERROR_PARTS", "build_error_figure", "draw_errors"]

_CAUSES = {
    Cause.REASONING: Part("reasoning: recalled, not used", "#0072b2", "#56a7dd"),
    Cause.RETRIEVAL: Part("retrieval: in reach, not recalled", "#f0c04c", "#ffd166", "...."),
    Cause.CONSTRUCTION: Part("construction: out of reach, or lost", "#d55e00", "#e5731a", "////"),
}
"""In the order in which they are drawn, right of the successes."""
ERROR_PARTS = (Part("succeeded", "", "", pale=True), *_CAUSES.values())


def draw_errors(panels: Sequence[Panel], path: Path, look: Look | None = None) -> None:
    """Draw the panels below each other and write the file; its suffix says the format.

    Raises: UsageError for a suffix other than .png, .svg or .pdf.
    """
    look = look or Look()
    lines = [f"{panel.title}: {_tell(bar)}" for panel in panels for bar in panel.bars]
    save("errors", path, lambda: build_error_figure(panels, look), look, About("Why it failed", tuple(lines)))


def build_error_figure(panels: Sequence[Panel], look: Look | None = None) -> Figure:
    """Return the figure."""
    turned = [
        BarPanel(panel.title, describe_size(panel), tuple(map(_turn, panel.bars)), share=True) for panel in panels
    ]
    return build_bar_figure(turned, ERROR_PARTS, look or Look())


def _turn(bar: Bar) -> BarRow:
    if not bar.shares:
        why = "cites no events: no cause can be named" if bar.scored else "nothing is scored; run it again to go on"
        return BarRow(bar.strategy, (), f"n {bar.n:,}", why)
    return BarRow(bar.strategy, (bar.succeeded, *(bar.shares[cause] for cause in _CAUSES)), f"n {bar.n:,}")


def _tell(bar: Bar) -> str:
    if not bar.shares:
        return f"{bar.strategy}: no cause known."
    failed = ", ".join(f"{cause} {100 * bar.shares[cause]:.0f} %" for cause in _CAUSES)
    return f"{bar.strategy}: succeeded {100 * bar.succeeded:.0f} %, {failed}."
