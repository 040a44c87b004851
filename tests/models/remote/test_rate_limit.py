from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from bench.errors import ContextOverflow, Interrupted, ModelError
from bench.models.cache.key import hash_request
from bench.models.remote.client import AttemptFailed, EndpointRequest, RoleRequest
from bench.models.remote.endpoint_config import Rates
from bench.models.remote.limiter import Limiter
from bench.models.remote.rate_limit import EndpointSettings, LimitedModel
from bench.models.tokenizers import count_tokens
from bench.types import CallStatus, Message, Reply, Usage
from tests.models.remote.fake_time import Time

HELLO = (Message("user", "hello there"),)


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


@pytest.mark.parametrize("wait_s", [None, 50.0], ids=["backoff", "retry-after"])
def test_stop_in_a_wait_raises_at_once_with_the_attempts_and_makes_no_other(wait_s: float | None) -> None:
    failed = make_failure(CallStatus.RATE_LIMIT, overloaded=True, wait_s=wait_s)
    failed.usage = Usage(prompt=9, completion=0)
    it = rig(failed, GOOD)
    wait = it.time.wait

    def stop_meanwhile(event: threading.Event, _seconds: float) -> None:
        it.limiter.stop()
        wait(event, 0.5)

    it.time.wait = stop_meanwhile  # type: ignore[method-assign]
    it.limiter._clock = it.time.clock
    with pytest.raises(Interrupted) as caught:
        it.model.chat(HELLO, role="act")
    assert [(one.status, one.usage.prompt, one.latency_s) for one in caught.value.attempts] == [("rate-limit", 9, 0.5)]
    assert len(it.client.requests) == 1
    with pytest.raises(Interrupted):
        it.model.chat(HELLO, role="act")
    assert len(it.client.requests) == 1


def test_reply_that_comes_after_the_stop_is_returned() -> None:
    it = rig(GOOD)
    ask = it.client.ask

    def stop_meanwhile(request: EndpointRequest, timeout_s: float) -> Reply:
        it.limiter.stop()
        return ask(request, timeout_s)

    it.client.ask = stop_meanwhile  # type: ignore[method-assign]
    assert it.model.chat(HELLO, role="act") == GOOD
