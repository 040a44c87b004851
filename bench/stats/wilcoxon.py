"""The paired signed-rank test, exact in the presence of ties and zeros. Knows only differences.

SciPy's exact null distribution assumes neither ties nor zeros, so with them its "exact" p is not exact. Here the null
is counted by dynamic programming over doubled mid-ranks (whole numbers), which equals the full permutation of signs.
Above ``EXACT_LIMIT`` non-zero pairs SciPy's normal approximation is used, and the result says ``asymptotic``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

__all__ = ["DECIMALS", "EXACT_LIMIT", "SignedRank", "signed_rank"]

DECIMALS = 9
"""Differences are rounded to this many decimals before ranking: 0.4 - 0.3 and 0.3 - 0.2 are one tie, not two ranks."""

EXACT_LIMIT = 500
"""The most non-zero pairs counted exactly; about a fifth of a second there."""


@dataclass(frozen=True, slots=True)
class SignedRank:
    """Result of the two-sided test. ``statistic`` is the smaller of the two rank sums."""

    n: int
    n_nonzero: int
    w_plus: float
    w_minus: float
    p: float
    method: str
    """exact, asymptotic, or none where every difference is zero (p = 1 by definition)."""
    zeros: str
    """wilcox drops zero differences before ranking; pratt ranks them first and drops them after."""

    @property
    def statistic(self) -> float:
        return min(self.w_plus, self.w_minus)


def signed_rank(
    differences: Sequence[float], *, zeros: str = "wilcox", decimals: int = DECIMALS, exact_limit: int = EXACT_LIMIT
) -> SignedRank:
    """Test whether paired differences are symmetric about zero; two-sided.

    Raises: ValueError for a difference that is not finite or an unknown zero rule.
    """
    if zeros not in ("wilcox", "pratt"):
        raise ValueError(f"signed_rank: expected zeros=wilcox or pratt, got {zeros!r}; see the docstring")
    d: npt.NDArray[np.float64] = np.asarray(differences, dtype=np.float64).round(decimals)
    if not np.all(np.isfinite(d)):
        raise ValueError("signed_rank: expected finite differences, got NaN or infinity; pair scored tasks only")
    nonzero = d != 0
    if not nonzero.any():
        return SignedRank(len(d), 0, 0.0, 0.0, 1.0, "none", zeros)
    used = d if zeros == "pratt" else d[nonzero]
    ranks = stats.rankdata(np.abs(used))
    w_plus, w_minus = float(ranks[used > 0].sum()), float(ranks[used < 0].sum())
    n_nonzero = int(nonzero.sum())
    if n_nonzero <= exact_limit:
        p, method = _exact_p(ranks[used != 0], min(w_plus, w_minus)), "exact"
    else:
        # The stubs know "asymptotic" only with keepdims=True; SciPy takes it anywhere.
        result = stats.wilcoxon(used, zero_method=zeros, method="asymptotic")  # type: ignore[call-overload]
        p, method = float(result.pvalue), "asymptotic"
    return SignedRank(len(d), n_nonzero, w_plus, w_minus, p, method, zeros)


def _exact_p(ranks: npt.NDArray[np.float64], observed: float) -> float:
    """Return 2 P(sum of the positive ranks <= observed) over all signs, at most 1.

    Only sums up to the observed one are carried, as probabilities: every term is positive, so nothing cancels.
    """
    doubled = np.sort(np.rint(2 * ranks).astype(np.int64))
    top = round(2 * observed)
    share = np.zeros(top + 1)
    share[0] = 1.0
    reach = 0
    for rank in doubled.tolist():
        half = share[: min(reach, top) + 1] * 0.5
        share[: len(half)] = half
        if rank <= top:
            end = min(rank + len(half), top + 1)
            share[rank:end] += half[: end - rank]
        reach += rank
    return min(1.0, 2.0 * float(share.sum()))
