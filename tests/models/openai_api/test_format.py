"""OpenAI's JSON: what is read from a request, what is refused by name, and how replies are written."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models.openai_api.format import (
    BadRequest,
    ChatRequest,
    EmbeddingRequest,
    read_chat,
    read_texts,
    to_completion,
    to_embedding_list,
    to_error,
    to_model_list,
)
from bench.models.remote.client import EndpointRequest
from bench.models.remote.openai import OpenAIClient
from bench.models.remote.response import CompletionReader, WarnOnce
from bench.models.remote.usage import read_usage
from bench.types import Message, Reply, Usage

USER = [{"role": "user", "content": "x"}]
COUNTS = st.integers(0, 10**6)


@given(
    st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.text()), min_size=1, max_size=3),
    st.none() | st.integers(1, 9999),
    st.lists(st.text(), max_size=3).map(tuple),
    st.none() | st.integers(),
)
def test_read_chat_reads_what_the_client_of_this_project_sends(
    messages: list[Message], max_tokens: int | None, stop: tuple[str, ...], seed: int | None
) -> None:
    reader = CompletionReader("m", None, len, WarnOnce())
    client = OpenAIClient("http://127.0.0.1:9/v1", "m", "", reader)
    body = client.build_body(
        EndpointRequest(tuple(messages), max_tokens, stop, seed, {"temperature": 0.5, "top_p": 0.9})
    )
    assert read_chat(body) == ChatRequest("m", tuple(messages), max_tokens, stop, 0.5, 0.9, seed)


def test_read_chat_joins_text_parts_and_maps_developer_to_system() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    body = {"messages": [{"role": "developer", "content": parts}], "max_completion_tokens": 5, "stop": "END"}
    assert read_chat(body) == ChatRequest("", (Message("system", "ab"),), 5, ("END",))


@pytest.mark.parametrize(
    "neutral",
    [{"n": 1}, {"stream": False}, {"tools": []}, {"logit_bias": {}}, {"user": "me"}, {"response_format": None},
     {"response_format": {"type": "text"}}, {"frequency_penalty": 0.0}],
)  # fmt: skip
def test_read_chat_accepts_parameters_without_effect(neutral: dict[str, Any]) -> None:
    assert read_chat({"messages": USER, **neutral}) == ChatRequest("", (Message("user", "x"),))


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"n": 2}, "n"), ({"stream": True}, "stream"), ({"logprobs": True}, "logprobs"), ({"new_one": 1}, "new_one"),
     ({"max_tokens": 1.5}, "max_tokens"), ({"temperature": -1}, "temperature"), ({"seed": True}, "seed")],
)  # fmt: skip
def test_read_chat_names_what_it_cannot_honour(fields: dict[str, Any], name: str) -> None:
    with pytest.raises(BadRequest, match=rf"^{name}: expected"):
        read_chat({"messages": USER, **fields})
    read_chat({"messages": USER, **fields}, frozenset({name}))


@given(st.none() | st.text() | st.integers() | st.lists(st.text(max_size=3), max_size=3))
def test_read_texts_accepts_a_text_or_texts_only(given_input: object) -> None:
    if isinstance(given_input, str):
        expected: tuple[str, ...] = (given_input,)
    elif isinstance(given_input, list) and given_input:
        expected = tuple(given_input)
    else:
        with pytest.raises(
            BadRequest, match=r"(input: expected a text or a list of texts|body: expected numbers of 64 bits)"
        ):
            read_texts({"input": given_input})
        return
    assert read_texts({"input": given_input, "model": "m"}) == EmbeddingRequest("m", expected)


@given(st.text(), COUNTS, COUNTS, st.none() | COUNTS, st.none() | COUNTS)
def test_usage_of_to_completion_is_read_back(
    text: str, prompt: int, completion: int, cached: int | None, reasoning: int | None
) -> None:
    usage = Usage(prompt, cached, None, completion, reasoning)
    body = to_completion(Reply(text, usage, finish="length"), "m", "id", 0)
    assert body["choices"][0]["message"]["content"] == text
    assert body["choices"][0]["finish_reason"] == "length"
    assert read_usage(body["usage"]) in (usage, None)  # None: counts that cannot be true


def test_to_completion_of_a_refusal_without_usage() -> None:
    body = to_completion(Reply("", finish="refusal"), "m", "id", 0)
    assert (body["choices"][0]["finish_reason"], body["usage"]) == ("content_filter", None)


def test_to_embedding_list_writes_numbers_or_base64() -> None:
    vectors = np.eye(2, dtype=np.float32)
    plain = to_embedding_list(vectors, EmbeddingRequest("m", ("a", "b")), "e", 7)
    coded = to_embedding_list(vectors, EmbeddingRequest("m", ("a", "b"), base64=True), "e", 7)
    assert [row["embedding"] for row in plain["data"]] == [[1.0, 0.0], [0.0, 1.0]]
    decoded = [np.frombuffer(base64.b64decode(row["embedding"]), "<f4").tolist() for row in coded["data"]]
    assert decoded == [[1.0, 0.0], [0.0, 1.0]]
    assert plain["usage"]["prompt_tokens"] == 7


def test_errors_and_model_lists_have_openais_fields() -> None:
    assert to_error("gone", "server_error", "x")["error"] == {
        "message": "gone",
        "type": "server_error",
        "param": None,
        "code": "x",
    }
    assert [model["id"] for model in to_model_list(["a", "b"])["data"]] == ["a", "b"]
