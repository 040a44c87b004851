"""The bootstrap of a ratio of sums over strata."""

from __future__ import annotations

import numpy as np
import pytest

from bench.stats.bootstrap import mean_interval
from bench.stats.ratio import ratio_interval


def test_ratio_interval_of_ones_is_that_of_a_mean() -> None:
    values = [float(value) for value in np.random.default_rng(1).normal(5, 2, 60)]
    found = ratio_interval([[(value, 1.0) for value in values]], seed=3)
    plain = mean_interval(values, seed=3)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.1)
    assert found.units == 60


def test_ratio_interval_weighs_strata_equally() -> None:
    small, large = [(0.0, 1.0), (1.0, 1.0)], [(1.0, 1.0)] * 98
    found = ratio_interval([small, large], seed=1)
    assert found is not None
    assert (found.low, found.high) == (0.5, 1.0)  # the small stratum is half of the mean


def test_ratio_interval_covers_the_true_share() -> None:
    draws, hits = np.random.default_rng(7), 0
    for number in range(200):
        below = draws.uniform(50, 150, 40)
        above = below * draws.uniform(0.3, 0.9, 40)
        found = ratio_interval([list(zip(above.tolist(), below.tolist(), strict=True))], seed=number, resamples=500)
        assert found is not None
        hits += found.low <= 0.6 <= found.high
    assert 180 <= hits <= 198


@pytest.mark.parametrize("strata", [[], [[(1.0, 1.0)]], [[(1.0, 1.0)], [(2.0, 1.0)]], [[(1.0, 0.0), (1.0, 1.0)]]])
def test_ratio_interval_is_none_where_nothing_can_vary_or_be_divided(strata: list[list[tuple[float, float]]]) -> None:
    assert ratio_interval(strata, seed=0) is None
