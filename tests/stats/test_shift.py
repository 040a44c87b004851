"""The Hodges-Lehmann shift and its interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats.shift import MOST_EXACT, shift_interval
from bench.stats.wilcoxon import signed_rank


def test_shift_lies_in_its_interval_and_moves_with_the_data() -> None:
    d = [1.83, 0.5, -0.4, 1.62, 2.48, 1.68, 1.88, 1.55, -3.06, 1.3]
    shift, interval = shift_interval(d)
    assert interval is not None
    assert interval.low < shift < interval.high
    moved, other = shift_interval([value + 10 for value in d])
    assert other is not None
    assert (moved, other.low, other.high) == pytest.approx((shift + 10, interval.low + 10, interval.high + 10))


@given(st.lists(st.floats(-5, 5), min_size=8, max_size=40, unique=True))
def test_interval_holds_the_shifts_that_the_test_does_not_reject(d: list[float]) -> None:
    _, interval = shift_interval(d)
    assert interval is not None
    inside = (interval.low + interval.high) / 2
    wide = interval.high - interval.low + 1
    assert signed_rank([value - inside for value in d]).p > 0.04
    assert signed_rank([value - interval.low + wide for value in d]).p < 0.06


def test_interval_covers_the_true_shift_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        _, interval = shift_interval((rng.standard_normal(25) + 1).tolist())
        covered += interval is not None and interval.low <= 1 <= interval.high
    assert 0.92 <= covered / 400 <= 0.985


def test_few_equal_and_many_differences() -> None:
    assert shift_interval([]) == (0.0, None)
    assert shift_interval([0.5] * 5) == (0.5, None)
    shift, same = shift_interval([0.0] * 20)
    assert same is not None
    assert (shift, same.low, same.high) == (0.0, 0.0, 0.0)
    many = np.random.default_rng(1).standard_normal(2 * MOST_EXACT) + 0.1
    shift, interval = shift_interval(many.tolist())
    assert interval is not None
    assert abs(shift - 0.1) < 0.05
    assert interval.high - interval.low < 0.06
