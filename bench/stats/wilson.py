"""The Wilson score interval of a rate. Knows nothing of pairing or clusters."""

from __future__ import annotations

import math
from statistics import NormalDist

from bench.stats.interval import Interval

__all__ = ["wilson"]


def wilson(successes: float, n: int, confidence: float = 0.95) -> Interval:
    """Return the Wilson interval of ``successes`` in ``n``; n = 0 gives the whole of 0..1.

    ``successes`` may be a fraction: the sum of per-task rates when repeats were averaged first.
    Source: E. B. Wilson 1927; without continuity correction.
    """
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"wilson: expected 0 <= successes <= n, got {successes} of {n}; count scored tasks only")
    if n == 0:
        return Interval(0.0, 1.0, confidence, "wilson", 0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high, confidence, "wilson", n)
