from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import ContextOverflow, ModelError
from bench.models.cache.key import hash_request
from bench.models.remote.client import AttemptFailed, EndpointRequest, RoleRequest
from bench.models.remote.endpoint_config import Rates
from bench.models.remote.rate_limit import Clock, EndpointSettings, LimitedModel, Limiter, Permit, Window
from bench.models.tokenizers import count_tokens
from bench.types import CallStatus, Message, Reply, Usage

HELLO = (Message("user", "hello there"),)


@dataclass
class Time:
    """A clock that only moves when a thread sleeps."""

    now_s: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now_s, self.sleep)


class Scripted:
    """A client that raises or returns the given outcomes, in order."""

    def __init__(self, answers: Iterator[Reply | Exception]):
        self._answers = answers
        self.requests: list[EndpointRequest] = []

    def ask(self, request: EndpointRequest, timeout_s: float) -> Reply:
        self.requests.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        pass


GOOD = Reply("ok", Usage(prompt=3, completion=1))


def make_failure(
    status: CallStatus, *, retryable: bool = True, overloaded: bool = False, wait_s: float | None = None
) -> AttemptFailed:
    found = AttemptFailed(status, "detail", retryable=retryable, overloaded=overloaded)
    found.retry_after_s = wait_s
    return found


@dataclass
class Rig:
    """A limited model with everything it touches."""

    model: LimitedModel
    client: Scripted
    limiter: Limiter
    time: Time
    settings: EndpointSettings


def rig(*answers: Reply | Exception, seed: int | None = None, **rates: float) -> Rig:
    time, limits = Time(), Rates.model_validate(rates)
    client, limiter = Scripted(iter(answers)), Limiter(limits, time.clock)
    settings = EndpointSettings("m", client, limiter, limits, count_tokens, hash_request, 7, "MY_KEY", time.clock)
    return Rig(LimitedModel(settings, seed), client, limiter, time, settings)


def test_chat_sends_the_whole_request_and_returns_the_reply() -> None:
    it = rig(GOOD, seed=5)
    assert it.model.chat(HELLO, role="act", max_tokens=20, stop=["\n"]) == GOOD
    assert it.client.requests == [EndpointRequest(HELLO, 27, ("\n",), 5)]  # 7 for thinking
    assert it.time.slept == []


def test_role_has_its_own_parameters_and_room_to_think() -> None:
    it = rig(GOOD, GOOD)
    plain, own = {"temperature": 0.0}, RoleRequest({"temperature": 0.6}, 100)
    it.model = LimitedModel(replace(it.settings, parameters=plain, roles={"summarize": own}))
    it.model.chat(HELLO, role="act", max_tokens=20)
    it.model.chat(HELLO, role="summarize", max_tokens=20)
    assert [(one.settings, one.max_tokens) for one in it.client.requests] == [(plain, 27), (own.parameters, 120)]


def test_request_that_is_changed_is_sent_at_once_and_is_no_retry() -> None:
    refused = make_failure(CallStatus.BAD_REQUEST)
    refused.adapted = True
    it = rig(refused, GOOD, retries=0)
    reply = it.model.chat(HELLO, role="act")
    assert [(attempt.status, attempt.latency_s) for attempt in reply.attempts] == [("bad-request", 0.0)]
    assert sum(it.time.slept) == 0.0


def test_failed_attempts_have_the_latency_of_their_waits() -> None:
    it = rig(
        make_failure(CallStatus.RATE_LIMIT, overloaded=True, wait_s=4.0),
        make_failure(CallStatus.SERVER_ERROR),
        GOOD,
        backoff_s=2,
    )
    reply = it.model.chat(HELLO, role="act")
    assert [attempt.status for attempt in reply.attempts] == ["rate-limit", "server-error"]
    assert [attempt.latency_s for attempt in reply.attempts] == pytest.approx(it.time.slept)
    assert it.time.slept[0] == 4.0
    assert 2.0 <= it.time.slept[1] <= 4.0  # the second wait: twice the first, less up to a half


def test_waits_are_the_same_in_every_run_and_differ_between_requests() -> None:
    def waits(text: str) -> list[float]:
        it = rig(make_failure(CallStatus.TIMEOUT), make_failure(CallStatus.TIMEOUT), GOOD)
        it.model.chat([Message("user", text)], role="act")
        return it.time.slept

    assert waits("a") == waits("a")
    assert waits("a") != waits("b")


def test_error_after_the_last_attempt_has_all_attempts() -> None:
    it = rig(*[make_failure(CallStatus.TIMEOUT)] * 3, retries=2)
    with pytest.raises(
        ModelError, match=r"m: expected a reply, got timeout after 3 tries \(detail\); resume"
    ) as caught:
        it.model.chat(HELLO, role="act")
    assert [attempt.status for attempt in caught.value.attempts] == ["timeout"] * 3
    assert len(it.time.slept) == 2


@pytest.mark.parametrize(
    ("status", "hint"), [(CallStatus.AUTH, "check the key in MY_KEY"), (CallStatus.NOT_FOUND, "check the model's name")]
)
def test_permanent_failure_is_not_retried(status: CallStatus, hint: str) -> None:
    it = rig(make_failure(status, retryable=False))
    with pytest.raises(ModelError, match=hint) as caught:
        it.model.chat(HELLO, role="act")
    assert len(caught.value.attempts) == len(it.client.requests) == 1


def test_retry_after_over_the_longest_wait_ends_the_call() -> None:
    it = rig(make_failure(CallStatus.RATE_LIMIT, wait_s=3600.0), longest_wait_s=60)
    with pytest.raises(ModelError, match="rate-limit"):
        it.model.chat(HELLO, role="act")
    assert it.time.slept == []


def test_overflow_is_raised_and_the_permit_returned() -> None:
    it = rig(ContextOverflow("too long"), GOOD, concurrency=1)
    with pytest.raises(ContextOverflow):
        it.model.chat(HELLO, role="act")
    assert it.model.chat(HELLO, role="act") == GOOD


def test_exception_in_a_client_returns_the_permit() -> None:
    it = rig(KeyError("bug"), GOOD, concurrency=1)
    with pytest.raises(KeyError):
        it.model.chat(HELLO, role="act")
    assert it.model.chat(HELLO, role="act") == GOOD


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


def calls_per_minute(starts: list[float]) -> int:
    return max(sum(start <= other < start + 60 for other in starts) for start in starts)


def test_calls_a_minute_stay_within_the_limit() -> None:
    it = rig(*[GOOD] * 25, requests_per_minute=10)
    starts = []
    for _ in range(25):
        it.model.chat(HELLO, role="act")
        starts.append(it.time.now_s)
    assert calls_per_minute(starts) == 10
    assert it.time.now_s - 1000 == pytest.approx(120)


def test_tokens_a_minute_count_what_was_used() -> None:
    # Expected: 3 + 97 + 7 a call, so one of them fits at a time; really used: 4.
    it = rig(*[GOOD] * 30, tokens_per_minute=120)
    for _ in range(4):
        it.model.chat(HELLO, role="act", max_tokens=97)
    assert it.time.slept == []
    it.model.chat(HELLO, role="act", max_tokens=97)
    assert it.time.slept == [pytest.approx(60)]


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
