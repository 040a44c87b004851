"""How often each strategy succeeds, and why it fails where it does: shares of those questions, or decisions of
episodes, whose failure has a cause that can be named (``bench.scoring.attribution``).

The numbers behind the figure and the text of ``bench errors``. Knows items and the scores ``error_*``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from bench.errors import UsageError
from bench.report.aggregate import PRIVILEGED, TASK, average
from bench.report.columns import BLANK
from bench.report.formats import Grid, Section, to_csv, to_rich
from bench.report.items import Block, prepare, split_blocks
from bench.scoring.attribution import Cause, name_error

__all__ = ["Bar", "Panel", "find_error_shares", "render_error_shares"]

_DECISIONS = "evidence_decisions"
_NAMES = [name_error(cause) for cause in Cause]


@dataclass(frozen=True, slots=True)
class Bar:
    """One strategy: the shares of each cause, and how many items they are of."""

    strategy: str
    n: int
    """Items with a cause or a success, repeats averaged first."""
    shares: Mapping[Cause, float]
    """In 0..1; empty where no cause can be named: it cites nothing, or nothing of it is scored."""
    privileged: bool = False
    scored: bool = True
    """An item of it has a score, with or without a cause."""

    @property
    def succeeded(self) -> float:
        return max(0.0, 1.0 - sum(self.shares.values()))


@dataclass(frozen=True, slots=True)
class Panel:
    """All strategies of one suite, split, model and attempt, the most successful first."""

    title: str
    n_items: int
    """Questions or tasks that were scored, those without evidence among them."""
    n_decisions: int | None
    """Decisions of all episodes and strategies that the shares are of; None for questions."""
    bars: tuple[Bar, ...]
    notes: tuple[str, ...] = ()
    """A sentence for each row with models of its own for some roles."""

    @property
    def item(self) -> str:
        return "question" if self.n_decisions is None else "decision"


def find_error_shares(frame: pd.DataFrame) -> tuple[Panel, ...]:
    """Return the panels of runs, without the blocks in which nothing has a cause.

    Raises: UsageError if no block has one.
    """
    items = prepare(frame)
    known = set(_NAMES) <= set(items.columns)
    panels = [panel for block in split_blocks(items) if known and (panel := _find_panel(block))]
    if not panels:
        raise UsageError(
            "errors: expected runs whose questions or decisions have evidence, got none; play a conversation, or "
            "alfworld:evidence=on, with this version of bench"
        )
    return tuple(panels)


def _find_panel(block: Block) -> Panel | None:
    bars = [_find_bar(name, block.of(name)) for name in block.strategies]
    if not any(bar.shares for bar in bars):
        return None
    bars.sort(key=lambda bar: (not bar.shares, -bar.succeeded, bar.strategy))
    scored = block.items[block.items["scored"]]
    decisions = None
    if _DECISIONS in scored and scored[_DECISIONS].notna().any():
        decisions = int(scored[_DECISIONS].sum())
    return Panel(block.name, len(scored[TASK].drop_duplicates()), decisions, tuple(bars), block.role_notes)


def _find_bar(strategy: str, items: pd.DataFrame) -> Bar:
    known = items[items["scored"] & items[_NAMES[0]].notna()]
    means = {cause: average(known, name_error(cause)) for cause in Cause} if len(known) else {}
    shares = {cause: mean for cause, mean in means.items() if mean is not None}
    privileged = bool(items["fingerprint"].str.contains(PRIVILEGED, regex=False).any())
    return Bar(strategy, len(known[TASK].drop_duplicates()), shares, privileged, bool(items["scored"].any()))


def render_error_shares(panels: Sequence[Panel], style: str = "rich", *, width: int = 120, color: bool = False) -> str:
    """Return the numbers as text for a terminal, or as CSV: one line a strategy."""
    if style == "csv":
        return to_csv(
            [
                {"block": panel.title, "strategy": bar.strategy, "n": bar.n, "privileged": bar.privileged}
                | {"succeeded": bar.succeeded if bar.shares else None}
                | {name_error(cause): bar.shares.get(cause) for cause in Cause}
                for panel in panels
                for bar in panel.bars
            ],
            timing=False,
        )
    header = ("strategy", "n", "succeeded %", *(f"{cause} %" for cause in Cause))
    sections = [
        Section(_describe(panel), tuple(map(_format_line, panel.bars)), tuple(not bar.shares for bar in panel.bars),
                (False,) * len(panel.bars))
        for panel in panels
    ]  # fmt: skip
    left = (True, *(False,) * (len(header) - 1))
    notes = (*_NOTES, *(note for panel in panels for note in panel.notes))
    return to_rich(Grid(header, left, (0,) * len(header), tuple(sections), notes), width=width, color=color)


_NOTES = (
    "construction: a needed turn was out of the memory's reach, or its fact lost from the text. retrieval: in reach "
    "and not recalled. reasoning: recalled, and the answer was wrong all the same.",
    "n: questions with evidence that no refusal answers, or tasks with decisions that needed something told before "
    "(shares are then means over tasks). The columns of a line add up to 100.",
)


def _describe(panel: Panel) -> str:
    return f"{panel.title} · {describe_size(panel)}"


def describe_size(panel: Panel) -> str:
    """Return what the shares of a panel are of, in words, and who is no competitor."""
    most = max(bar.n for bar in panel.bars)
    seeing = [bar.strategy for bar in panel.bars if bar.privileged]
    aside = f"; {', '.join(seeing)} sees the evidence" if seeing else ""
    if panel.n_decisions is not None:
        per_task = panel.n_decisions / sum(bar.n for bar in panel.bars)
        return (
            f"decisions that needed something told before, {per_task:.1f} per task in {most} tasks (synthetic evidence)"
            f"{aside}"
        )
    return f"{most} of {panel.n_items} questions, those with evidence that no refusal answers{aside}"


def _format_line(bar: Bar) -> tuple[str, ...]:
    if not bar.shares:
        return (bar.strategy, str(bar.n), *(BLANK for _ in range(1 + len(Cause))))
    values = (bar.succeeded, *(bar.shares[cause] for cause in Cause))
    return (bar.strategy, str(bar.n), *(f"{100 * value:.1f}" for value in values))
