"""The memory written in LangGraph: its rules, its calls, and a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from langgraph_memory.strategy import STRATEGY

import bench
from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.errors import ModelError
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Memory, Model, Params
from bench.registry import strategy_names
from bench.types import Event, EventKind, Frame, Query, Shape


def observe_rooms(model: Model, count: int) -> Memory:
    params = Params(STRATEGY.params, {"window": "2"})
    memory = STRATEGY.build(Kit(model, HashEmbedder(), Frame("f", "i"), Budget(), params)).memory
    for i in range(count):
        memory.observe(Event(f"o{i}", EventKind.OBSERVATION, f"You are in room {i}.", i))
    return memory


class Broken:
    name = "broken"

    def chat(self, messages: object, **_: object) -> None:
        raise ModelError("broken: expected a reply, got none; try again")


def test_strategy_obeys_every_rule() -> None:
    assert [result for result in check_strategy(STRATEGY) if not result.passed] == []


def test_summary_stands_for_older_messages_and_cites_them() -> None:
    memory = observe_rooms(ScriptedModel(["Rooms 0 to 2 are empty."]), 5)
    context = memory.recall(Query("", "find the mug", 5, Shape.EPISODE))
    assert context.text.startswith("Rooms 0 to 2 are empty.\n\n")
    assert [f"room {i}." in context.text for i in range(5)] == [False, False, False, True, True]
    assert context.refs == ("o0", "o1", "o2", "o3", "o4")
    small = memory.recall(Query("", "find the mug", 5, Shape.EPISODE, budget_tokens=6))
    assert (small.text, small.refs, small.truncated) == ("Rooms 0 to 2 are empty.", ("o0", "o1", "o2"), True)


def test_failed_call_inside_the_graph_is_the_trials_own_error() -> None:
    with pytest.raises(ModelError, match="broken: expected a reply"):
        observe_rooms(Broken(), 5)  # type: ignore[arg-type]


@pytest.mark.skipif("langgraph-memory" not in strategy_names(), reason="run `pip install -e .` first")
def test_installed_strategy_plays_and_its_calls_are_in_the_ledger(tmp_path: Path) -> None:
    done = bench.run("toy", ["langgraph-memory:window=3", "no-memory"], limit=4, out=tmp_path / "run")
    table = bench.table(done).set_index("strategy")
    graph = table.loc["langgraph-memory:window=3"]
    assert graph["success_rate"] > table.loc["no-memory", "success_rate"]
    assert graph["tokens_write"] > 0
