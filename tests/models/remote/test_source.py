"""The remote source over real HTTP: a loopback server records requests byte for byte and replies as endpoints do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.errors import UsageError
from bench.models.options import ModelOptions
from bench.models.remote.source import RemoteSource
from bench.types import Usage, UsageSource
from tests.servers.calling import CLIENTS, PROMPT, QUICK, SECRET, Make, chat, needs_litellm
from tests.servers.openai_server import Answer, FakeOpenAI, completion, error, usage


@pytest.mark.parametrize("client", CLIENTS)
def test_identity_equals_the_parameters_sent(client: str, make: Make, server: FakeOpenAI) -> None:
    source = make(client, temperature=0.25, top_p=0.5, seed=40)
    chat(source, seed=2, max_tokens=17, stop=["\n", "END"])
    body = server.requests[0].body
    assert body["messages"] == [{"role": m.role, "content": m.content} for m in PROMPT]
    assert (body["max_tokens"], body["stop"]) == (17, ["\n", "END"])
    assert (body["temperature"], body["top_p"], body["seed"]) == (0.25, 0.5, 42)
    recorded = json.loads(source.identity)
    assert recorded.pop("base_url") == server.url
    assert recorded.pop("model") == "openai/tiny"
    assert body["model"] == "tiny"
    assert recorded.pop("seed") == 40  # the first trial seed; each trial adds its own
    assert recorded == {name: body[name] for name in body.keys() - {"model", "messages", "max_tokens", "stop", "seed"}}
    assert server.requests[0].path == "/v1/chat/completions"


@pytest.mark.parametrize("client", CLIENTS)
def test_request_without_options_has_model_and_messages_only(client: str, make: Make, server: FakeOpenAI) -> None:
    chat(make(client))
    assert server.requests[0].body.keys() == {"model", "messages"}


@pytest.mark.parametrize("client", CLIENTS)
def test_endpoint_file_parameters_are_sent_and_recorded(client: str, make: Make, server: FakeOpenAI) -> None:
    source = make(client, text=f"thinking_tokens = 100\n[parameters]\nfrequency_penalty = 0.5\n{QUICK}")
    chat(source, max_tokens=20)
    assert (server.requests[0].body["frequency_penalty"], server.requests[0].body["max_tokens"]) == (0.5, 120)
    assert json.loads(source.identity)["frequency_penalty"] == 0.5
    assert json.loads(source.identity)["thinking_tokens"] == 100


@pytest.mark.parametrize("client", CLIENTS)
def test_reply_has_the_reported_usage_and_its_price(client: str, make: Make, server: FakeOpenAI) -> None:
    counted = usage(
        100, 20, prompt_tokens_details={"cached_tokens": 60}, completion_tokens_details={"reasoning_tokens": 5}
    )  # fmt: skip
    server.script = lambda _request: completion("ok", counted)
    prices = '[prices]\ndate = "2026-05-06"\ninput = 2\ncached_read = 0.5\noutput = 10\n'
    reply = chat(make(client, text=prices))
    assert reply.usage == Usage(100, 60, None, 20, 5, UsageSource.API)
    assert reply.cost_usd == pytest.approx((40 * 2 + 60 * 0.5 + 20 * 10) / 1e6)
    assert reply.price_date == "2026-05-06"


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("counted", [None, "many", usage(-5, 3), {"prompt_tokens": "12"}])
def test_missing_or_impossible_usage_is_estimated_with_one_warning(
    client: str, counted: object, make: Make, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    if client == "litellm" and counted == "many":
        pytest.skip("litellm refuses that reply by itself; the fault tests cover it")
    server.script = lambda _request: completion("go to shelf 1", counted)
    source = make(client)
    first, second = chat(source), chat(source)
    assert first.usage == second.usage
    assert first.usage.source is UsageSource.TOKENIZER
    assert first.usage.prompt == sum(source.tokenizer.count(m.content) for m in PROMPT)
    assert first.usage.completion == source.tokenizer.count("go to shelf 1")
    assert first.usage.cached_read is None
    assert capsys.readouterr().err.count("expected the endpoint to count tokens") == 1


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("answer", "text", "finish"),
    [
        (completion("Action: look", usage(5, 2)), "Action: look", "stop"),
        (completion("Action: lo", usage(5, 2), finish="length"), "Action: lo", "length"),
        (completion("", usage(5, 2), finish="length"), "", "length"),
        (completion("", usage(5, 2), finish="content_filter"), "", "refusal"),
        (error(400, "The response was filtered: content_filter", "content_filter"), "", "refusal"),
    ],
)
def test_finish_separates_cut_replies_and_refusals(
    client: str, answer: Answer, text: str, finish: str, make: Make, server: FakeOpenAI
) -> None:
    server.script = lambda _request: answer
    reply = chat(make(client))
    assert (reply.text, reply.finish, len(server.requests)) == (text, finish, 1)


def test_refusal_field_is_a_refusal(make: Make, server: FakeOpenAI) -> None:
    server.script = lambda _request: completion(None, usage(5, 2), refusal="I cannot do that.")
    reply = chat(make())
    assert (reply.text, reply.finish) == ("I cannot do that.", "refusal")


def test_text_parts_are_joined(make: Make, server: FakeOpenAI) -> None:
    parts = [{"type": "text", "text": "Action: "}, {"type": "image"}, {"type": "text", "text": "look"}]
    server.script = lambda _request: completion(None, usage(5, 2), content=parts)
    assert chat(make()).text == "Action: look"


@pytest.mark.parametrize("client", CLIENTS)
def test_key_of_the_named_variable_is_sent_and_not_recorded(
    client: str, make: Make, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    source = make(client, text=f'api_key_env = "MY_KEY"\n{QUICK}')
    chat(source)
    sent = {name.lower(): value for name, value in server.requests[0].headers.items()}
    assert sent["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in source.identity


@needs_litellm
def test_blank_variable_is_a_missing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", " ")
    with pytest.raises(UsageError, match="expected a key in ANTHROPIC_API_KEY, got none"):
        RemoteSource("anthropic/claude-sonnet-4-5", ModelOptions())


@pytest.mark.parametrize(
    ("name", "url", "variable"),
    [
        ("openai/gpt-4o", "https://models.example/v1", "OPENAI_API_KEY"),
        pytest.param("openai/gpt-4o", "", "OPENAI_API_KEY", marks=needs_litellm),
        pytest.param("anthropic/claude-sonnet-4-5", "", "ANTHROPIC_API_KEY", marks=needs_litellm),
    ],
)
def test_missing_key_names_the_variable_in_one_line(name: str, url: str, variable: str) -> None:
    with pytest.raises(UsageError) as caught:
        RemoteSource(name, ModelOptions(url))
    assert f"expected a key in {variable}, got none" in str(caught.value)
    assert "\n" not in str(caught.value)
    RemoteSource(name, ModelOptions(url, replay_only=True))  # replies come from a cache: no key is needed


@needs_litellm
def test_unsupported_parameter_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    name = "anthropic/claude-sonnet-4-5"
    with pytest.raises(UsageError, match=r"got seed \(--model-seed\); drop it or pass --allow-unsupported"):
        RemoteSource(name, ModelOptions(temperature=0.0, seed=1))
    source = RemoteSource(name, ModelOptions(temperature=0.0, seed=1, allow_unsupported=True))
    assert "left out seed: the provider does not know it" in capsys.readouterr().err
    assert json.loads(source.identity) == {"model": name, "base_url": "", "temperature": 0.0}


@needs_litellm
def test_unsupported_value_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with pytest.raises(UsageError, match=r"got temperature \(--temperature\)"):
        RemoteSource("openai/o3-mini", ModelOptions(temperature=0.7))


@needs_litellm
def test_temperature_of_0_is_left_out_where_a_model_takes_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    source = RemoteSource("openai/o3-mini", ModelOptions(temperature=0.0))
    assert "takes no temperature of 0; none is sent" in capsys.readouterr().err
    assert source.request_changes == ("temperature: not sent",)
    assert json.loads(source.identity)["temperature"] == 0.0  # what was asked for


@pytest.mark.parametrize("client", CLIENTS)
def test_settings_of_a_role_are_sent_with_its_calls_and_recorded(client: str, make: Make, server: FakeOpenAI) -> None:
    text = '[roles.summarize]\ntemperature = 0.6\ntop_p = "provider"\n[roles."acme/route"]\nthinking_tokens = 9\n'
    source = make(client, text=QUICK + text, temperature=0.0, top_p=0.9)
    for role in ("act", "summarize", "acme/route"):
        source.model(0).chat(PROMPT, role=role, max_tokens=1)
    bodies = [request.body for request in server.requests]
    assert [(one["temperature"], one.get("top_p"), one["max_tokens"]) for one in bodies] == [
        (0.0, 0.9, 1), (0.6, None, 1), (0.0, 0.9, 10),
    ]  # fmt: skip
    assert json.loads(source.identity)["roles"] == {
        "summarize": {"temperature": 0.6, "top_p": "provider"},
        "acme/route": {"thinking_tokens": 9},
    }


@needs_litellm
def test_unsupported_stop_words_cut_the_reply_in_the_client(
    server: FakeOpenAI, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = lambda _request: completion("Action: look\nObservation: END a dream", usage(9, 8))
    path = tmp_path / "endpoint.toml"
    path.write_text('client = "litellm"\n')
    source = RemoteSource("openai/gpt-5", ModelOptions(server.url, endpoint=path))
    reply = chat(source, stop=["END", "\n"], max_tokens=5)
    source.close()
    assert (reply.text, reply.usage.completion) == ("Action: look", 8)  # the part behind it is paid too
    assert "stop" not in server.requests[0].body
    assert server.requests[0].body["max_completion_tokens"] == 5
    assert capsys.readouterr().err.count("knows no stop words; replies are cut here") == 1


@needs_litellm
def test_shipped_price_is_not_used_with_a_base_url(
    monkeypatch: pytest.MonkeyPatch, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    RemoteSource("openai/gpt-4o", ModelOptions())
    assert "price unknown" not in capsys.readouterr().err
    other = RemoteSource("openai/gpt-4o", ModelOptions(server.url))
    reply = chat(other)
    other.close()
    assert (reply.cost_usd, reply.price_date) == (None, "")
    assert capsys.readouterr().err.count("price unknown") == 1


def test_base_url_accepts_any_model_name(make: Make, server: FakeOpenAI) -> None:
    for name, sent in [("tiny", "tiny"), ("some-org/Some-Model", "some-org/Some-Model"), ("hosted_vllm/a/b", "a/b")]:
        chat(make(name=name))
        assert server.requests[-1].body["model"] == sent


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://me:secret1234@127.0.0.1/v1", "without keys, got one with user:password@"),
        ("https://models.example/v1?api-key=12345678", "without keys, got one with \\?api-key="),
        ("models.example/v1", "expected http"),
        ("http://127.0.0.1:no/v1", "expected http"),
    ],
)
def test_bad_base_url_is_refused(url: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        RemoteSource("hosted_vllm/tiny", ModelOptions(url))
    assert "secret1234" not in str(caught.value)


def test_direct_client_without_a_base_url_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "endpoint.toml"
    path.write_text('client = "direct"\n')
    with pytest.raises(UsageError, match="expected a base URL"):
        RemoteSource("openai/gpt-4o", ModelOptions(endpoint=path))


WATCHED = """
import socket, sys
connections = []
real = socket.socket.connect
def connect(self, address):
    connections.append(address)
    return real(self, address)
socket.socket.connect = connect
look = socket.getaddrinfo
def getaddrinfo(host, *rest, **more):
    connections.append((host, 0))
    return look(host, *rest, **more)
socket.getaddrinfo = getaddrinfo
from bench.models.remote.source import RemoteSource
from bench.models.options import ModelOptions
from bench.types import Message
assert "litellm" not in sys.modules and not connections
url, path = sys.argv[1:]
from pathlib import Path
model = RemoteSource("openai/tiny", ModelOptions(url, endpoint=Path(path) if path else None)).model(0)
print("IMPORTED", "litellm" in sys.modules)
print(model.chat([Message("user", "hi")], role="act").text)
print("ELSEWHERE", sorted({str(a[0]) for a in connections if a[0] not in ("127.0.0.1", "localhost")}))
"""


@pytest.mark.parametrize("client", CLIENTS)
def test_call_connects_to_the_endpoint_only(client: str, server: FakeOpenAI, tmp_path: Path) -> None:
    path = tmp_path / "endpoint.toml"
    path.write_text(f'client = "{client}"\n')
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, server.url, str(path)], capture_output=True, text=True, check=False, timeout=120
    )  # fmt: skip
    assert done.stdout.splitlines() == [f"IMPORTED {client == 'litellm'}", "Action: look", "ELSEWHERE []"], done.stderr
    (line,) = done.stderr.splitlines()  # litellm says nothing of its own
    assert "price unknown" in line
