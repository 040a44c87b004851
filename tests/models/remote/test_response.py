"""From completions to replies: texts, refusals and failures, and a usage that is missing."""

from __future__ import annotations

from typing import Any

import pytest

from bench.errors import ContextOverflow
from bench.models.remote.client import AttemptFailed, EndpointRequest
from bench.models.remote.pricing import Price, Tier
from bench.models.remote.response import CompletionReader, WarnOnce
from bench.types import CallStatus, Message, Usage, UsageSource
from tests.servers.openai_server import usage

REQUEST = EndpointRequest((Message("user", "hello"),))


def reader(price: Price | None = None) -> CompletionReader:
    return CompletionReader("m", price, len, WarnOnce())


def body(message: object, counted: object = None, finish: object = "stop") -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": counted}


@pytest.mark.parametrize("malformed", [None, [], "text", {}, {"choices": None}, {"choices": 3}])
def test_read_raises_malformed_for_what_is_no_completion(malformed: object) -> None:
    with pytest.raises(AttemptFailed) as caught:
        reader().read(malformed, REQUEST)
    assert caught.value.status is CallStatus.MALFORMED


@pytest.mark.parametrize("message", [None, {}, {"content": None}, {"content": " "}, {"content": [{"type": "image"}]}])
def test_read_raises_empty_with_the_billed_usage(message: object) -> None:
    price = Price("d", (Tier(1, 1, 1, 1, 1),))
    with pytest.raises(AttemptFailed) as caught:
        reader(price).read(body(message, usage(5, 2)), REQUEST)
    failed = caught.value
    assert (failed.status, failed.usage.prompt, failed.cost_usd) == (CallStatus.EMPTY, 5, pytest.approx(7e-6))


@pytest.mark.parametrize(
    ("finish", "expected"),
    [("length", "length"), ("MAX_TOKENS", "length"), ("safety", "refusal"), (None, "stop"), ("new-word", "stop")],
)
def test_read_maps_finish_reasons(finish: object, expected: str) -> None:
    assert reader().read(body({"content": "x"}, usage(1, 1), finish), REQUEST).finish == expected


@pytest.mark.parametrize(
    ("finish", "overloaded"),
    [
        ("error", False), ("abort", False), ("ERROR", False), ("cancelled", False), ("network_error", False),
        ("insufficient_system_resource", True), ("engine_overloaded", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("native", [False, True])
def test_reply_that_the_provider_broke_off_is_a_failed_try(finish: str, overloaded: bool, native: bool) -> None:
    choice = {"message": {"content": "Action: lo"}, "finish_reason": finish}
    if native:  # as litellm writes it
        choice |= {"finish_reason": "stop", "provider_specific_fields": {"native_finish_reason": finish}}
    with pytest.raises(AttemptFailed, match=finish) as caught:
        reader(Price("d", (Tier(1, 1, 1, 1, 1),))).read({"choices": [choice], "usage": usage(5, 2)}, REQUEST)
    failed = caught.value
    assert (failed.status, failed.retryable, failed.overloaded) == ("server-error", True, overloaded)
    assert (failed.usage.prompt, failed.cost_usd) == (5, pytest.approx(7e-6))


@pytest.mark.parametrize(
    ("error", "status"),
    [({"code": 429, "message": "slow"}, "rate-limit"), ({"code": "402"}, "quota"), ({"message": "x"}, "server-error")],
)
def test_error_next_to_a_choice_says_what_failed(error: object, status: str) -> None:
    choice = {"message": {"content": "Acti"}, "finish_reason": "error", "error": error}
    with pytest.raises(AttemptFailed) as caught:
        reader().read({"choices": [choice]}, REQUEST)
    assert (caught.value.status, caught.value.retryable) == (status, status != "quota")


@pytest.mark.parametrize("finish", ["model_context_window_exceeded", "ERROR_LIMIT"])
def test_full_window_is_an_overflow_without_a_text_and_a_cut_with_one(finish: str) -> None:
    assert reader().read(body({"content": "Actio"}, usage(5, 2), finish), REQUEST).finish == "length"
    with pytest.raises(ContextOverflow):
        reader().read(body({"content": ""}, usage(5, 0), finish), REQUEST)


def test_usage_next_to_the_choices_is_found() -> None:
    whole = {**body({"content": "four"}), "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2}}
    assert reader().read(whole, REQUEST).usage == Usage(prompt=9, completion=2)


def test_read_estimates_a_completion_count_of_zero_for_a_text() -> None:
    reply = reader().read(body({"content": "four"}, usage(5, 0)), REQUEST)
    assert reply.usage == Usage(prompt=5, completion=4, source=UsageSource.TOKENIZER)


def test_warn_once_prints_each_line_once(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = WarnOnce()
    for line in ("a", "b", "a"):
        warnings.warn(line)
    assert capsys.readouterr().err == "a\nb\n"
