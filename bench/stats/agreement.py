"""How far two raters agree: Cohen's kappa with a bootstrap interval over clusters, and the order that both give.

Kappa: Cohen, A coefficient of agreement for nominal scales, 1960. Rank correlation: Kendall's tau-b, by SciPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from bench.stats.bootstrap import RESAMPLES
from bench.stats.interval import Interval

__all__ = ["Agreement", "agreement", "tau_b"]

_Array = npt.NDArray[np.float64]
_LEAST_DEFINED = 0.5
"""The share of resamples that must have a kappa for an interval to be given."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters on the same things. ``kappa`` None = undefined, as both gave every one the same single verdict."""

    n: int
    raw: float
    kappa: float | None
    interval: Interval | None
    """Of kappa; None where it has none: fewer than two clusters, or a kappa that is undefined too often."""


def agreement(
    first: Sequence[bool], second: Sequence[bool], clusters: Sequence[str], *, seed: int, confidence: float = 0.95
) -> Agreement:
    """Return how far two raters agree; whole clusters are resampled, the interval is their percentile one.

    Raises: ValueError for no ratings.
    """
    if not first:
        raise ValueError("agreement: expected at least one thing that both rated, got none")
    tables = _count_by_cluster(first, second, clusters)
    total = tables.sum(axis=0, keepdims=True)
    point = float(_kappa(total)[0])
    raw = float((total[0, 0] + total[0, 3]) / total.sum())
    interval = None if np.isnan(point) else _resample(tables, seed, confidence)
    return Agreement(len(first), raw, None if np.isnan(point) else point, interval)


def _count_by_cluster(first: Sequence[bool], second: Sequence[bool], clusters: Sequence[str]) -> _Array:
    """Return for each cluster how often the two said no-no, no-yes, yes-no and yes-yes."""
    names = {name: index for index, name in enumerate(sorted(set(clusters)))}
    tables = np.zeros((len(names), 4))
    for one, other, name in zip(first, second, clusters, strict=True):
        tables[names[name], 2 * bool(one) + bool(other)] += 1
    return tables


def _kappa(tables: _Array) -> _Array:
    """Return the kappa of each table (a row of four counts), NaN where chance alone agrees always."""
    shares = tables / tables.sum(axis=1, keepdims=True)
    one, other = shares[:, 2] + shares[:, 3], shares[:, 1] + shares[:, 3]
    chance = one * other + (1 - one) * (1 - other)
    # Shares of 1 are sums of rounded parts: what is left of chance is no number of its own.
    left = np.where(chance > 1 - 1e-12, np.nan, 1 - chance)
    return np.asarray((shares[:, 0] + shares[:, 3] - chance) / left)


def _resample(tables: _Array, seed: int, confidence: float) -> Interval | None:
    count = len(tables)
    if count < 2:
        return None
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    found = _kappa(draws @ tables)
    found = found[~np.isnan(found)]
    if len(found) < _LEAST_DEFINED * RESAMPLES:
        return None
    tail = (1 - confidence) / 2
    low, high = (float(end) for end in np.quantile(found, (tail, 1 - tail)))
    return Interval(low, high, confidence, "cluster-percentile", count)


def tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b of two orders of the same things, 1 = the same; None where one of them has no order."""
    if len(first) < 2:
        return None
    found = float(stats.kendalltau(first, second, variant="b").statistic)
    return None if np.isnan(found) else found
