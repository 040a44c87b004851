"""Every recipe of this project runs to its printed comparison, and its plan has a forecast: the offline player, a few
tasks, and of a suite with data the split that needs none, under the suite's own prompt."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from bench.papers.catalog import find_recipe, list_recipes
from bench.runner.build import RunContext
from tests.conftest import RunBench

SMALL_TALK = "locomo:talks=2,sessions=2,turns=4,questions=5"
SMALL = {
    "alfworld": ("alfworld", "procedural"),
    "pddl": ("pddl", "generated"),
    "hiagent-five": ("hiagent-five", "generated"),
    "locomo": (SMALL_TALK, "generated"),
    "longmemeval": (SMALL_TALK, "generated"),
    "sop-bench": ("sop-bench", "generated"),
}
"""For each suite one like it that needs no download."""
TEXTS = {"given-text:text=full": "given-text:text=redundant"}
"""What only the released data holds."""


def shrink(name: str, path: Path) -> str:
    """Write a recipe with small suites in the place of its own; return the name of the file."""
    source = find_recipe(name)
    recipe: dict[str, Any] = tomllib.loads(source.read_text())
    for run in recipe["runs"]:
        base, _, params = run["suites"][0].partition(":")
        domain = [one for one in params.split(",") if one.startswith("domain=")]
        suite, run["split"] = SMALL[base]
        run["suites"] = [f"{suite}:{','.join(domain)}" if domain else suite]
        run["attempts"] = min(2, run.get("attempts", 1))
        run["seeds"] = [0]
        if "artifacts_of" in run:  # both sides are of one split here
            run["leak"] = "official"
        if "learn" in run:
            run["learn"] |= {"policy": "half-random", "tasks": 1, "attempts": 1}
            run["learn"].pop("split", None)
        run["strategies"] = list(dict.fromkeys(_replace(label) for label in run["strategies"]))
    for entry in recipe["strategies"]:
        entry["ours"] = _replace(entry["ours"])
    recipe["numbers"] = recipe.get("numbers", "")
    path.write_text(tomli_w.dumps(recipe))
    return path.name


def _replace(label: str) -> str:
    label = TEXTS.get(label, label)
    # Four rounds of refining, or five learners, show nothing that one does not.
    return "horma:rounds=1" if label.startswith("horma:rounds") or label == "horma" else label


@pytest.fixture(autouse=True)
def _play_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play all suites in this process: starting one takes longer than these trials."""
    monkeypatch.setattr(RunContext, "worker_kind", lambda *_: "thread")


@pytest.mark.parametrize("name", list(list_recipes()))
def test_recipe_runs_to_its_printed_comparison(name: str, bench: RunBench, tmp_path: Path) -> None:
    words = ("reproduce", shrink(name, tmp_path / "small.toml"), "--limit", "1", "--embedder", "hash", "-o", "runs")
    done = bench(*words, "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["offline"]
    measured = [row for row in found["rows"] if row["measured"] is not None]
    assert measured
    # What the recipe has a number of ours for has one, but for tasks that two of them do not include.
    for row in found["rows"]:
        if row["our_strategy"] and row["measured"] is None:
            assert (
                row["why_not"].startswith(("no such task", "no ", "not played")) or "cannot be known" in row["why_not"]
            ), row


@pytest.mark.parametrize("name", ["hiagent/wilcoxon", "react/alfworld", "horma/figure3"])
def test_printed_comparison_says_what_differs(name: str, bench: RunBench, tmp_path: Path) -> None:
    done = bench("reproduce", shrink(name, tmp_path / "small.toml"), "--limit", "1", "--embedder", "hash", "-o", "runs")
    assert done.code == 0, done.err
    assert "a dry exercise" in done.out
    assert "Differs: " in done.out


@pytest.mark.parametrize("name", list(list_recipes()))
def test_recipe_has_a_plan_with_a_forecast(name: str, bench: RunBench, tmp_path: Path) -> None:
    done = bench(
        "reproduce", shrink(name, tmp_path / "small.toml"), "--dry-run", "--limit", "1", "--pilot", "1", "--embedder",
        "hash", "--format", "json",
    )  # fmt: skip
    assert done.code == 0, done.err
    plan = json.loads(done.out)
    assert plan["forecast"]
    assert all(run["command"].startswith(("bench run ", "bench learn ")) for run in plan["runs"])
    assert list(tmp_path.iterdir()) == [tmp_path / "small.toml"]


@pytest.mark.data
@pytest.mark.parametrize("name", ["hiagent/table3", "react/alfworld", "generic-agent/dangerous-goods"])
def test_recipe_runs_under_the_papers_own_protocol(
    data_root: Path, name: str, bench: RunBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(data_root))
    done = bench("reproduce", name, "--limit", "1", "-o", "runs", "--format", "json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert any(row["difference"] is not None for row in rows)
    assert {row["split"] for row in rows if row["measured"] is not None} <= {
        "agentboard",
        "valid_unseen",
        "dangerous-goods",
    }
