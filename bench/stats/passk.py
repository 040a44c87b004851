"""Agreement of repeated runs: pass^k, the flip rate and the intraclass correlation. Knows only counts and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["flip_rate", "icc1", "pass_hat"]


def pass_hat(successes: Sequence[int], runs: int, k: int) -> float:
    """Return pass^k: the chance that k runs drawn from a task's ``runs`` all succeed, averaged over tasks.

    Source: tau-bench, C(c, k) / C(n, k); every task must have the same number of runs.
    """
    if not 1 <= k <= runs:
        raise ValueError(f"pass^k: expected 1 <= k <= runs = {runs}, got {k}; repeat with more seeds")
    if not successes or any(not 0 <= count <= runs for count in successes):
        raise ValueError(f"pass^k: expected counts in 0..{runs} for each task, got {list(successes)[:5]}")
    return sum(math.comb(count, k) for count in successes) / (len(successes) * math.comb(runs, k))


def flip_rate(successes: Sequence[int], runs: int) -> float:
    """Return the chance that two different runs of one task disagree, averaged over tasks."""
    if runs < 2 or not successes:
        raise ValueError(f"flip rate: expected at least two runs of a task, got {runs}; repeat with more seeds")
    return sum(count * (runs - count) for count in successes) / (len(successes) * math.comb(runs, 2))


def icc1(repeats: Sequence[Sequence[float]]) -> float:
    """Return ICC(1), the share of variance that lies between tasks; rows are tasks, columns are runs.

    One-way random effects, (MSB - MSW) / (MSB + (k - 1) MSW); 1 where nothing varies at all.
    """
    table = np.asarray(repeats, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError("ICC(1): expected at least two tasks with two runs each; repeat with more seeds")
    tasks, k = table.shape
    means = table.mean(axis=1)
    between = k * float(((means - table.mean()) ** 2).sum()) / (tasks - 1)
    within = float(((table - means[:, None]) ** 2).sum()) / (tasks * (k - 1))
    total = between + (k - 1) * within
    return (between - within) / total if total else 1.0
