"""The limits of a run: tries wait for each other near a limit, and no more than the one that reaches it goes over."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.config import RunConfig
from bench.errors import BudgetStop, Interrupted
from bench.runner.limits import SpendingLimits
from bench.store.database import Spending

WAIT_S = 60.0


def open_limits(spent: Spending = Spending(), **fields: object) -> SpendingLimits:
    return SpendingLimits(RunConfig.model_validate({"suites": ["toy"], "strategies": ["window"], **fields}), spent)


def spend(limits: SpendingLimits, tokens: int, usd: float = 0.0, estimate: tuple[int, float] = (0, 0.0)) -> None:
    release = limits.reserve(lambda: estimate)
    limits.add(Spending(1, tokens, usd))
    release()


class Waiter:
    """A thread that makes one reservation and holds it."""

    def __init__(self, limits: SpendingLimits, estimate: tuple[int, float] = (0, 0.0)):
        self.release: Callable[[], None] | None = None
        self.error: BaseException | None = None
        self._limits, self._estimate = limits, estimate
        self._thread = threading.Thread(target=self._reserve, daemon=True)
        self._thread.start()

    def _reserve(self) -> None:
        try:
            self.release = self._limits.reserve(lambda: self._estimate)
        except BaseException as cause:
            self.error = cause

    def finish(self) -> None:
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    @property
    def waits(self) -> bool:
        self._thread.join(0.05)
        return self._thread.is_alive()


def test_without_a_limit_nothing_is_estimated_and_nothing_waits() -> None:
    def refuse() -> tuple[int, float]:
        raise AssertionError

    limits = open_limits()
    for _ in range(3):
        limits.reserve(refuse)


def test_reserve_raises_once_a_limit_is_reached() -> None:
    limits = open_limits(max_usd=2.0)
    spend(limits, 10, 0.99)
    spend(limits, 10, 0.99)
    spend(limits, 10, 0.99)  # 1.98 were spent when it began
    with pytest.raises(BudgetStop, match=r"max_usd 2 reached \(\$2\.97\); raise it to go on"):
        limits.reserve(lambda: (0, 0.0))
    with pytest.raises(BudgetStop, match=r"max_tokens 30 reached \(30\)"):
        open_limits(Spending(3, 30, 0.0), max_tokens=30).reserve(lambda: (0, 0.0))


def test_one_try_is_made_at_a_time_until_one_has_ended() -> None:
    limits = open_limits(max_tokens=1000)
    first = limits.reserve(lambda: (1, 0.0))
    second = Waiter(limits)
    assert second.waits
    limits.add(Spending(1, 10, 0.0))
    first()
    second.finish()
    third = Waiter(limits)
    third.finish()
    assert second.release is not None
    assert third.release is not None  # ten of thousand each: all may be under way


@pytest.mark.parametrize(("under_way", "waits"), [(399, False), (400, True)])
def test_try_waits_where_those_under_way_may_reach_the_limit(under_way: int, waits: bool) -> None:
    limits = open_limits(max_tokens=500)
    spend(limits, 100)
    release = limits.reserve(lambda: (under_way, 0.0))
    other = Waiter(limits)
    assert other.waits is waits
    release()
    other.finish()
    assert other.release is not None


def test_try_under_way_counts_for_as_much_as_the_largest_so_far() -> None:
    limits = open_limits(max_usd=1.0)
    spend(limits, 1, 0.6)
    limits.reserve(lambda: (1, 0.01))
    assert Waiter(limits, (1, 0.01)).waits  # 0.6 are spent, and 0.6 may be under way


def test_stop_ends_every_wait_and_lets_none_begin() -> None:
    limits = open_limits(max_tokens=1000)
    limits.reserve(lambda: (1, 0.0))
    waiting = [Waiter(limits) for _ in range(3)]
    assert all(one.waits for one in waiting)
    limits.stop()
    for one in waiting:
        one.finish()
        assert isinstance(one.error, Interrupted)
    with pytest.raises(Interrupted):
        limits.reserve(lambda: (1, 0.0))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=40), st.integers(1, 400), st.integers(1, 6))
def test_no_more_than_the_tries_whose_size_nobody_knew_go_over(costs: list[int], most: int, threads: int) -> None:
    limits, waiting, lock = open_limits(max_tokens=most), list(costs), threading.Lock()
    before: list[int] = []

    def work() -> None:
        while True:
            with lock:
                if not waiting:
                    return
                cost = waiting.pop()
            try:
                release = limits.reserve(lambda cost=cost: (cost, 0.0))
            except BudgetStop:
                return
            with lock:
                before.append(limits.spent.tokens)
            limits.add(Spending(1, cost, 0.0))
            release()

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(WAIT_S)
        assert not worker.is_alive()
    assert all(spent < most for spent in before)
    # With estimates that hold, the one try that reaches the limit is all that goes over.
    assert limits.spent.tokens < most + max(costs)
    assert limits.spent.tokens >= min(most, sum(costs))
