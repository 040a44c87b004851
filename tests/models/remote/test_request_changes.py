"""What an endpoint refuses is learned from its error, changed once for all later calls, and recorded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bench.errors import ModelError
from bench.models.remote.client import EndpointRequest
from bench.models.remote.request_changes import change_request, find_change
from bench.types import Message
from tests.servers.calling import CLIENTS, PROMPT, QUICK, Make, chat
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, error, usage

FULL = EndpointRequest(PROMPT, 100, ("END",), 1, {"temperature": 0.0, "top_p": 0.9, "response_format": {"type": "x"}})
NO_SYSTEM = (Message("user", "a"), Message("user", "b"))

# Source of each: (I) a public issue that quotes it, (M) the provider's documentation as remembered.
REFUSALS = {
    "openai temperature": (
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        ("temperature", ""),
    ),  # I
    "openai limit": (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ("max_tokens", "max_completion_tokens"),
    ),  # I
    "limit without advice": ("Unknown field: max_tokens", ("max_tokens", "max_completion_tokens")),  # M
    "openai stop": ("Unsupported parameter: 'stop' is not supported with this model.", ("stop", "")),  # I
    "vertex stop": ("the model does not support the stopSequences parameter. Remove it.", ("stop", "")),  # I
    "xai stop": ("Argument not supported on this model: stop", ("stop", "")),  # M
    "anthropic both": (
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.", ("top_p", ""),
    ),  # I
    "anthropic thinking": ("`temperature` may only be set to 1 when thinking is enabled.", ("temperature", "")),  # M
    "moonshot temperature": ("invalid temperature: only 1 is allowed for this model", ("temperature", "")),  # I
    "tgi temperature": ("Input validation error: `temperature` must be strictly positive", ("temperature", "")),  # M
    "mistral seed": (
        '{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}',
        ("seed", ""),
    ),  # M
    "cohere seed": ("unknown field: parameter 'seed' is not a valid field", ("seed", "")),  # M
    "json mode": ("JSON mode is not supported for this model", ("response_format", "")),  # M
    "openai system": (
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.", ("system", ""),
    ),  # M
    "gemma system": ("System role not supported", ("system", "")),  # M
    "google gemma system": ("Developer instruction is not enabled for models/gemma-3-27b-it", ("system", "")),  # M
    "bedrock system": ("This model doesn't support system messages.", ("system", "")),  # M
    "vllm template": ("Conversation roles must alternate user/assistant/user/assistant/...", ("system", "")),  # M
    "limit too high": ("max_tokens is too large: 9. This model supports at most 8 completion tokens", None),  # I
    "another parameter": ("Unsupported parameter: 'logprobs'", None),
    "something else": ("The temperature of the room is fine", None),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_find_change_reads_what_is_refused(case: str) -> None:
    message, change = REFUSALS[case]
    assert find_change(message, FULL) == change


@pytest.mark.parametrize("case", REFUSALS)
def test_what_was_not_sent_is_not_changed(case: str) -> None:
    assert find_change(REFUSALS[case][0], EndpointRequest((Message("user", "a"),))) is None


@pytest.mark.parametrize("case", [case for case in REFUSALS if REFUSALS[case][1]])
def test_change_is_asked_for_once(case: str) -> None:
    message, change = REFUSALS[case]
    assert change is not None
    assert find_change(message, change_request(FULL, dict([change]))) != change


def test_neighbours_of_one_role_are_joined_where_roles_must_alternate() -> None:
    request = EndpointRequest(NO_SYSTEM)
    change = find_change("roles must alternate user/assistant", request)
    assert change == ("alternate", "")
    assert change_request(request, dict([change])).messages == (Message("user", "a\n\nb"),)


def refuse_like_a_reasoner(request: ReceivedRequest) -> Answer:
    body = request.body
    if "max_tokens" in body:
        return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "unsupported")
    if "temperature" in body:
        return error(400, "Unsupported value: 'temperature' does not support 0 with this model.", "unsupported_value")
    if "stop" in body:
        return error(400, "Unsupported parameter: 'stop' is not supported with this model.", "unsupported_parameter")
    if body["messages"][0]["role"] == "system":
        return error(400, "System role not supported")
    return completion("Action: look END dreams", usage(9, 3))


@pytest.mark.parametrize("client", CLIENTS)
def test_endpoint_that_refuses_is_learned_once_and_said_once(
    client: str, make: Make, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = refuse_like_a_reasoner
    source = make(client, text=QUICK.replace("retries = 2", "retries = 0"), temperature=0.0)
    first = chat(source, max_tokens=7, stop=["END"])
    second = chat(source, max_tokens=7, stop=["END"])
    assert (first.text, second.text) == ("Action: look ", "Action: look ")
    assert [attempt.status for attempt in first.attempts] == ["bad-request"] * 4
    assert second.attempts == ()
    sent: dict[str, Any] = server.requests[-1].body
    merged = "\n\n".join(one.content for one in PROMPT)
    assert sent == {
        "model": "tiny", "max_completion_tokens": 7, "messages": [{"role": "user", "content": merged}],
    }  # fmt: skip
    assert source.request_changes == (
        "max_tokens: sent as max_completion_tokens",
        "stop: not sent, replies are cut here",
        "system: sent as the start of the user's message",
        "temperature: not sent",
    )
    said = capsys.readouterr().err
    assert [said.count(f"from now on {change}") for change in source.request_changes] == [1, 1, 1, 1]


def test_threads_share_what_is_learned(make: Make, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]) -> None:
    server.script = refuse_like_a_reasoner
    source = make(temperature=0.0)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: chat(source, max_tokens=7), range(40)))
    assert {reply.text for reply in replies} == {"Action: look END dreams"}
    assert capsys.readouterr().err.count("from now on temperature: not sent") == 1


def test_parameter_of_the_endpoint_file_is_not_dropped(make: Make, server: FakeOpenAI) -> None:
    server.script = lambda _request: error(400, "Unsupported parameter: 'reasoning_effort'")
    with pytest.raises(ModelError, match=r"bad-request after 1 try .*reasoning_effort"):
        chat(make(text=f'[parameters]\nreasoning_effort = "low"\n{QUICK}', temperature=0.0))
