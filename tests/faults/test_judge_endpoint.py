"""The judge has an endpoint of its own: neither the agent's key nor its prices are anything to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.store.dataframe import read_items
from bench.types import Message
from tests.faults.test_judge_faults import sound
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

JUDGE_FILE = """
api_key_env = "JUDGE_VARIABLE"
thinking_tokens = 3000
[parameters]
reasoning_effort = "low"
[prices]
date = "2026-11-30"
input = 1000.0
output = 1000.0
"""
PLAY = ("run", "toy-talk:talks=1", "-s", "full-history")


def reply_as(role: str) -> Callable[[ReceivedRequest], Answer]:
    def answer(call: ReceivedRequest) -> Answer:
        messages = [Message(each["role"], each["content"]) for each in call.body["messages"]]
        return completion(sound(messages, role), usage(100, 10))

    return answer


def test_judge_endpoint_gets_neither_key_nor_prices_of_the_agent(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_KEY", "sk-agent-0123456789abcdef")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-judge-0123456789abcdef")
    prices = 'date = "2026-11-30"\ninput = 1000.0\noutput = 1000.0\n'
    (tmp_path / "end.toml").write_text(f'api_key_env = "AGENT_KEY"\n[prices]\n{prices}')
    with FakeOpenAI(reply_as("answer")) as agent, FakeOpenAI(reply_as("judge")) as judge:
        words = ("-m", "openai/toy", "--base-url", agent.url, "--endpoint", "end.toml", "-o", "run")
        done = bench(*PLAY, *words, "--judge", f"openai/judge@{judge.url}")
        assert done.code == 0, done.err
        assert judge.requests
        assert not [call for call in judge.requests if "sk-agent" in str(call.headers.get("Authorization"))]
    assert not (read_items([tmp_path / "run"])["judge_cost_usd"] > 0.05).any()  # its price is unknown


def test_judge_endpoint_file_is_the_judges_alone(bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-agent-0123456789abcdef")
    monkeypatch.setenv("JUDGE_VARIABLE", "plain-judge-0123456789abcdef")
    (tmp_path / "judge.toml").write_text(JUDGE_FILE)
    with FakeOpenAI(reply_as("answer")) as agent, FakeOpenAI(reply_as("judge")) as judge:
        words = ("-m", "openai/toy", "--base-url", agent.url, "--judge", f"openai/judge@{judge.url}", "-o", "run")
        done = bench(*PLAY, *words, "--judge-endpoint", "judge.toml")
        assert done.code == 0, done.err
        assert {call.headers.get("Authorization") for call in judge.requests} == {"Bearer plain-judge-0123456789abcdef"}
        assert {call.headers.get("Authorization") for call in agent.requests} == {"Bearer sk-agent-0123456789abcdef"}
        assert all(call.body["reasoning_effort"] == "low" for call in judge.requests)
        assert not any("reasoning_effort" in call.body for call in agent.requests)
        assert {call.body.get("max_tokens") or call.body["max_completion_tokens"] for call in judge.requests} == {4024}
    items = read_items([tmp_path / "run"])
    assert (items["judge_cost_usd"] > 0.05).all()  # at the prices of the file
    (fingerprint,) = map(json.loads, set(items["fingerprint"]))
    request = json.loads(fingerprint["row.judge_request"])
    assert (request["reasoning_effort"], request["thinking_tokens"]) == ("low", 3000)
    assert "reasoning_effort" not in fingerprint["row.request"]
    assert b"plain-judge-0123456789abcdef" not in (tmp_path / "run" / "run.sqlite").read_bytes()


def test_judge_endpoint_is_part_of_the_question(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text("[limits]\nconcurrency = 2\n")
    words = (*PLAY, "--judge", "offline/reader", "-o", "run")
    assert bench(*words).code == 0
    done = bench(*words, "--judge-endpoint", "judge.toml")
    assert done.code == 2
    assert "judge_endpoint: '' -> 'judge.toml'" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--judge-endpoint", "judge.toml"),
            "expected a judge for the judge endpoint judge.toml, got none; add --judge",
        ),
        (("--judge", "offline/reader", "--judge-endpoint", "none.toml"), "endpoint none.toml: expected a TOML file"),
    ],
)
def test_judge_endpoint_without_a_use_leaves_nothing_behind(
    bench: Any, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    done = bench(*PLAY, *words, "-o", "run")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (tmp_path / "run").exists()
