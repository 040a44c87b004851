from __future__ import annotations

import pytest

from bench.errors import EndpointStop
from bench.runner.refusals import Refusals
from bench.types import Call, CallStatus, EndReason, Phase, Status, Trial, TrialKey, Usage

KEY = TrialKey("toy", "houses", "t", "window", "m", 0)


def make_call(status: CallStatus, model: str = "m") -> Call:
    return Call(0, Phase.ACT, "act", model, "h", "", Usage(), 1, 1, status)


def end_trial(status: CallStatus, model: str = "m") -> Trial:
    call = make_call(status, model)
    return Trial(KEY, Status.MODEL_ERROR, EndReason.ERROR, calls=(call,), error="m: expected a reply, got a no; pay")


def feed(refusals: Refusals, *statuses: CallStatus, model: str = "m") -> EndpointStop | None:
    stop = None
    for status in statuses:
        refusals.count(make_call(status, model))
        stop = refusals.find_stop(end_trial(status, model))
    return stop


@pytest.mark.parametrize("status", [CallStatus.AUTH, CallStatus.QUOTA, CallStatus.NOT_FOUND])
def test_third_equal_refusal_stops_with_the_error_of_the_trial(status: CallStatus) -> None:
    refusals = Refusals(100)
    assert feed(refusals, status, status) is None
    stop = feed(refusals, status)
    assert str(stop) == (
        "run: m: expected a reply, got a no; pay (every call is answered like this: the run stopped, the same command "
        "goes on from here)"
    )


def test_good_reply_of_the_model_begins_anew_and_one_of_another_does_not() -> None:
    refusals = Refusals(100)
    assert feed(refusals, CallStatus.AUTH, CallStatus.AUTH, CallStatus.OK, CallStatus.AUTH, CallStatus.AUTH) is None
    feed(refusals, CallStatus.OK, model="another")
    assert feed(refusals, CallStatus.AUTH) is not None


def test_different_refusals_and_those_of_different_models_are_not_equal() -> None:
    refusals = Refusals(100)
    assert feed(refusals, CallStatus.AUTH, CallStatus.AUTH, CallStatus.QUOTA, CallStatus.QUOTA) is None
    assert feed(refusals, CallStatus.AUTH, CallStatus.AUTH, model="another") is None


@pytest.mark.parametrize(
    "status", [CallStatus.RATE_LIMIT, CallStatus.SERVER_ERROR, CallStatus.TIMEOUT, CallStatus.BAD_REQUEST]
)
def test_what_may_pass_or_concerns_one_request_never_stops(status: CallStatus) -> None:
    assert feed(Refusals(100), *[status] * 50) is None


def test_fewer_trials_than_the_limit_stop_with_the_last_one() -> None:
    assert feed(Refusals(1), CallStatus.AUTH) is not None
    refusals = Refusals(2)
    assert feed(refusals, CallStatus.AUTH) is None
    assert feed(refusals, CallStatus.AUTH) is not None


def test_trial_that_ended_otherwise_is_no_refusal() -> None:
    refusals = Refusals(1)
    refusals.count(make_call(CallStatus.AUTH))
    assert refusals.find_stop(Trial(KEY, Status.ENV_ERROR, EndReason.ERROR, error="x")) is None
    assert refusals.find_stop(Trial(KEY, Status.MODEL_ERROR, EndReason.ERROR, error="x")) is None
    assert not refusals.hit(Trial(KEY, Status.DONE, EndReason.WON, calls=(make_call(CallStatus.AUTH),)))
