"""How large a paired difference is: wins and losses, rank-biserial correlation, Hodges-Lehmann shift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.stats.wilcoxon import DECIMALS, SignedRank

__all__ = ["Effect", "effect", "hodges_lehmann", "rank_biserial"]


@dataclass(frozen=True, slots=True)
class Effect:
    """Sizes of one paired comparison; positive = the first is higher."""

    higher: int
    tied: int
    lower: int
    rank_biserial: float
    """(W+ - W-) / (W+ + W-), in -1..1; 0 where nothing differs."""
    shift: float
    """Hodges-Lehmann: the median of all pairwise means of the differences; in the metric's own unit."""


def effect(differences: Sequence[float], test: SignedRank, *, decimals: int = DECIMALS) -> Effect:
    """Return the sizes that go with a signed-rank test on the same differences."""
    d = np.round(np.asarray(differences, dtype=np.float64), decimals)
    higher, lower = int((d > 0).sum()), int((d < 0).sum())
    return Effect(higher, len(d) - higher - lower, lower, rank_biserial(test), hodges_lehmann(differences))


def rank_biserial(test: SignedRank) -> float:
    """Return the matched-pairs rank-biserial correlation."""
    total = test.w_plus + test.w_minus
    return (test.w_plus - test.w_minus) / total if total else 0.0


def hodges_lehmann(differences: Sequence[float]) -> float:
    """Return the median of the Walsh averages (each pair once, each value with itself); 0 for no differences."""
    d = np.asarray(differences, dtype=np.float64)
    if not len(d):
        return 0.0
    first, second = np.triu_indices(len(d))
    return float(np.median((d[first] + d[second]) / 2))
