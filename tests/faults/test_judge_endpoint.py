"""The judge has an endpoint of its own: neither the agent's key nor its prices are anything to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.store.dataframe import read_items
from bench.types import Message
from tests.faults.test_judge_faults import sound
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage


def test_judge_endpoint_gets_neither_key_nor_prices_of_the_agent(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def saying(role: str) -> Callable[[ReceivedRequest], Answer]:
        def answer(call: ReceivedRequest) -> Answer:
            messages = [Message(each["role"], each["content"]) for each in call.body["messages"]]
            return completion(sound(messages, role), usage(100, 10))

        return answer

    monkeypatch.setenv("AGENT_KEY", "sk-agent-0123456789abcdef")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-judge-0123456789abcdef")
    prices = 'date = "2026-11-30"\ninput = 1000.0\noutput = 1000.0\n'
    (tmp_path / "end.toml").write_text(f'api_key_env = "AGENT_KEY"\n[prices]\n{prices}')
    with FakeOpenAI(saying("answer")) as agent, FakeOpenAI(saying("judge")) as judge:
        words = ("-m", "openai/toy", "--base-url", agent.url, "--endpoint", "end.toml", "-o", "run")
        done = bench("run", "toy-talk:talks=1", "-s", "full-history", *words, "--judge", f"openai/judge@{judge.url}")
        assert done.code == 0, done.err
        assert judge.requests
        assert not [call for call in judge.requests if "sk-agent" in str(call.headers.get("Authorization"))]
    assert not (read_items([tmp_path / "run"])["judge_cost_usd"] > 0.05).any()  # its price is unknown
