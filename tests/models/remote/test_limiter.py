from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import Interrupted
from bench.models.remote.endpoint_config import Rates
from bench.models.remote.limiter import Clock, Limiter, Permit, Window
from tests.models.remote.fake_time import Time


def test_limit_is_halved_once_a_burst_and_grows_by_one_a_round() -> None:
    time = Time()
    limiter = Limiter(Rates(concurrency=8), time.clock)
    burst = [limiter.enter() for _ in range(4)]
    time.now_s += 1
    for permit in burst:
        limiter.leave(permit, overloaded=True)
    assert limiter.concurrency == 4
    for _ in range(4):
        limiter.leave(limiter.enter())
    assert 4.9 < limiter.concurrency < 5.0
    for _ in range(200):
        limiter.leave(limiter.enter())
    assert limiter.concurrency == 8
    for _ in range(9):
        permit = limiter.enter()
        time.now_s += 1
        limiter.leave(permit, overloaded=True)
    assert limiter.concurrency == 1


def test_waiting_calls_start_in_order() -> None:
    limiter = Limiter(Rates(concurrency=1))
    order: list[int] = []
    first = limiter.enter()
    threads = []

    def wait(number: int) -> None:
        permit = limiter.enter()
        order.append(number)
        limiter.leave(permit)

    for number in range(5):
        threads.append(threading.Thread(target=wait, args=(number,)))
        threads[-1].start()
        while len(limiter._waiting) < number + 1:
            pass
    assert order == []
    limiter.leave(first)
    for thread in threads:
        thread.join(10)
    assert order == [0, 1, 2, 3, 4]


def test_threads_never_exceed_the_limit() -> None:
    limiter, lock = Limiter(Rates(concurrency=3)), threading.Lock()
    active, most = 0, 0

    def work() -> None:
        nonlocal active, most
        for turn in range(50):
            permit = limiter.enter()
            with lock:
                active += 1
                most = max(most, active)
            with lock:
                active -= 1
            limiter.leave(permit, overloaded=turn % 10 == 9)

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert active == 0
    assert 1 <= most <= 3


def test_call_larger_than_the_limit_starts_alone() -> None:
    window = Window(Rates(tokens_per_minute=10))
    assert window.wait_s(Permit(0.0, 50)) == 0
    assert window.wait_s(Permit(1.0, 1)) == pytest.approx(59)
    assert window.wait_s(Permit(60.0, 50)) == 0


@given(st.lists(st.integers(1, 40), min_size=1, max_size=40), st.integers(0, 5), st.integers(20, 60))
def test_no_minute_exceeds_the_limits(sizes: list[int], calls: int, tokens: int) -> None:
    time = Time()
    limiter = Limiter(Rates(requests_per_minute=calls, tokens_per_minute=tokens), time.clock)
    went: list[Permit] = []
    for size in sizes:
        went.append(limiter.enter(size))
        limiter.leave(went[-1])
    for first in went:
        within = [p for p in went if first.began_s <= p.began_s < first.began_s + 60]
        assert not calls or len(within) <= calls
        assert len(within) == 1 or sum(p.tokens for p in within) <= tokens


def test_stop_ends_the_waits_for_a_place_and_lets_no_call_begin() -> None:
    limiter, ended = Limiter(Rates(concurrency=1)), threading.Semaphore(0)
    first = limiter.enter()
    outcomes: list[object] = []

    def wait() -> None:
        try:
            outcomes.append(limiter.enter())
        except Interrupted as stop:
            outcomes.append(type(stop))
        ended.release()

    for _ in range(5):
        threading.Thread(target=wait, daemon=True).start()
    while len(limiter._waiting) < 5:
        pass
    limiter.stop()
    for _ in range(5):
        ended.acquire()  # with a wait that goes on, the test would hang
    assert outcomes == [Interrupted] * 5
    limiter.leave(first)  # the call under way has ended by itself
    with pytest.raises(Interrupted):
        limiter.enter()
    assert limiter._active == 0


@pytest.mark.parametrize("rates", [Rates(requests_per_minute=1), Rates(tokens_per_minute=5)])
def test_stop_ends_the_wait_for_the_next_minute(rates: Rates) -> None:
    waiting = threading.Event()

    def wait(stopped: threading.Event, seconds: float) -> None:
        waiting.set()
        assert stopped.wait(seconds + 1000)  # it is not the time that ends it

    limiter, raised = Limiter(rates, Clock(lambda: 0.0, wait)), threading.Event()
    limiter.leave(limiter.enter(5))

    def enter() -> None:
        with pytest.raises(Interrupted):
            limiter.enter(5)
        raised.set()

    threading.Thread(target=enter, daemon=True).start()
    assert waiting.wait(60)
    limiter.stop()
    assert raised.wait(60)
    assert limiter._active == 0


def test_pause_of_a_stopped_limiter_waits_for_nothing() -> None:
    time = Time()
    limiter = Limiter(Rates(), time.clock)
    limiter.stop()
    with pytest.raises(Interrupted):
        limiter.pause(60)
    assert time.slept == []
