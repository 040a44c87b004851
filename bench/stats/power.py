"""What a sample can detect: the smallest paired gap it detects, and what clusters cost. Knows only numbers."""

from __future__ import annotations

import math
from statistics import NormalDist

__all__ = ["ASSUMED_DISCORDANCE", "detectable_gap", "detectable_shift", "se_inflation"]

ASSUMED_DISCORDANCE = 0.2
"""Share of tasks on which two rows disagree, assumed until it is observed."""


def detectable_gap(
    n: int, discordance: float = ASSUMED_DISCORDANCE, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest difference of two paired rates that ``n`` tasks detect, before clustering; 0..1.

    (z_{1 - alpha/2} + z_power) sqrt(discordance / n): 11 points for 134 tasks at 20 % discordance.
    """
    return detectable_shift(n, math.sqrt(discordance), power=power, alpha=alpha)


def detectable_shift(n: int, deviation: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest mean paired difference that ``n`` tasks detect, in the unit of ``deviation``.

    ``deviation`` is the standard deviation of the differences (sample form).
    """
    if n < 1:
        raise ValueError(f"detectable gap: expected n >= 1, got {n}; count paired tasks")
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * deviation / math.sqrt(n)


def se_inflation(cluster_size: float, icc: float) -> float:
    """Return by what a standard error grows in clusters of this size: sqrt(1 + (m - 1) ICC)."""
    return math.sqrt(1 + (cluster_size - 1) * icc)
