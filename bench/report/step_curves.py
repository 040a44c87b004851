"""What happens over the steps of an episode, as numbers: progress and executability by step, success by step cap.

Progress by step t is the best progress reached within the first t steps, the mean over tasks; an episode that ended
earlier goes on at its last value (HiAgent, figure 3). Executability is the share of valid actions among all steps of a
window, over the episodes that got so far: a ratio of sums, so that an episode that ended counts for nothing (HiAgent,
figure 4; requests for help are valid). Success by cap t is the share of tasks won within t steps: what a run with that
cap would have won. Repeats of a task are averaged first; steps of all repeats are pooled for executability.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from bench.errors import UsageError, unknown_name
from bench.report.formats import Grid, Section, to_csv, to_rich
from bench.report.items import Block, prepare, split_blocks
from bench.stats.bootstrap import FEW_CLUSTERS
from bench.stats.interval import seed_of

__all__ = ["STEP_KINDS", "StepCurve", "StepPanel", "StepPoint", "find_step_curves", "render_step_curves"]

STEP_KINDS: Mapping[str, tuple[str, str]] = {
    "progress": (
        "progress reached",
        "best progress within the first t steps, mean over tasks; an episode that ended earlier goes on at its last "
        "value",
    ),
    "executability": (
        "executable actions",
        "valid actions among all steps of a window, over the episodes that got so far",
    ),
    "success-by-cap": (
        "success with a step cap",
        "tasks won within t steps: what a run with the step cap t would have won",
    ),
}
"""Kinds: the title of the y axis, and what a point is."""
_TRIAL = ["run", "suite", "split", "task", "strategy", "model", "seed", "attempt"]
_RESAMPLES = 2000

_Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StepPoint:
    """One value; of executability, that of the window that ends with ``step``. Low and high: a 95 % bootstrap."""

    step: int
    value: float
    low: float
    high: float
    n: int
    """Tasks, or steps of the window."""


@dataclass(frozen=True, slots=True)
class StepCurve:
    """One strategy."""

    strategy: str
    tasks: int
    unscored: int
    """Trials that are left out because they have no score."""
    points: tuple[StepPoint, ...]


@dataclass(frozen=True, slots=True)
class StepPanel:
    """All strategies of one suite, split, model and attempt, the highest at the end first."""

    title: str
    kind: str
    every: int
    curves: tuple[StepCurve, ...]
    notes: tuple[str, ...] = ()


def find_step_curves(items: pd.DataFrame, steps: pd.DataFrame, kind: str, every: int = 5) -> tuple[StepPanel, ...]:
    """Return one panel for each block of episodes. ``items``, ``steps``: of ``read_items`` and ``read_steps``.

    Raises: UsageError for an unknown kind, a window of no steps, or runs without an episode that has a score.
    """
    if kind not in STEP_KINDS:
        raise unknown_name("figure", "a kind", kind, tuple(STEP_KINDS))
    if every < 1:
        raise UsageError(f"figure {kind}: expected --every of at least 1 step, got {every}")
    keys = items[_TRIAL].drop_duplicates().assign(trial=lambda frame: range(len(frame)))
    numbered = items.merge(keys, on=_TRIAL)
    played = steps.merge(keys, on=_TRIAL)[["trial", "step", "progress", "valid", "won"]] if len(steps) else None
    blocks = [block for block in split_blocks(prepare(numbered)) if not _has_questions(block)]
    panels = [] if played is None else [_find_panel(block, played, kind, every) for block in blocks]
    found = tuple(panel for panel in panels if panel is not None)
    if not found:
        raise UsageError(
            f"figure {kind}: expected episodes with a score, got none (questions about a conversation have no steps); "
            "name a run of an acting suite, or resume it"
        )
    return found


def _has_questions(block: Block) -> bool:
    return bool((block.items["item"] != block.items["task"]).any())


def _find_panel(block: Block, played: pd.DataFrame, kind: str, every: int) -> StepPanel | None:
    scored = block.items[block.items["scored"]]
    mine = played[played["trial"].isin(scored["trial"])]
    if not len(mine):
        return None
    last = int(mine["step"].max())
    ends = [*range(every, last, every), last] if kind == "executability" else list(range(1, last + 1))
    units = _choose_units(block)
    curves = [_find_curve(block, name, mine, kind, ends, units) for name in block.strategies]
    curves = [curve for curve in curves if curve.points]
    curves.sort(key=lambda curve: (-curve.points[-1].value if kind != "executability" else 0, curve.strategy))
    return StepPanel(block.name, kind, every, tuple(curves), block.role_notes) if curves else None


def _choose_units(block: Block) -> str:
    """Return the column of what is resampled: clusters where there are enough of them, else tasks."""
    return "cluster" if block.items["cluster"].nunique() >= FEW_CLUSTERS else "task"


def _find_curve(block: Block, strategy: str, steps: pd.DataFrame, kind: str, ends: list[int], units: str) -> StepCurve:
    items = block.of(strategy)
    scored = items[items["scored"]]
    mine = steps[steps["trial"].isin(scored["trial"])]
    if not len(mine):
        return StepCurve(strategy, 0, len(items) - len(scored), ())
    if kind == "executability":
        above, below = _sum_windows(mine, scored, ends)
    else:
        above = _reach(mine, scored, kind, ends)
        below = pd.DataFrame(1.0, index=above.index, columns=above.columns)
    names = dict(zip(scored["task"], scored[units].astype(str), strict=True))
    unit = np.array([names[task] for task in above.index], dtype=np.str_)
    seed = seed_of(block.suite, block.split, block.model, str(block.attempt), kind)
    points = _resample(above.to_numpy(dtype=float), below.to_numpy(dtype=float), unit, ends, seed)
    return StepCurve(strategy, len(above), len(items) - len(scored), points)


def _reach(steps: pd.DataFrame, scored: pd.DataFrame, kind: str, ends: list[int]) -> pd.DataFrame:
    """Return progress or success by each end, one line a task; an episode that ended goes on at its last value."""
    column = "progress" if kind == "progress" else "won"
    best = steps[column].astype(float).groupby(steps["trial"]).cummax()
    wide = steps.assign(best=best).pivot_table(index="trial", columns="step", values="best", dropna=False)
    wide = wide.reindex(columns=range(1, ends[-1] + 1), index=scored["trial"]).ffill(axis=1).fillna(0.0)
    task = pd.Series(scored["task"].to_numpy(), index=wide.index)
    return wide[ends].groupby(task).mean()


def _sum_windows(steps: pd.DataFrame, scored: pd.DataFrame, ends: list[int]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the valid steps and all steps of each window, one line a task, summed over its repeats."""
    task = steps["trial"].map(scored.set_index("trial")["task"])
    window = np.asarray(ends)[np.searchsorted(ends, steps["step"])]
    groups = steps["valid"].astype(float).groupby([task.rename("task"), pd.Series(window, index=steps.index)])
    above, below = (
        found.unstack(fill_value=0).reindex(columns=ends, fill_value=0.0) for found in (groups.sum(), groups.count())
    )
    return above, below


def _resample(
    above: _Array, below: _Array, units: npt.NDArray[np.str_], ends: list[int], seed: int
) -> tuple[StepPoint, ...]:
    """Return the ratio of sums at each end, with its bars: all ends resampled together over the units."""
    _, member = np.unique(units, return_inverse=True)
    count = int(member.max()) + 1
    top, bottom = (
        np.stack([np.bincount(member, column, count) for column in side.T], axis=1) for side in (above, below)
    )
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=_RESAMPLES).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = (weights @ top) / (weights @ bottom)
    out = []
    for at, end in enumerate(ends):
        n = float(bottom[:, at].sum())
        known = draws[:, at][np.isfinite(draws[:, at])]
        if n and len(known):
            low, high = np.quantile(known, [0.025, 0.975])
            out.append(StepPoint(end, float(top[:, at].sum() / n), float(low), float(high), int(n)))
    return tuple(out)


def render_step_curves(
    panels: tuple[StepPanel, ...], style: str = "rich", *, width: int = 120, color: bool = False
) -> str:
    """Return the numbers as text for a terminal, or as CSV: one line a point."""
    if style == "csv":
        return to_csv(
            [
                {"block": panel.title, "kind": panel.kind, "strategy": curve.strategy, "tasks": curve.tasks,
                 "step": p.step, "value": p.value, "low": p.low, "high": p.high, "n": p.n}
                for panel in panels for curve in panel.curves for p in curve.points
            ],
            timing=False,
        )  # fmt: skip
    every, steps = panels[0].every, sorted({p.step for panel in panels for curve in panel.curves for p in curve.points})
    ends = [step for step in steps if step % every == 0 or step == steps[-1]]
    header = ("strategy", "tasks", *(str(end) for end in ends))
    sections = []
    for panel in panels:
        lines = tuple(_format_line(curve, ends) for curve in panel.curves)
        sections.append(
            Section(
                f"{panel.title} · {STEP_KINDS[panel.kind][0]}, %, by step",
                lines,
                (False,) * len(lines),
                (False,) * len(lines),
            )
        )
    # What a narrow terminal leaves out first: every second point, then every fourth ...
    weights = tuple(0 if end == ends[-1] else 1 + (at + 1) % 2 + (at + 1) % 4 // 2 for at, end in enumerate(ends))
    notes = [f"{STEP_KINDS[panels[0].kind][0]}: {STEP_KINDS[panels[0].kind][1]}."]
    if unscored := sum(curve.unscored for panel in panels for curve in panel.curves):
        notes.append(f"{unscored} trials without a score are left out.")
    notes += [note for panel in panels for note in panel.notes]
    grid = Grid(header, (True, *(False,) * (1 + len(ends))), (0, 0, *weights), tuple(sections), tuple(notes))
    return to_rich(grid, width=width, color=color)


def _format_line(curve: StepCurve, ends: list[int]) -> tuple[str, ...]:
    values = {p.step: f"{100 * p.value:.1f}" for p in curve.points}
    return (curve.strategy, str(curve.tasks), *(values.get(end, "–") for end in ends))
