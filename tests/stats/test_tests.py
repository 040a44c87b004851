"""McNemar, Holm and the effect sizes against the specification's figures and other implementations."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from bench.stats.effect import effect, hodges_lehmann
from bench.stats.holm import holm
from bench.stats.mcnemar import mcnemar
from bench.stats.wilcoxon import signed_rank


def test_mcnemar_matches_the_worked_figures() -> None:
    result = mcnemar(12, 3, 119)
    assert result.p == pytest.approx(0.0352, abs=5e-5)
    assert result.p_mid == pytest.approx(0.0213, abs=5e-5)
    assert result.difference == pytest.approx(9 / 134)
    assert result.discordance == pytest.approx(15 / 134)
    assert result.interval.low < 9 / 134 < result.interval.high
    assert mcnemar(6, 0, 0).p == pytest.approx(0.03125)
    assert mcnemar(6, 0, 0).p_mid == pytest.approx(0.015625)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 50))
def test_mcnemar_is_symmetric_and_equals_the_signed_rank_test(wins: int, losses: int, ties: int) -> None:
    result = mcnemar(wins, losses, ties)
    other = mcnemar(losses, wins, ties)
    assert (result.p, result.p_mid) == (other.p, other.p_mid)
    assert result.p_mid <= result.p <= 1
    differences = [1.0] * wins + [-1.0] * losses + [0.0] * ties
    assert result.p == pytest.approx(signed_rank(differences).p, rel=1e-9)
    below = sum(math.comb(wins + losses, i) for i in range(min(wins, losses) + 1))
    assert result.p == pytest.approx(min(1.0, 2 * below / 2 ** (wins + losses)), rel=1e-9)
    assert -1 <= result.interval.low <= result.interval.high <= 1


def test_mcnemar_without_a_difference_says_one() -> None:
    nothing = mcnemar(0, 0, 0)
    assert (nothing.p, nothing.p_mid, nothing.difference, nothing.discordance) == (1.0, 1.0, 0.0, 0.0)
    assert mcnemar(4, 4, 2).p_mid == pytest.approx(1.0)
    with pytest.raises(ValueError, match="counts >= 0"):
        mcnemar(-1, 0, 0)


@pytest.mark.parametrize("size", range(1, 13))
def test_holm_is_statsmodels(size: int) -> None:
    # A few samples, no property: every call of multipletests collects the whole process's garbage.
    rng = random.Random(size)
    p_values = [rng.choice([0.0, 1.0, 0.05, rng.random() ** 3]) for _ in range(size)]
    expected = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(list(expected), abs=1e-12)


def test_holm_leaves_untested_rows_out_of_the_family() -> None:
    assert holm([0.01, None, 0.04]) == (0.02, None, 0.04)
    assert holm([None, None]) == (None, None)
    assert holm([]) == ()


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=25))
def test_hodges_lehmann_is_the_median_of_walsh_averages_and_moves_with_the_data(values: list[int]) -> None:
    data = [float(value) for value in values]
    walsh = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(data, 2)]
    assert hodges_lehmann(data) == pytest.approx(float(np.median(walsh)))
    assert hodges_lehmann([value + 3 for value in data]) == pytest.approx(hodges_lehmann(data) + 3)


def test_effect_counts_and_correlates() -> None:
    differences = [0.5, 0.25, 0.0, -0.1]
    sizes = effect(differences, signed_rank(differences))
    assert (sizes.higher, sizes.tied, sizes.lower) == (2, 1, 1)
    assert sizes.rank_biserial == pytest.approx((5 - 1) / 6)
    assert effect([0.0], signed_rank([0.0])).rank_biserial == 0.0
    assert hodges_lehmann([]) == 0.0
    assert effect([1.0, 2.0], signed_rank([1.0, 2.0])).rank_biserial == 1.0
