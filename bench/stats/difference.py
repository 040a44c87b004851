"""The interval of a mean paired difference, over tasks or over clusters of tasks. Knows only numbers.

Student's t, whose standard error comes from leaving out one task, or one cluster, at a time: for tasks the usual one,
for clusters the jackknife, also known as CR3 (Bell and McCaffrey 2002), with one degree of freedom less than there are
clusters. A BCa bootstrap excludes 0 far too
often where there are few tasks or clusters (``results/statistics``). Differences of two rows are symmetric where the
rows are alike, so that the t interval holds for few tasks too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from bench.stats.interval import Interval

__all__ = ["difference_interval"]


def difference_interval(
    differences: Sequence[float], clusters: Sequence[str] | None = None, *, confidence: float = 0.95
) -> Interval:
    """Return the interval of the mean; with ``clusters``, whole clusters are the units.

    Where nothing varies, the interval is the point itself and the method says ``degenerate``.
    Raises: ValueError for no differences, or one that is not finite.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not len(values) or not np.isfinite(values).all():
        raise ValueError("difference: expected finite differences, got none or others; pair scored tasks only")
    mean = float(values.mean())
    residuals, sizes = values - mean, np.ones(len(values))
    if clusters is not None:
        _, member = np.unique(np.asarray(clusters), return_inverse=True)
        residuals = np.asarray(np.bincount(member, weights=residuals), dtype=np.float64)
        sizes = np.bincount(member).astype(np.float64)
    units, name = len(residuals), "t" if clusters is None else "cluster-t"
    moves = residuals / (len(values) - sizes) if units > 1 else np.zeros(1)  # of the mean, when a unit is left out
    error = math.sqrt((units - 1) / units * float((moves**2).sum()))
    if error <= 1e-12:
        return Interval(mean, mean, confidence, "degenerate", units)
    half = float(stats.t.ppf(0.5 + confidence / 2, units - 1)) * error
    return Interval(mean - half, mean + half, confidence, name, units)
