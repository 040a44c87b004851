"""Endpoints that fail: each fault is classified, retried where that helps, and never taken for a reply."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bench.errors import ContextOverflow, ModelError
from bench.models.options import ModelOptions
from bench.models.remote.source import RemoteSource
from bench.types import Message, Usage
from tests.servers.calling import CLIENTS, QUICK, SECRET, Make, chat
from tests.servers.openai_server import Answer, FakeOpenAI, completion, error, usage


def test_empty_reply_is_retried_and_its_billed_usage_kept(make: Make, server: FakeOpenAI) -> None:
    answers = [completion("", usage(5, 2)), completion("ok", usage(5, 1))]
    server.script = lambda request: answers[request.number - 1]
    reply = chat(make(text=QUICK + '[prices]\ndate = "2026-05-06"\ninput = 1\noutput = 1\n'))
    (attempt,) = reply.attempts
    assert (attempt.status, attempt.usage.prompt, attempt.usage.completion) == ("empty", 5, 2)
    assert attempt.cost_usd == pytest.approx(7e-6)


FAULTS = {
    "rate-limit": error(429, "slow down", Retry_After="0"),
    "server-error": error(500, "oops"),
    "malformed": Answer(b'{"choices": [{"mess'),
    "connection": Answer(b"x" * 100, cut_after=-1),
    "empty": Answer(
        json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}).encode()
    ),
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("status", sorted(FAULTS))
def test_fault_is_classified_and_retried(client: str, status: str, make: Make, server: FakeOpenAI) -> None:
    server.script = lambda request: FAULTS[status] if request.number == 1 else completion("ok", usage(3, 1))
    reply = chat(make(client))
    assert reply.text == "ok"
    assert [attempt.status for attempt in reply.attempts] == [status]
    assert reply.attempts[0].usage == Usage()
    assert len(server.requests) == 2  # litellm's own retries are off


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("finish", ["error", "abort", "insufficient_system_resource"])
def test_reply_that_the_provider_broke_off_is_asked_for_again(
    client: str, finish: str, make: Make, server: FakeOpenAI
) -> None:
    broken = completion("Action: lo", usage(5, 2), finish=finish)
    server.script = lambda request: broken if request.number == 1 else completion("ok", usage(3, 1))
    reply = chat(make(client))
    assert (reply.text, [(attempt.status, attempt.usage.prompt) for attempt in reply.attempts]) == (
        "ok",
        [("server-error", 5)],
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_hanging_call_times_out(client: str, make: Make, server: FakeOpenAI) -> None:
    server.script = lambda request: (
        Answer(delay_s=5) if request.number == 1 else completion("ok", usage(3, 1))
    )  # fmt: skip
    source = make(client, text="[limits]\ntimeout_s = 0.5\nbackoff_s = 0.001\n")
    if client == "litellm":
        server.script, hung = (lambda _request: completion("warm", usage(3, 1))), server.script
        chat(source)  # its first call imports half of the library
        server.requests.clear()
        server.script = hung
    reply = chat(source)
    assert [attempt.status for attempt in reply.attempts] == ["timeout"]
    assert 0.5 <= reply.attempts[0].latency_s < 4


def test_slow_reply_times_out(make: Make, server: FakeOpenAI) -> None:
    slow = completion("ok", usage(3, 1))
    server.script = lambda _request: Answer(slow.body, trickle_s=0.05)
    with pytest.raises(ModelError, match="timeout after 1 try") as caught:
        chat(make(text="[limits]\ntimeout_s = 0.3\nretries = 0\n"))
    assert 0.3 <= caught.value.attempts[0].latency_s < 2


def test_cut_body_is_a_connection_fault(make: Make, server: FakeOpenAI) -> None:
    whole = completion("ok", usage(3, 1))
    server.script = lambda request: Answer(whole.body, cut_after=20) if request.number == 1 else whole
    assert [attempt.status for attempt in chat(make()).attempts] == ["connection"]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (error(401, "Incorrect API key provided: " + SECRET), "auth after 1 try .*check the key in OPENAI_API_KEY"),
        (error(404, "The model does not exist"), "not-found after 1 try .*check the model's name"),
        (error(400, "Unsupported value: top_p"), "bad-request after 1 try .*Unsupported value: top_p"),
        (error(429, "You exceeded your current quota", "insufficient_quota"), "quota after 1 try"),
        (error(402, "This request requires more credits"), "quota after 1 try"),
    ],
)
def test_permanent_fault_is_not_retried(
    client: str, answer: Answer, hint: str, make: Make, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.script = lambda _request: answer
    with pytest.raises(ModelError, match=hint) as caught:
        chat(make(client))
    assert len(server.requests) == 1
    assert SECRET not in str(caught.value) + str(caught.value.attempts)


@pytest.mark.parametrize("client", CLIENTS)
def test_prompt_over_the_window_is_a_context_overflow(client: str, make: Make, server: FakeOpenAI) -> None:
    server.script = lambda _request: error(
        400, "This model's maximum context length is 8 tokens. Please reduce the length.", "context_length_exceeded"
    )  # fmt: skip
    with pytest.raises(ContextOverflow):
        chat(make(client))


def test_error_with_status_200_is_a_fault(make: Make, server: FakeOpenAI) -> None:
    server.script = lambda _request: Answer(json.dumps({"error": {"message": "busy", "code": 429}}).encode())
    with pytest.raises(ModelError) as caught:
        chat(make())
    assert {attempt.status for attempt in caught.value.attempts} == {"rate-limit"}


def test_refused_connection_is_a_connection_fault(tmp_path: Path) -> None:
    path = tmp_path / "endpoint.toml"
    path.write_text("[limits]\nretries = 0\n")
    with pytest.raises(ModelError, match="connection"):
        chat(RemoteSource("openai/tiny", ModelOptions("http://127.0.0.1:9/v1", endpoint=path)))


def test_many_threads_can_share_a_source(make: Make, server: FakeOpenAI) -> None:
    server.script = lambda request: completion(request.body["messages"][0]["content"], usage(3, 1))
    model = make().model(0)
    with ThreadPoolExecutor(16) as pool:
        texts = list(pool.map(lambda n: model.chat([Message("user", f"n{n}")], role="act").text, range(200)))
    assert texts == [f"n{n}" for n in range(200)]
