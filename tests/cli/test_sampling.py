"""How a run samples its models: said at its head, sent, and recorded with what an endpoint refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.models.offline.reader import OfflineReader
from bench.registry import offline_rules
from bench.store.read import read_trials
from bench.types import Message
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, error, usage


def answer(request: ReceivedRequest) -> Answer:
    """Play as the offline model does; a temperature other than 1 is refused."""
    body = request.body
    if body.get("temperature", 1) != 1:
        return error(400, "Unsupported value: 'temperature' does not support this value with this model.")
    messages = [Message(one["role"], one["content"]) for one in body["messages"]]
    role = "judge" if body["model"] == "judge" else "answer"
    return completion(OfflineReader(offline_rules()).chat(messages, role=role).text, usage(9, 3))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FakeOpenAI(answer) as running:
        yield running


def test_run_says_and_records_how_it_samples(bench: Any, server: FakeOpenAI, tmp_path: Path) -> None:
    done = bench(
        "run", "toy-talk:talks=1", "-s", "full-history", "-m", "openai/agent", "--base-url", server.url,
        "--judge", f"openai/judge@{server.url}", "-o", str(tmp_path / "run"),
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "run: model openai/agent: temperature 0, top_p the provider's, seed not sent" in done.err
    assert "run: judge openai/judge: temperature 0, top_p the provider's, seed not sent" in done.err
    assert done.err.count("from now on temperature: not sent") == 2  # the model's endpoint and the judge's
    (trial,) = (
        one for one in read_trials(tmp_path / "run") if one.key.attempt
    )  # the judge's calibration is no attempt
    entries = dict(trial.fingerprint.entries)
    assert '"temperature": 0.0' in entries["row.request"]
    assert entries["row.request_changes"] == "temperature: not sent"
    assert entries["row.judge_request_changes"] == "temperature: not sent"


def test_row_names_its_embedder_and_hash_is_warned_of_once(bench: Any, server: FakeOpenAI, tmp_path: Path) -> None:
    done = bench(
        "run", "toy-talk:talks=2", "-s", "full-history,embedding", "-m", "openai/agent", "--base-url", server.url,
        "--embedder", "hash", "-o", str(tmp_path / "run"),
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.err.count("run: embedder hash compares wording, not meaning") == 1
    rows = json.loads(bench("table", str(tmp_path / "run"), "--format", "json").out)
    assert {row["strategy"]: row["embedder"] for row in rows} == {"full-history": None, "embedding": "hash"}
    assert "Embedder of embedding: hash." in bench("table", str(tmp_path / "run"), "--notes").out
    assert {dict(trial.fingerprint.entries)["row.embedder"] for trial in read_trials(tmp_path / "run")} == {"hash"}


def test_temperature_of_the_provider_is_not_sent_and_is_resumed(bench: Any, server: FakeOpenAI, tmp_path: Path) -> None:
    words = (
        "run", "toy-talk:talks=1", "-s", "full-history", "-m", "openai/agent", "--base-url", server.url,
        "--temperature", "provider", "-o", str(tmp_path / "run"),
    )  # fmt: skip
    done = bench(*words)
    assert done.code == 0, done.err
    assert "temperature the provider's" in done.err
    assert not any("temperature" in request.body for request in server.requests)
    paid = len(server.requests)
    assert bench("run", str(tmp_path / "run")).code == 0
    assert bench(*words).code == 0
    assert len(server.requests) == paid
