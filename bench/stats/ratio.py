"""Bootstrap interval of a ratio of sums, averaged over strata. Knows only numbers.

A plain mean of group means is one: values over ones, a stratum for each group. So is what one row spends as a share of
another, task by task: values over the values of the other row. Units are drawn inside their stratum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.stats.bootstrap import RESAMPLES
from bench.stats.interval import Interval

__all__ = ["ratio_interval"]

Stratum = Sequence[tuple[float, float]]
"""For each unit (a task, or a cluster of tasks) what goes above and below the line."""


def ratio_interval(
    strata: Sequence[Stratum], *, seed: int, confidence: float = 0.95, resamples: int = RESAMPLES
) -> Interval | None:
    """Return the percentile interval of the mean over strata of sum / sum; None where nothing can vary: no stratum has
    two units, or a sum below the line may be 0."""
    units = sum(len(stratum) for stratum in strata)
    if not strata or all(len(stratum) < 2 for stratum in strata):
        return None
    draws, total = np.random.default_rng(seed), np.zeros(resamples)
    for stratum in strata:
        data = np.asarray(stratum, dtype=np.float64)
        drawn = data[draws.integers(0, len(data), (resamples, len(data)))].sum(axis=1)
        if (drawn[:, 1] <= 0).any():
            return None
        total += drawn[:, 0] / drawn[:, 1] / len(strata)
    edge = 50 * (1 - confidence)
    low, high = np.percentile(total, [edge, 100 - edge])
    return Interval(float(low), float(high), confidence, "stratified-percentile", units)
