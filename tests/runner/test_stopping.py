from __future__ import annotations

import os
import signal
import threading

import pytest

from bench.runner.stopping import Stop, catch_signals


def test_stop_tells_each_listener_once_and_a_late_one_at_once() -> None:
    stop, told = Stop(), list[str]()
    stop.add(lambda: told.append("a"))

    def gone() -> None:
        told.append("gone")

    stop.add(gone)
    stop.remove(gone)
    assert (stop.asked, told) == (False, [])
    stop.ask()
    stop.ask()
    stop.add(lambda: told.append("late"))
    assert (stop.asked, told) == (True, ["a", "late"])


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_first_signal_asks_and_the_second_raises(first: signal.Signals, second: signal.Signals) -> None:
    handlers = [signal.getsignal(one) for one in (first, second)]
    told = threading.Event()
    with catch_signals() as stop:
        stop.add(told.set)
        os.kill(os.getpid(), first)
        assert told.wait(60)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(second)
    assert stop.asked
    assert [signal.getsignal(one) for one in (first, second)] == handlers


def test_part_of_a_run_has_the_stop_of_the_whole_and_leaves_the_handlers_alone() -> None:
    with catch_signals() as stop:
        handler = signal.getsignal(signal.SIGINT)
        with catch_signals(stop) as inner:
            assert inner is stop
            assert signal.getsignal(signal.SIGINT) is handler


def test_other_threads_catch_nothing_and_an_ignored_signal_stays_ignored() -> None:
    found: list[object] = []

    def play() -> None:
        with catch_signals() as stop:
            found.append((stop.asked, signal.getsignal(signal.SIGTERM)))

    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with catch_signals():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
            thread = threading.Thread(target=play)
            thread.start()
            thread.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert found == [(False, signal.SIG_IGN)]


def test_wait_returns_when_the_stop_is_asked_for_before_or_after() -> None:
    stop = Stop()
    waiting = threading.Thread(target=stop.wait)
    waiting.start()
    stop.ask()
    waiting.join(60)
    assert not waiting.is_alive()
    stop.wait()
