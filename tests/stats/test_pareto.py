"""The staircase, the hull and bootstrap membership."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats.pareto import Point, hull, resample, staircase

points_in = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=12)


def names(points: tuple[Point, ...]) -> list[str]:
    return [point.name for point in points]


def test_the_hull_drops_what_the_staircase_keeps() -> None:
    points = [Point("a", 1, 0.5), Point("b", 2, 0.6), Point("c", 3, 0.9)]
    assert names(staircase(points)) == ["a", "b", "c"]
    assert names(hull(points)) == ["a", "c"]
    line = [Point("a", 1, 0.1), Point("b", 2, 0.2), Point("c", 3, 0.3)]
    assert names(hull(line)) == ["a", "c"]
    assert names(staircase(line)) == ["a", "b", "c"]


def test_ties_are_kept_and_dominated_points_are_not() -> None:
    points = [Point("twin", 1, 0.5), Point("a", 1, 0.5), Point("dear", 2, 0.5), Point("poor", 1, 0.4)]
    assert names(staircase(points)) == ["a", "twin"]
    assert names(hull(points)) == ["a"]
    assert staircase([]) == ()


def test_tolerance_keeps_nearly_equal_points() -> None:
    points = [Point("a", 1000, 0.500), Point("b", 1000, 0.498)]
    assert names(staircase(points)) == ["a"]
    assert names(staircase(points, tolerance=0.005)) == ["a", "b"]


@given(points_in)
def test_frontier_is_the_set_that_nothing_dominates(raw: list[tuple[int, int]]) -> None:
    points = [Point(str(i), c, v / 10) for i, (c, v) in enumerate(raw)]
    expected = {
        p.name
        for p in points
        if not any(q.cost <= p.cost and q.value >= p.value and (q.cost, q.value) != (p.cost, p.value) for q in points)
    }
    kept = staircase(points)
    assert set(names(kept)) == expected
    assert list(kept) == sorted(kept, key=lambda p: (p.cost, -p.value, p.name))
    assert set(names(hull(points))) <= expected


def test_membership_follows_the_evidence() -> None:
    rng = np.random.default_rng(1)
    tasks = 200
    costs = np.column_stack([np.full(tasks, 10.0), np.full(tasks, 20.0), np.full(tasks, 30.0)])
    values = np.column_stack([rng.random(tasks) < rate for rate in (0.5, 0.3, 0.9)]).astype(float)
    names_ = [str(i) for i in range(tasks)]
    cheap, beaten, good = resample(["cheap", "beaten", "good"], costs, values, names_, seed=4)
    assert (cheap.membership, good.membership) == (1.0, 1.0)
    assert beaten.membership < 0.01
    assert cheap.value.low < values[:, 0].mean() < cheap.value.high
    assert (cheap.cost.low, cheap.cost.high) == pytest.approx((10.0, 10.0))
    assert (cheap.value.units, cheap.value.method) == (200, "percentile")
    again = resample(["cheap", "beaten", "good"], costs, values, names_, seed=4)
    assert again[1] == beaten


def test_membership_is_unsure_between_equals_and_clusters_widen_bars() -> None:
    rng = np.random.default_rng(2)
    values = (rng.random((100, 2)) < 0.5).astype(float)
    values[:, 1] = values[::-1, 0]
    costs = np.column_stack([np.full(100, 10.0), np.full(100, 11.0)])
    single = [str(i) for i in range(100)]
    second = resample(["a", "b"], costs, values, single, seed=1)[1]
    assert 0.2 < second.membership < 0.8
    blocks = np.repeat(values[::10], 10, axis=0)
    lone = resample(["a", "b"], costs, blocks, single, seed=1)[0].value
    grouped = resample(["a", "b"], costs, blocks, [str(i // 10) for i in range(100)], seed=1)[0].value
    assert grouped.high - grouped.low > 2 * (lone.high - lone.low)
    assert grouped.units == 10
