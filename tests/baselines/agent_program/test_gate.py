"""The gate in front of the models of a trial."""

from __future__ import annotations

import threading

import pytest

from baselines.agent_program.gate import Gate, GatedEmbedder, GatedModel
from bench.embedders.hash import HashEmbedder
from bench.errors import StrategyError
from bench.models.scripted import ScriptedModel
from bench.types import Message

PROMPT = (Message("user", "one"),)


def test_closed_gate_refuses_calls_and_vectors() -> None:
    gate = Gate(0)
    with pytest.raises(StrategyError, match="at another time"):
        GatedModel(ScriptedModel(["a"]), gate).chat(PROMPT, role="act")
    with pytest.raises(StrategyError, match="at another time"):
        GatedEmbedder(HashEmbedder(), gate).embed(["a"])
    assert gate.failed


def test_gate_counts_the_calls_of_each_decision() -> None:
    gate = Gate(2)
    model, embedder = GatedModel(ScriptedModel(["a"] * 9), gate), GatedEmbedder(HashEmbedder(), gate)
    for _ in range(2):
        with gate.opened(decides=True):
            embedder.embed(["a"])
            assert [model.chat(PROMPT, role="act").text, model.chat_json(PROMPT, role="plan").text] == ["a", "a"]
    with gate.opened(decides=False):
        for _ in range(3):
            model.chat(PROMPT, role="extract")
    assert not gate.failed
    with gate.opened(decides=True):
        for _ in range(2):
            model.chat(PROMPT, role="act")
        with pytest.raises(StrategyError, match="at most 2 model calls"):
            model.chat(PROMPT, role="act")


@pytest.mark.parametrize("role", ["judge", "embed"])
def test_gate_refuses_roles_that_are_counted_apart(role: str) -> None:
    gate = Gate(0)
    with gate.opened(decides=True), pytest.raises(StrategyError, match=f"role of its own in the address, got {role}"):
        GatedModel(ScriptedModel(["a"]), gate).chat(PROMPT, role=role)


def test_gate_closes_after_the_call_in_flight() -> None:
    gate, begun, end = Gate(0), threading.Event(), threading.Event()

    def wait() -> None:
        with gate.call("act"):
            begun.set()
            end.wait(30)
            done.append("call")

    done: list[str] = []
    caller = threading.Thread(target=wait)
    with gate.opened(decides=True):
        caller.start()
        assert begun.wait(30)
        with gate.between_calls() as free:
            assert not free
        end.set()
    done.append("closed")
    caller.join()
    assert done == ["call", "closed"]
    with gate.between_calls() as free:
        assert free
