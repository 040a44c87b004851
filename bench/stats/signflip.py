"""A paired test for clustered differences: whole clusters change sign together. Knows only numbers.

Under the null hypothesis that two strategies are alike, the difference of a whole cluster (one conversation with all
its questions) could as well have had the other sign. The statistic is the sum of all differences; its null distribution
is counted over all sign patterns of the clusters, or sampled where there are too many. With k clusters no p-value can
be below 2 / 2^k: 0.002 for the ten conversations of LoCoMo.

Source: the randomisation test with the cluster as its unit (Edgington and Onghena, Randomization Tests, ch. on repeated
measures); Miller 2024 (arXiv 2411.00640) for why questions of one conversation are no independent sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["EXACT_CLUSTERS", "SAMPLES", "SignFlip", "sign_flip"]

EXACT_CLUSTERS = 18
"""The most clusters whose sign patterns are all counted."""
SAMPLES = 99_999
_TOLERANCE = 1e-9
"""Sums that are equal on paper may differ by this share in floating point."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Result of the two-sided test."""

    clusters: int
    p: float
    method: str
    """exact, sampled, or none where no cluster differs (p = 1 by definition)."""


def sign_flip(values: Sequence[float], clusters: Sequence[str], *, seed: int) -> SignFlip:
    """Test whether paired differences are symmetric about zero when whole clusters flip.

    ``seed`` is used only where patterns are sampled. Raises: ValueError if the lengths differ or a value is not finite.
    """
    names = sorted(set(clusters))
    sums = np.zeros(len(names))
    place = {name: index for index, name in enumerate(names)}
    for value, name in zip(values, clusters, strict=True):
        sums[place[name]] += value
    if not np.all(np.isfinite(sums)):
        raise ValueError("sign_flip: expected finite differences, got NaN or infinity; pair scored questions only")
    moved = sums[np.abs(sums) > _TOLERANCE]
    if not len(moved):
        return SignFlip(len(names), 1.0, "none")
    if len(moved) <= EXACT_CLUSTERS:
        return SignFlip(len(names), _share(moved, _patterns(len(moved))), "exact")
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(SAMPLES, len(moved)))
    hits = _share(moved, signs) * SAMPLES
    return SignFlip(len(names), (hits + 1) / (SAMPLES + 1), "sampled")


def _patterns(k: int) -> npt.NDArray[np.float64]:
    """Every pattern of k signs, shape (2**k, k)."""
    return np.where((np.arange(2**k)[:, None] >> np.arange(k)) & 1, 1.0, -1.0)


def _share(sums: npt.NDArray[np.float64], signs: npt.NDArray[np.float64]) -> float:
    """The share of sign patterns whose sum is at least as far from zero as the one observed."""
    observed = abs(float(sums.sum()))
    slack = _TOLERANCE * max(1.0, float(np.abs(sums).sum()))
    return float(np.mean(np.abs(signs @ sums) >= observed - slack))
