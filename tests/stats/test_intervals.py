"""Wilson, bootstrap, power and pass^k against known figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bench.stats import bootstrap
from bench.stats.bootstrap import cluster_interval, mean_interval
from bench.stats.interval import seed_of
from bench.stats.passk import flip_rate, icc1, pass_hat
from bench.stats.power import detectable_gap, detectable_shift, se_inflation
from bench.stats.wilson import wilson


@given(st.integers(1, 400), st.data())
def test_wilson_is_scipys(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    expected = stats.binomtest(k, n).proportion_ci(method="wilson")
    ours = wilson(k, n)
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert ours.low <= k / n <= ours.high


def test_wilson_takes_averaged_repeats_and_an_empty_sample() -> None:
    assert wilson(66.5, 134).low < 66.5 / 134 < wilson(66.5, 134).high
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    with pytest.raises(ValueError, match="successes <= n"):
        wilson(3, 2)


def test_bca_interval_is_scipys_and_the_same_every_time() -> None:
    values = np.random.default_rng(3).exponential(size=60)
    first = mean_interval(list(values), seed=seed_of("a", "b"))
    assert first == mean_interval(list(values), seed=seed_of("a", "b"))
    assert first != mean_interval(list(values), seed=seed_of("ab", ""))
    reference = stats.bootstrap((values,), np.mean, rng=np.random.default_rng(0)).confidence_interval
    assert (first.low, first.high) == pytest.approx((reference.low, reference.high), abs=0.03)
    assert (first.method, first.units) == ("bca", 60)


def test_an_interval_where_nothing_varies_is_the_point_and_says_so() -> None:
    interval = mean_interval([0.5] * 8, seed=1)
    assert (interval.low, interval.high, interval.method) == (0.5, 0.5, "degenerate")
    assert mean_interval([2.0], seed=1).high == 2.0
    with pytest.raises(ValueError, match="at least one"):
        mean_interval([], seed=1)


@settings(max_examples=20)
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=30), st.integers(0, 9))
def test_an_interval_is_finite_and_holds_the_mean(values: list[float], seed: int) -> None:
    interval = mean_interval(values, seed=seed, resamples=400)
    assert interval.low <= np.mean(values) <= interval.high


def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = list(np.random.default_rng(3).exponential(size=60))
    first = mean_interval(values, seed=1)
    monkeypatch.setattr(bootstrap, "_AT_ONCE", 7 * 60)
    assert mean_interval(values, seed=1) == first


def test_many_units_have_the_normal_interval_which_is_near_the_resampled_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    values, names = list(rng.exponential(size=3000)), [str(number) for number in rng.integers(0, 900, size=3000)]
    resampled = (mean_interval(values, seed=1), cluster_interval(values, names, seed=1))
    monkeypatch.setattr(bootstrap, "MOST_UNITS", 800)
    normal = (mean_interval(values, seed=1), cluster_interval(values, names, seed=1))
    assert [one.method for one in normal] == ["normal", "cluster-normal"]
    for one, other in zip(normal, resampled, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.06 * (other.high - other.low))
    data = np.asarray(values)
    error = data.std(ddof=1) / np.sqrt(len(data))
    assert normal[0].high - data.mean() == pytest.approx(stats.norm.ppf(0.975) * error)


def test_clusters_of_one_are_no_clusters_and_copies_widen_the_interval() -> None:
    values = list(np.random.default_rng(5).normal(size=40))
    names = [str(index) for index in range(40)]
    alone = mean_interval(values, seed=9)
    single = cluster_interval(values, names, seed=9)
    assert single.high - single.low == pytest.approx(alone.high - alone.low, rel=0.05)
    copies = cluster_interval(values * 4, names * 4, seed=9)
    naive = mean_interval(values * 4, seed=9)
    assert (copies.high - copies.low) / (naive.high - naive.low) == pytest.approx(2.0, rel=0.1)
    assert (copies.units, copies.method) == (40, "cluster-bca")


def test_clusters_weigh_what_they_hold() -> None:
    interval = cluster_interval([1.0] * 8 + [0.0, 0.2], ["big"] * 8 + ["small", "other"], seed=2)
    assert interval.low <= 0.82 <= interval.high


@pytest.mark.parametrize(("n", "points"), [(20, 28), (60, 16), (134, 11), (500, 5.6), (1540, 3.2)])
def test_detectable_gaps_are_the_worked_ones(n: int, points: float) -> None:
    assert 100 * detectable_gap(n) == pytest.approx(points, abs=0.5 if points > 10 else 0.05)


def test_detectable_shift_and_inflation() -> None:
    assert detectable_shift(100, 2.0) == pytest.approx(2.8016 * 2 / 10, rel=1e-4)
    assert [round(se_inflation(154, icc), 1) for icc in (0.01, 0.02, 0.05)] == [1.6, 2.0, 2.9]
    with pytest.raises(ValueError, match="n >= 1"):
        detectable_gap(0)


def test_pass_hat_counts_draws_that_all_succeed() -> None:
    assert pass_hat([4, 2, 0], 4, 1) == pytest.approx(0.5)
    assert pass_hat([4, 2, 0], 4, 2) == pytest.approx((1 + 1 / 6 + 0) / 3)
    assert pass_hat([4, 4], 4, 4) == 1.0
    with pytest.raises(ValueError, match="k <= runs"):
        pass_hat([1], 1, 2)
    with pytest.raises(ValueError, match=r"counts in 0\.\.2"):
        pass_hat([3], 2, 1)


def test_flip_rate_and_icc() -> None:
    assert flip_rate([0, 2, 4], 4) == pytest.approx((0 + 4 / 6 + 0) / 3)
    assert icc1([[1.0, 1.0], [0.0, 0.0]]) == pytest.approx(1.0)
    assert icc1([[1.0, 0.0], [0.0, 1.0]]) == pytest.approx(-1.0)
    assert icc1([[1.0, 1.0], [1.0, 1.0]]) == 1.0
    with pytest.raises(ValueError, match="two runs"):
        flip_rate([1], 1)
    with pytest.raises(ValueError, match="two tasks"):
        icc1([[1.0, 0.0]])
