"""The Hodges-Lehmann shift of paired differences with its interval, from the signed-rank test turned round.

Knows only differences. Source: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.2 and 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from bench.stats.effect import hodges_lehmann
from bench.stats.interval import Interval

__all__ = ["MOST_EXACT", "shift_interval"]

MOST_EXACT = 3000
"""Of more differences so many of their quantiles stand for all: the pairwise means of all would not fit in memory."""


def shift_interval(differences: Sequence[float], *, confidence: float = 0.95) -> tuple[float, Interval | None]:
    """Return the median of all pairwise means and the interval between two of them in order, which holds a shift that
    the signed-rank test would not reject (large-sample form; with ties and zeros it is approximate).

    None for fewer than six differences: no interval of that confidence exists. Differences are independent tasks.
    """
    d = np.sort(np.asarray(differences, dtype=np.float64))
    n = len(d)
    if n > MOST_EXACT:
        d = np.quantile(d, (np.arange(MOST_EXACT) + 0.5) / MOST_EXACT)
    shift = hodges_lehmann(d.tolist())
    if n < 6:
        return shift, None
    first, second = np.triu_indices(len(d))
    means = np.sort((d[first] + d[second]) / 2)
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    rank = n * (n + 1) / 4 - z * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    at = max(0, math.floor(rank / (n * (n + 1) / 2) * len(means)))
    return shift, Interval(float(means[at]), float(means[len(means) - 1 - at]), confidence, "signed-rank", n)
