"""The examples of agents that are programs, from the command line and against the offline model."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from bench.registry import resolve_strategy
from tests.conftest import RunBench

EXAMPLE = Path(__file__).parents[2] / "examples" / "agent_program"


@pytest.mark.needs("openai")
def test_agent_in_plain_python_wins_and_answers_as_full_history_does(bench: RunBench) -> None:
    row = f"agent:cmd={sys.executable} {EXAMPLE / 'agent.py'}"
    done = bench("run", "toy", "toy-talk", "-s", f"{row},full-history", "--limit", "2", "-o", "run")
    assert done.code == 0, done.err
    lines = json.loads(bench("table", "run", "--format", "json").out)
    found = {(line["suite"], line["strategy"]): line for line in lines}
    for suite in ("toy", "toy-talk"):
        own, other = found[suite, row], found[suite, "full-history"]
        assert (own["success_rate"], own["success_rate"]) == (1.0, other["success_rate"])
        assert own["calls"] == other["calls"] > 0
        assert own["tokens_total"] > 0
    with sqlite3.connect("run/run.sqlite") as record:
        per_trial = "SELECT count(*), count(DISTINCT call) FROM calls GROUP BY trial"
        assert all(calls == different for calls, different in record.execute(per_trial))
    shown = bench("show", "run", "agent", "--first").out
    assert "> open box" in shown
    assert "done, won" in shown


@pytest.mark.needs("openai", "langgraph")
def test_agent_in_langgraph_wins(bench: RunBench) -> None:
    row = f"agent:cmd={sys.executable} {EXAMPLE / 'graph_agent.py'}"
    assert bench("run", "toy", "-s", row, "--limit", "2", "-o", "run").code == 0
    (line,) = json.loads(bench("table", "run", "--format", "json").out)
    assert (line["success_rate"], line["calls"] > 0) == (1.0, True)


def test_toml_of_the_example_names_its_program() -> None:
    found = resolve_strategy(f"agent:cmd={EXAMPLE / 'agent.toml'}")
    assert found.strategy.inputs is not None
    assert list(found.strategy.inputs(found.params).values()) == [EXAMPLE / "agent.toml", EXAMPLE / "agent.py"]
