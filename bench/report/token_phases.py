"""What tokens are spent on, as numbers: acting, reading and writing memory, learning, and judging, per task.

The columns are those of a table. What learning took is shared out among the evaluated tasks; the judge is no part of
what a strategy spends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from bench.errors import UsageError
from bench.report.aggregate import average
from bench.report.columns import BLANK
from bench.report.formats import Grid, Section, to_csv, to_rich
from bench.report.items import Block, prepare, split_blocks

__all__ = ["PHASES", "PhasePanel", "PhaseRow", "find_token_phases", "render_token_phases"]

PHASES = ("act", "read", "write", "gather", "learn", "judge")
_OWN = ("act", "read", "write")


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """One strategy: mean tokens per task or question of each phase; None = unknown for some call of it."""

    strategy: str
    n: int
    n_total: int
    tokens: tuple[float | None, ...]
    estimated: bool = False

    @property
    def total(self) -> float | None:
        """All of the strategy's own, learning included; None if any of it is unknown."""
        own = self.tokens[: PHASES.index("judge")]
        return None if not self.n or any(value is None for value in own) else sum(value or 0.0 for value in own)


@dataclass(frozen=True, slots=True)
class PhasePanel:
    """All strategies of one suite, split, model and attempt, the cheapest first; unknown ones last."""

    title: str
    item: str
    rows: tuple[PhaseRow, ...]
    notes: tuple[str, ...] = ()


def find_token_phases(frame: pd.DataFrame) -> tuple[PhasePanel, ...]:
    """Return a panel for each block of runs. Raises: UsageError where nothing is scored."""
    panels = tuple(_find_panel(block) for block in split_blocks(prepare(frame)))
    if not any(row.n for panel in panels for row in panel.rows):
        raise UsageError("figure tokens: expected at least one scored row, got none; resume the run first")
    return panels


def _find_panel(block: Block) -> PhasePanel:
    rows = [_find_row(block, name) for name in block.strategies]
    rows.sort(key=lambda row: (row.total is None, row.total or 0.0, row.strategy))
    item = "question" if bool((block.items["item"] != block.items["task"]).any()) else "task"
    return PhasePanel(block.name, item, tuple(rows), block.role_notes)


def _find_row(block: Block, strategy: str) -> PhaseRow:
    items = block.of(strategy)
    scored = items[items["scored"]]
    estimated = "estimated_calls" in scored and bool((scored["estimated_calls"] > 0).any())
    tokens = tuple(_average_phase(scored, f"tokens_{phase}", needed=phase in _OWN) for phase in PHASES)
    return PhaseRow(strategy, len(scored), len(items), tokens, estimated)


def _average_phase(scored: pd.DataFrame, column: str, *, needed: bool) -> float | None:
    if column not in scored or not len(scored):
        return None if needed else 0.0
    return average(scored, column) if bool(scored[column].notna().all()) else None


def render_token_phases(
    panels: Sequence[PhasePanel], style: str = "rich", *, width: int = 120, color: bool = False
) -> str:
    """Return the numbers as text for a terminal, or as CSV: one line a strategy."""
    if style == "csv":
        return to_csv(
            [
                {"block": panel.title, "strategy": row.strategy, "n": row.n, "n_total": row.n_total}
                | {f"tokens_{phase}": value for phase, value in zip(PHASES, row.tokens, strict=True)}
                | {"total": row.total, "estimated": row.estimated}
                for panel in panels for row in panel.rows
            ],
            timing=False,
        )  # fmt: skip
    header = ("strategy", "n", *PHASES, "all but judge")
    sections = tuple(
        Section(
            f"{panel.title} · tokens per {panel.item}", tuple(map(_format_line, panel.rows)),
            tuple(row.n < row.n_total for row in panel.rows), (False,) * len(panel.rows),
        )
        for panel in panels
    )  # fmt: skip
    notes = (
        "act: deciding on actions and answers; read, write: of memory; gather, learn: shared out among the tasks "
        f"evaluated; judge: no part of what a strategy spends. {BLANK}: missing for some call.",
        *(note for panel in panels for note in panel.notes),
    )
    left = (True, *(False,) * (len(header) - 1))
    return to_rich(Grid(header, left, (0,) * len(header), sections, notes), width=width, color=color)


def _format_line(row: PhaseRow) -> tuple[str, ...]:
    mark = "~" if row.estimated else ""
    amounts = (BLANK if value is None else f"{mark}{value:,.0f}" for value in (*row.tokens, row.total))
    return (row.strategy, f"{row.n}/{row.n_total}", *amounts)
