"""The exact signed-rank test against enumeration, SciPy where it is exact, and published figures."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bench.stats.wilcoxon import SignedRank, signed_rank


def enumerated_p(differences: list[float], zeros: str) -> float:
    """Two-sided p by trying every assignment of signs to the non-zero differences."""
    kept = [d for d in differences if d != 0] if zeros == "wilcox" else differences
    ranks = [r for r, d in zip(stats.rankdata(np.abs(kept)), kept, strict=True) if d != 0]
    plus = sum(r for r, d in zip(ranks, [d for d in kept if d != 0], strict=True) if d > 0)
    observed = min(plus, sum(ranks) - plus)
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product((0, 1), repeat=len(ranks))]
    return min(1.0, 2 * sum(total <= observed + 1e-9 for total in sums) / len(sums))


@settings(max_examples=60)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=11), st.sampled_from(["wilcox", "pratt"]))
def test_p_is_that_of_the_full_permutation_with_ties_and_zeros(values: list[int], zeros: str) -> None:
    differences = [value / 10 for value in values]
    result = signed_rank(differences, zeros=zeros)
    expected = enumerated_p(differences, zeros) if any(values) else 1.0
    assert result.p == pytest.approx(expected, abs=1e-12)
    assert result.n_nonzero == sum(value != 0 for value in values)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=49, unique=True))
def test_p_and_sums_are_scipys_where_scipy_is_exact(magnitudes: list[int]) -> None:
    signs = [1 if (m * 2654435761) % 7 < 4 else -1 for m in magnitudes]
    differences = [float(m * s) for m, s in zip(magnitudes, signs, strict=True)]
    ours = signed_rank(differences)
    theirs = stats.wilcoxon(differences, method="exact")
    assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-9)
    assert ours.statistic == float(theirs.statistic)
    assert ours.method == "exact"


def test_a_binary_metric_gives_the_exact_mcnemar_and_not_scipys_value() -> None:
    differences = [1.0] * 12 + [-1.0] * 3 + [0.0] * 119
    result = signed_rank(differences)
    assert (result.n, result.n_nonzero) == (134, 15)
    assert result.p == pytest.approx(0.0352, abs=5e-5)
    assert signed_rank([1.0] * 6).p == pytest.approx(2 / 64)


def test_rounding_makes_float_noise_a_tie() -> None:
    noisy = [0.4 - 0.3, -(0.3 - 0.2), 0.2, 0.3, 0.4, 0.5]
    assert noisy[0] != -noisy[1]
    unrounded = signed_rank(noisy, decimals=17)
    assert signed_rank(noisy).w_minus == 1.5
    assert unrounded.w_minus in (1.0, 2.0)
    assert signed_rank(noisy).p != unrounded.p


def test_all_zero_is_p_one_with_no_pairs() -> None:
    assert signed_rank([0.0, 0.0]) == SignedRank(2, 0, 0.0, 0.0, 1.0, "none", "wilcox")
    assert signed_rank([]).p == 1.0


def test_pratt_ranks_the_zeros_and_drops_them_after() -> None:
    differences = [0.0, 0.0, 1.0, -2.0, 3.0]
    assert (signed_rank(differences).w_plus, signed_rank(differences).w_minus) == (4.0, 2.0)
    pratt = signed_rank(differences, zeros="pratt")
    assert (pratt.w_plus, pratt.w_minus, pratt.zeros) == (8.0, 4.0, "pratt")


@pytest.mark.parametrize(("pairs", "statistic", "published"), [(45, 144.0, 2.38e-5), (34, 112.5, 0.0016)])
def test_the_published_hiagent_results_are_those_of_the_normal_approximation(
    pairs: int, statistic: float, published: float
) -> None:
    left = statistic
    losing = set()
    for rank in range(pairs, 0, -1):  # ranks that add up to the published statistic
        if rank <= left:
            losing.add(rank)
            left -= rank
    magnitudes = [float(rank) for rank in range(1, pairs + 1)]
    if left:  # a half: swap the lowest rank's side for a tie of the two lowest
        magnitudes[1] = magnitudes[0]
        losing ^= {1}
    differences = [-m if rank in losing else m for rank, m in enumerate(magnitudes, 1)]
    approximate = signed_rank(differences, exact_limit=0)
    assert approximate.method == "asymptotic"
    assert abs(approximate.statistic - statistic) <= 1
    assert approximate.p == pytest.approx(published, rel=0.15)
    exact = signed_rank(differences).p
    assert published / 4 < exact < published  # the exact tail is thinner: what was published is not an exact p


def test_large_samples_agree_with_the_approximation_and_say_which_they_are() -> None:
    rng = np.random.default_rng(7)
    differences = list(np.round(rng.normal(0.03, 1, 450), 2))
    exact, approximate = signed_rank(differences), signed_rank(differences, exact_limit=10)
    assert (exact.method, approximate.method) == ("exact", "asymptotic")
    assert exact.p == pytest.approx(approximate.p, rel=0.01)


def test_tails_far_out_keep_their_precision() -> None:
    result = signed_rank([float(i) for i in range(1, 201)])
    assert result.p == pytest.approx(2 * 0.5**200, rel=1e-12)


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        signed_rank([1.0, math.nan])
    with pytest.raises(ValueError, match="wilcox or pratt"):
        signed_rank([1.0], zeros="zsplit")
