"""Which scores of a run are others when they are computed again: the records, and their text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from bench.report.formats import Grid, Section, round_all, to_markdown, to_rich
from bench.store.printing import escape_json

__all__ = ["Moved", "Rescored", "render_moved"]


@dataclass(frozen=True, slots=True)
class Moved:
    """A score of one strategy that is another now. Means over the items that have it; None = none has."""

    suite: str
    strategy: str
    metric: str
    items: int
    """How many items have another value, or one where they had none, or none where they had one."""
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Rescored:
    """What was computed again, and what moved."""

    trials: int
    items: int
    moved: tuple[Moved, ...]


def render_moved(found: Rescored, style: str, *, width: int = 120, color: bool = False) -> str:
    """Return what moved as text: rich, md or json."""
    if style == "json":
        return escape_json(json.dumps(round_all(asdict(found)), indent=2, ensure_ascii=False))
    what = f"{found.items:,} items of {found.trials:,} trials scored again from what is recorded"
    if not found.moved:
        return f"{what}: no score moves."
    sections = []
    for suite in dict.fromkeys(one.suite for one in found.moved):
        lines = tuple(_write(one) for one in found.moved if one.suite == suite)
        plain = (False,) * len(lines)
        sections.append(Section(suite, lines, plain, plain))
    notes = (f"{what}. moved: items with another value, or one where they had none.",)
    grid = Grid(
        ("strategy", "score", "moved", "before", "now"), (True, True, False, False, False), (0,) * 5, tuple(sections),
        notes,
    )  # fmt: skip
    return to_markdown(grid) if style == "md" else to_rich(grid, width=width, color=color)


def _write(one: Moved) -> tuple[str, ...]:
    before, after = ("–" if value is None else f"{value:.6g}" for value in (one.before, one.after))
    return (one.strategy, one.metric, str(one.items), before, after)
