"""``bench curve``: a run, and its learners again after fewer training tasks; a small table and a figure."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cli.console import width
from bench.cli.options import RunOptions
from bench.cli.run import choose_folder, describe_sampling, read_learning_question, report_errors
from bench.errors import UsageError, unknown_name
from bench.report.curve import find_curves
from bench.report.curve_text import CURVE_FORMATS, render_curves
from bench.report.figures.curve import draw_curves
from bench.report.figures.style import check_suffix
from bench.runner.curve import run_curve
from bench.runner.progress import HeadedProgress, choose_progress
from bench.store.dataframe import read_items
from bench.store.printing import say

__all__ = ["CurveOptions", "curve_command"]

_ALL = "all"


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """The flags that ``bench run`` does not have."""

    tasks: str
    """Numbers with commas; ``all`` may be among them."""
    y: str = "success"
    figure: Path | None = None
    style: str = "rich"


def curve_command(targets: Sequence[str], run: RunOptions, options: CurveOptions, out: Path | None) -> int:
    """Run and print the curve to stdout. Returns the exit code: 0 all scored; 1 some unscored, or all failed.

    Raises: UsageError, StoreError, BudgetStop, EndpointStop, Interrupted.
    """
    if options.style not in CURVE_FORMATS:
        raise unknown_name("curve", "a format", options.style, CURVE_FORMATS)
    if options.figure is not None:
        check_suffix("curve", options.figure)
    counts = _read_counts(options.tasks)
    question = read_learning_question(targets, run)
    folder = choose_folder(Path(targets[0]), question.config, out)
    outcomes = run_curve(question, counts, folder, HeadedProgress(describe_sampling(question), choose_progress()))
    found = find_curves(read_items([outcome.folder for outcome in outcomes]), options.y)
    print(render_curves(found, options.style, width=width(), color=sys.stdout.isatty()), end="")
    if options.figure is not None:
        draw_curves(found, options.figure)
        say(f"curve: drawn in {options.figure}")
    say(f"curve: recorded in {', '.join(str(outcome.folder) for outcome in outcomes)}")
    return report_errors("curve", outcomes)


def _read_counts(text: str) -> set[int]:
    try:
        return {int(piece) for piece in text.split(",") if piece.strip() not in ("", _ALL)}
    except ValueError:
        raise UsageError(f"--tasks: expected whole numbers with commas, got {text!r}; write 6,12,24,all") from None
