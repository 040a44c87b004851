"""The interval of a mean difference against the textbook, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bench.stats.difference import difference_interval

VALUES = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=3, max_size=30)


@given(VALUES)
def test_interval_over_tasks_is_students(values: list[float]) -> None:
    found = difference_interval(values)
    if np.ptp(values) == 0:
        assert (found.low, found.high, found.method) == (found.high, found.low, "degenerate")
        return
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.method, found.units) == ("t", len(values))


@given(VALUES)
def test_clusters_of_one_task_each_are_tasks(values: list[float]) -> None:
    alone, tasks = difference_interval(values, [str(n) for n in range(len(values))]), difference_interval(values)
    assert (alone.low, alone.high, alone.units) == (pytest.approx(tasks.low), pytest.approx(tasks.high), tasks.units)


def test_equal_clusters_have_the_interval_of_their_means() -> None:
    values, clusters = [0.1, 0.3, 0.5, 0.1, -0.2, 0.0], ["a", "a", "b", "b", "c", "c"]
    found, means = difference_interval(values, clusters), difference_interval([0.2, 0.3, -0.1])
    assert (found.low, found.high) == (pytest.approx(means.low), pytest.approx(means.high))
    assert (found.method, found.units) == ("cluster-t", 3)


@pytest.mark.parametrize("clusters", [None, ["a", "a"]])
def test_what_does_not_vary_is_a_point(clusters: list[str] | None) -> None:
    found = difference_interval([0.25, 0.25], clusters)
    assert (found.low, found.high, found.method) == (0.25, 0.25, "degenerate")
    assert difference_interval([0.5]).method == "degenerate"


@pytest.mark.parametrize("values", [[], [float("nan")], [float("inf"), 0.0]])
def test_no_finite_differences_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="expected finite differences"):
        difference_interval(values)
