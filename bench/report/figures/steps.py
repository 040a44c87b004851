"""Progress and executability by step, and success by step cap, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from bench.report.figures.lines import MOST_BARS, Line, LinePanel, build_line_figure
from bench.report.figures.page import Header
from bench.report.figures.style import About, Look, save
from bench.report.step_curves import STEP_KINDS, StepCurve, StepPanel

__all__ = ["build_step_figure", "draw_steps"]

_X = {"progress": "step", "executability": "step (windows of {every} end here)", "success-by-cap": "step cap"}


def draw_steps(panels: Sequence[StepPanel], path: Path, look: Look | None = None) -> None:
    """Draw a panel for each block and write the file. Raises: UsageError, StoreError."""
    look = look or Look()
    lines = [
        f"{panel.title}: {curve.strategy} {100 * curve.points[-1].value:.1f} % at step {curve.points[-1].step}."
        for panel in panels
        for curve in panel.curves
    ]
    title = f"{STEP_KINDS[panels[0].kind][0].capitalize()} by step"
    save(f"figure {panels[0].kind}", path, lambda: build_step_figure(panels, look), look, About(title, tuple(lines)))


def build_step_figure(panels: Sequence[StepPanel], look: Look | None = None) -> Figure:
    """Return the figure."""
    look = look or Look()
    return build_line_figure([_turn(panel, look) for panel in panels], look)


def _turn(panel: StepPanel, look: Look) -> LinePanel:
    what, definition = STEP_KINDS[panel.kind]
    suite, _, rest = panel.title.partition(" · ")
    tasks = max(curve.tasks for curve in panel.curves)
    bars = ("bars: 95 % bootstrap",) if len(panel.curves) <= MOST_BARS else ()
    title = f"{suite}: {what} by step" if panel.kind != "success-by-cap" else f"{suite}: {what}"
    head = Header(title, rest, (f"{definition}; {tasks} tasks", *bars))
    if look.title is not None:
        head = Header(look.title, rest if look.title else "", head.notes)
    return LinePanel(
        head, _X[panel.kind].format(every=panel.every), what,
        tuple(_draw_from(curve, panel.kind) for curve in panel.curves),
        share=True, stairs=panel.kind == "success-by-cap", every=panel.every if panel.kind != "executability" else 1,
    )  # fmt: skip


def _draw_from(curve: StepCurve, kind: str) -> Line:
    points = curve.points
    xs, values = [float(p.step) for p in points], [p.value for p in points]
    lows, highs = [p.low for p in points], [p.high for p in points]
    if kind != "executability":  # before the first step nothing is reached
        xs, values, lows, highs = [0.0, *xs], [0.0, *values], [0.0, *lows], [0.0, *highs]
    return Line(curve.strategy, tuple(xs), tuple(values), tuple(lows), tuple(highs))
