"""What tokens are spent on, as a picture: one bar a strategy, a part for each phase, on one scale from zero."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from bench.report.figures.bars import BarPanel, BarRow, Part, build_bar_figure
from bench.report.figures.scales import format_number
from bench.report.figures.style import About, Look, save
from bench.report.token_phases import PHASES, PhasePanel, PhaseRow

__all__ = ["build_token_figure", "draw_tokens"]

_PARTS = {
    "act": Part("act", "#0b6e8a", "#2f9dba"),
    "read": Part("read memory", "#56b4e9", "#9fd8ff", "...."),
    "write": Part("write memory", "#e69f00", "#ffd166", "////"),
    "gather": Part("gather experience", "#cc79a7", "#f0a3cd"),
    "learn": Part("learn from it", "#8a4f7d", "#b57aa8", "xxxx"),
    "judge": Part("judge (not its own)", "", "", pale=True),
}


def draw_tokens(panels: Sequence[PhasePanel], path: Path, look: Look | None = None) -> None:
    """Draw the panels below each other and write the file. Raises: UsageError, StoreError."""
    look = look or Look()
    lines = [f"{panel.title}: {_tell(row)}" for panel in panels for row in panel.rows]
    save("figure tokens", path, lambda: build_token_figure(panels, look), look, About("Tokens by phase", tuple(lines)))


def build_token_figure(panels: Sequence[PhasePanel], look: Look | None = None) -> Figure:
    """Return the figure; a phase that nobody spent anything on has no part."""
    used = [at for at in range(len(PHASES)) if any(row.tokens[at] for panel in panels for row in panel.rows)] or [0]
    turned = []
    for panel in panels:
        suite, _, rest = panel.title.partition(" · ")
        rows = tuple(_turn(row, used) for row in panel.rows)
        turned.append(BarPanel(f"{suite}: tokens by phase", rest, rows, False, f"tokens per {panel.item}"))
    return build_bar_figure(turned, [_PARTS[PHASES[at]] for at in used], look or Look())


def _turn(row: PhaseRow, used: Sequence[int]) -> BarRow:
    if row.total is None:
        return BarRow(row.strategy, (), "", "tokens missing" if row.n else "nothing is scored")
    gap = f" ({row.n}/{row.n_total})" if row.n < row.n_total else ""
    beside = f"{'~' if row.estimated else ''}{format_number(float(f'{row.total:.3g}'))}{gap}"
    return BarRow(row.strategy, tuple(row.tokens[at] or 0.0 for at in used), beside)


def _tell(row: PhaseRow) -> str:
    parts = ", ".join(f"{phase} {value:,.0f}" for phase, value in zip(PHASES, row.tokens, strict=True) if value)
    return f"{row.strategy}: {parts or 'no tokens known'}."
