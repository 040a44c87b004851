"""Cohen's kappa against figures worked by hand, its interval, and Kendall's tau-b."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats.agreement import agreement, tau_b

VERDICTS = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from("abcd")), min_size=1, max_size=40)


def rate(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    pairs = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither
    return [one for one, _ in pairs], [other for _, other in pairs]


def test_kappa_is_the_worked_one() -> None:
    first, second = rate(20, 5, 10, 15)
    found = agreement(first, second, [str(n) for n in range(50)], seed=1)
    assert (found.n, found.raw) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.interval is not None
    assert 0.1 < found.interval.low < 0.4 < found.interval.high < 0.7
    assert found == agreement(first, second, [str(n) for n in range(50)], seed=1)


@given(VERDICTS)
def test_kappa_is_between_its_ends_and_the_same_the_other_way_round(rated: list[tuple[bool, bool, str]]) -> None:
    first, second, clusters = ([row[i] for row in rated] for i in range(3))
    found = agreement(first, second, clusters, seed=1)  # type: ignore[arg-type]
    assert 0 <= found.raw <= 1
    if found.kappa is None:
        assert set(first) == set(second)
        assert found.interval is None
        return
    assert -1 - 1e-9 <= found.kappa <= 1 + 1e-9
    other = agreement(second, first, clusters, seed=1)  # type: ignore[arg-type]
    assert other.kappa == pytest.approx(found.kappa)
    if first == second:
        assert found.kappa == pytest.approx(1)


def test_copies_of_a_conversation_widen_the_interval_and_one_has_none() -> None:
    first, second = rate(20, 5, 10, 15)
    alone = agreement(first, second, [str(n) for n in range(50)], seed=1).interval
    copied = agreement(first * 4, second * 4, [str(n) for n in range(50)] * 4, seed=1).interval
    free = agreement(first * 4, second * 4, [str(n) for n in range(200)], seed=1).interval
    assert alone is not None
    assert copied is not None
    assert free is not None
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low)
    assert free.high - free.low < 0.7 * (copied.high - copied.low)
    assert agreement(first, second, ["one"] * 50, seed=1).interval is None


def test_agreement_on_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        agreement([], [], [], seed=1)


def test_tau_b_is_one_for_the_same_order_and_none_without_an_order() -> None:
    assert tau_b([1, 2, 3], [10, 20, 30]) == 1
    assert tau_b([1, 2, 3], [3, 2, 1]) == -1
    assert tau_b([1, 1, 2], [1, 2, 3]) == pytest.approx(0.816, abs=1e-3)
    assert tau_b([1, 1], [1, 2]) is None
    assert tau_b([1], [1]) is None
