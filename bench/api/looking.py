"""Learning curves, causes of failures and figures: what the commands ``curve``, ``errors`` and ``frontier`` do.

Apart from ``bench.api``, so that playing and reading tables does not import what draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Unpack

import pandas as pd

from bench.api import Run, RunFields, Runs, ask, read_runs
from bench.errors import unknown_name
from bench.report.curve import find_curves
from bench.report.error_shares import find_error_shares
from bench.report.figures.curve import draw_curves
from bench.report.figures.errors import draw_errors
from bench.report.figures.frontier import draw as draw_frontiers
from bench.report.frontier import find_frontiers
from bench.runner.curve import run_curve
from bench.runner.progress import NoProgress, choose_progress
from bench.runner.resolve import default_folder

__all__ = ["curve", "curve_points", "draw", "error_shares"]


def curve(
    suites: str | Sequence[str],
    strategies: str | Sequence[str],
    tasks: Sequence[int],
    model: str = "offline/reader",
    *,
    out: Path | str | None = None,
    progress: bool = False,
    **fields: Unpack[RunFields],
) -> tuple[Run, ...]:
    """Play strategies, and learners again after fewer training tasks of one collection; the run with all tasks is last.

    ``tasks``: how many, each fewer than all. The rest as of ``run``; ``learn`` says what is learned from, by default
    half of the tasks (``{"policy": "grouped-by-spec"}``). Raises: as ``run``.
    """
    question = ask(suites, strategies, {"model": model, "learn": {"policy": "grouped-by-spec"}, **fields})
    folder = Path(out) if out is not None else default_folder(question.config)
    outcomes = run_curve(question, set(tasks), folder, choose_progress() if progress else NoProgress())
    return tuple(Run(outcome.folder, outcome) for outcome in outcomes)


def curve_points(runs: Runs, y: str = "success") -> pd.DataFrame:
    """Return a learning curve: one line for each strategy and number of training tasks (0 = it learns nothing).

    Raises: UsageError for an unknown metric.
    """
    found = find_curves(read_runs(runs), y)
    return pd.DataFrame([{"block": one.title, **asdict(point)} for one in found for point in one.points])


def error_shares(runs: Runs) -> pd.DataFrame:
    """Return how often each strategy succeeds and why it fails: one line a strategy, the shares add up to 1.

    Raises: UsageError where no question or decision has evidence.
    """
    return pd.DataFrame(
        [
            {
                "block": panel.title,
                "strategy": bar.strategy,
                "n": bar.n,
                "succeeded": bar.succeeded if bar.shares else None,
                **{cause.value: share for cause, share in bar.shares.items()},
            }
            for panel in find_error_shares(read_runs(runs))
            for bar in panel.bars
        ]
    )


def _draw_frontier(items: pd.DataFrame, path: Path, x: str, y: str) -> None:
    draw_frontiers(find_frontiers(items, x=x, y=y), path)


def _draw_errors(items: pd.DataFrame, path: Path, _x: str, _y: str) -> None:
    draw_errors(find_error_shares(items), path)


def _draw_curve(items: pd.DataFrame, path: Path, _x: str, y: str) -> None:
    draw_curves(find_curves(items, y), path)


_KINDS: Mapping[str, Callable[[pd.DataFrame, Path, str, str], None]] = {
    "frontier": _draw_frontier,
    "errors": _draw_errors,
    "curve": _draw_curve,
}


def draw(kind: str, runs: Runs, path: Path | str, *, x: str = "tokens", y: str = "success") -> Path:
    """Draw a figure into a PNG, SVG or PDF and return its path. ``kind``: frontier (of cost ``x`` and value ``y``),
    errors, or curve (of value ``y``).

    Raises: UsageError; StoreError for a place that cannot be written.
    """
    if kind not in _KINDS:
        raise unknown_name("draw", "a kind of figure", kind, _KINDS)
    _KINDS[kind](read_runs(runs), Path(path), x, y)
    return Path(path)
