"""Bootstrap intervals of a mean, over tasks or over clusters of tasks, by SciPy's BCa. Knows only numbers.

A paired comparison is the mean of its differences: resampling the differences is resampling the tasks for both rows
together. For clusters the resampled unit is the cluster, and the statistic the ratio of sums, so that a large cluster
weighs what it holds. Draws are seeded by the caller (``interval.seed_of``).

Above ``MOST_UNITS`` units the interval is the normal one, from the linearised variance of the ratio (Cochran, Sampling
Techniques, 1977, sec. 6.4): the time that BCa's acceleration takes grows with the square of their number, and both
agree there to a few percent of the width.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from bench.stats.interval import Interval

__all__ = ["FEW_CLUSTERS", "MOST_UNITS", "RESAMPLES", "cluster_interval", "mean_interval"]

RESAMPLES = 9999
FEW_CLUSTERS = 10
"""Below this many clusters their bootstrap interval is too narrow to be trusted."""
MOST_UNITS = 10_000
"""Up to this many units are resampled."""
_AT_ONCE = 200_000
"""Numbers drawn at once: they should stay in the processor's cache. Draws do not depend on it."""

_Array = npt.NDArray[np.float64]


def mean_interval(
    values: Sequence[float], *, seed: int, confidence: float = 0.95, resamples: int = RESAMPLES
) -> Interval:
    """Return the BCa interval of a mean; of differences, it is the paired interval of the difference.

    Where nothing varies, the interval is the point itself and the method says ``degenerate``.
    """
    data = np.asarray(values, dtype=np.float64)
    return _interval(data, np.ones(len(data)), seed, confidence, resamples, "bca")


def cluster_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    *,
    seed: int,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the BCa interval of the mean of ``values`` when whole clusters are resampled; ``units`` counts them."""
    names = sorted(set(clusters))
    place = {name: index for index, name in enumerate(names)}
    sums, sizes = np.zeros(len(names)), np.zeros(len(names))
    for value, name in zip(values, clusters, strict=True):
        sums[place[name]] += value
        sizes[place[name]] += 1
    return _interval(sums, sizes, seed, confidence, resamples, "cluster-bca")


def _ratio(sums: _Array, sizes: _Array, axis: int = -1) -> _Array:
    return np.asarray(np.sum(sums, axis=axis) / np.sum(sizes, axis=axis))


def _interval(sums: _Array, sizes: _Array, seed: int, confidence: float, resamples: int, method: str) -> Interval:
    """BCa where it exists, the percentile interval where its acceleration does not, a point where nothing varies."""
    units = len(sums)
    if not units:
        raise ValueError("bootstrap: expected at least one value, got none; check that something was scored")
    if units == 1 or np.ptp(sums / sizes) == 0:
        point = float(_ratio(sums, sizes))
        return Interval(point, point, confidence, "degenerate", units)
    if units > MOST_UNITS:
        low, high = _normal_ends(sums, sizes, confidence)
        return Interval(low, high, confidence, method.replace("bca", "normal"), units)
    kinds: tuple[Literal["BCa", "percentile"], ...] = ("BCa", "percentile")
    for kind in kinds:
        name = method if kind == "BCa" else method.replace("bca", "percentile")
        with warnings.catch_warnings():
            # A degenerate BCa warns and answers NaN; the percentile interval is tried next, and named.
            warnings.simplefilter("ignore")
            result = stats.bootstrap(
                (sums, sizes),
                _ratio,
                n_resamples=resamples,
                batch=max(1, min(resamples, _AT_ONCE // units)),
                vectorized=True,
                paired=True,
                axis=-1,
                confidence_level=confidence,
                method=kind,
                rng=np.random.default_rng(seed),
            )
        low, high = float(result.confidence_interval.low), float(result.confidence_interval.high)
        if np.isfinite(low) and np.isfinite(high):
            return Interval(low, high, confidence, name, units)
    raise ValueError(f"bootstrap: expected a finite interval, got none from {units} units; are all values finite?")


def _normal_ends(sums: _Array, sizes: _Array, confidence: float) -> tuple[float, float]:
    """Return the ends of the normal interval of a ratio of sums."""
    point, n = float(_ratio(sums, sizes)), len(sums)
    rest = sums - point * sizes
    error = float(np.sqrt(n / (n - 1) * np.sum(rest * rest)) / np.sum(sizes))
    reach = float(stats.norm.ppf(0.5 + confidence / 2)) * error
    return point - reach, point + reach
