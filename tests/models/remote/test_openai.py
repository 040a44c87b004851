"""The HTTP client: what it sends, how it uses its connections, which addresses it takes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.models.remote import openai as openai_http
from bench.models.remote.client import AttemptFailed, EndpointRequest
from bench.models.remote.openai import OpenAIClient
from bench.models.remote.response import CompletionReader, WarnOnce
from bench.types import CallStatus, Message
from tests.servers.calling import PROMPT
from tests.servers.openai_server import Answer, FakeOpenAI, completion, usage


def client(base_url: str = "http://127.0.0.1:9/v1", key: str = "") -> OpenAIClient:
    return OpenAIClient(base_url, "m", key, CompletionReader("m", None, len, WarnOnce()))


@given(
    st.lists(st.text(max_size=5), max_size=3),
    st.none() | st.integers(1, 99),
    st.lists(st.text(max_size=3), max_size=2).map(tuple),
    st.none() | st.integers(),
)
def test_build_body_has_what_the_request_has_and_nothing_else(
    texts: list[str], max_tokens: int | None, stop: tuple[str, ...], seed: int | None
) -> None:
    request = EndpointRequest(
        tuple(Message("user", text) for text in texts), max_tokens, stop, seed, {"temperature": 0.5}
    )
    body = client().build_body(request)
    assert [message["content"] for message in body.pop("messages")] == texts
    expected = {"max_tokens": max_tokens, "stop": list(stop) or None, "seed": seed, "model": "m", "temperature": 0.5}
    assert body == {name: value for name, value in expected.items() if value is not None}
    json.dumps(body)


@pytest.mark.parametrize("base_url", ["ftp://host/v1", "host/v1", "http://", "http://host:port/v1", ""])
def test_client_rejects_a_bad_address(base_url: str) -> None:
    with pytest.raises(UsageError, match="base URL: expected http"):
        client(base_url)


def test_query_of_the_base_url_stays_behind_the_path() -> None:
    with FakeOpenAI(lambda _request: completion("ok", usage(3, 1))) as server:
        caller = client(f"{server.url}/?api-version=1", key="k")
        caller.ask(EndpointRequest(PROMPT), 20)
        caller.close()
    assert server.requests[0].path == "/v1/chat/completions?api-version=1"
    assert server.requests[0].headers["Authorization"] == "Bearer k"


def test_connection_is_reused_between_calls() -> None:
    with FakeOpenAI(lambda _request: completion("ok", usage(3, 1))) as server:
        caller = client(server.url)
        for _ in range(3):
            assert caller.ask(EndpointRequest(PROMPT), 20).text == "ok"
            assert len(caller._idle) == 1
        caller.close()
        assert not caller._idle


def test_closed_connection_is_opened_again() -> None:
    body = completion("ok", usage(3, 1)).body
    with FakeOpenAI(lambda _request: Answer(body, cut_after=len(body))) as server:
        caller = client(server.url)
        for _ in range(3):
            assert caller.ask(EndpointRequest(PROMPT), 20).text == "ok"
            while not openai_http._is_stale(caller._idle[-1].sock.raw):
                pass  # until the server has closed the connection
        caller.close()
        assert len(server.requests) == 3


LIMIT = 1 << 16


@pytest.mark.parametrize("more", [0, 1, 1 << 20])
@pytest.mark.parametrize("headers", [{}, {"Connection": "close"}], ids=["kept", "closed"])
def test_ask_takes_a_body_up_to_the_limit_and_no_longer_one(
    more: int, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_http, "LARGEST_BYTES", LIMIT)
    whole = completion("ok", usage(3, 1))
    body = whole.body + b" " * (LIMIT - len(whole.body) + more)
    with FakeOpenAI(lambda _request: Answer(body, headers=headers)) as server:
        caller = client(server.url)
        for _ in range(2):
            if not more:
                assert caller.ask(EndpointRequest(PROMPT), 20).text == "ok"
                continue
            with pytest.raises(AttemptFailed, match="expected at most 65,536 bytes, got more") as failed:
                caller.ask(EndpointRequest(PROMPT), 20)
            assert (failed.value.status, failed.value.retryable) == (CallStatus.MALFORMED, True)
        assert len(caller._idle) == (more <= 1 and not headers)  # what is not read to its end is not used again
        caller.close()


def test_error_with_a_long_body_is_read_at_its_beginning() -> None:
    long = b'{"error": {"message": "no credit left", "code": "insufficient_quota"' + b" " * (1 << 20) + b"}}"
    with FakeOpenAI(lambda _request: Answer(long, status=429)) as server:
        caller = client(server.url)
        with pytest.raises(AttemptFailed) as failed:
            caller.ask(EndpointRequest(PROMPT), 20)
        caller.close()
    assert failed.value.status is CallStatus.QUOTA
    assert len(failed.value.message) < 1 << 17


@pytest.mark.parametrize("cut_after", [0, 10, 60])
def test_body_cut_before_its_end_is_a_broken_connection(cut_after: int) -> None:
    answer = completion("ok", usage(3, 1))
    with FakeOpenAI(lambda _request: Answer(answer.body, cut_after=cut_after)) as server:
        caller = client(server.url)
        with pytest.raises(AttemptFailed) as failed:
            caller.ask(EndpointRequest(PROMPT), 20)
        caller.close()
    assert failed.value.status is CallStatus.CONNECTION
