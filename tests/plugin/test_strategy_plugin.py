"""The example strategy: at most 40 lines, shown in the guide as it is, sound, and usable as an installed package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Params, Strategy
from bench.types import Event, EventKind, Frame, Query, Shape

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "last_mention"
SOURCE = PACKAGE / "last_mention.py"
LEARNER = Path(__file__).parent / "solved_plans.py"
GUIDE = ROOT / "docs" / "new_strategy.md"


@pytest.fixture(scope="module")
def strategy() -> Strategy:
    return _load(SOURCE)


def _load(source: Path) -> Strategy:
    spec = spec_from_file_location(f"{source.stem}_under_test", source)
    assert spec is not None
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.STRATEGY
    assert isinstance(found, Strategy)
    return found


def _fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), flags=re.MULTILINE | re.DOTALL)


def test_guide_shows_the_strategies_and_the_package_as_tested() -> None:
    assert _fenced("python") == [SOURCE.read_text(), LEARNER.read_text()]
    assert _fenced("toml") == [(PACKAGE / "pyproject.toml").read_text()]


@pytest.mark.parametrize("source", [SOURCE, LEARNER], ids=lambda source: source.stem)
def test_example_strategy_has_at_most_forty_lines(source: Path) -> None:
    assert len(source.read_text().splitlines()) <= 40


@pytest.mark.parametrize("source", [SOURCE, LEARNER], ids=lambda source: source.stem)
def test_example_strategy_passes_every_conformance_rule(source: Path) -> None:
    assert [result for result in check_strategy(_load(source)) if not result.passed] == []


def test_recall_returns_the_last_event_that_names_each_word(strategy: Strategy) -> None:
    kit = Kit(ScriptedModel([]), HashEmbedder(), Frame("f", "i"), Budget(), Params(()))
    memory = strategy.build(kit).memory
    for i, text in enumerate(["mug 1 on shelf 1", "shelf 2 is empty", "shelf 1 is empty", "a pan"]):
        memory.observe(Event(f"o{i}", EventKind.OBSERVATION, text, i))
    query = Query("Nothing happens.", "find mug 1; shelf 1, shelf 2", 5, Shape.EPISODE)
    assert memory.recall(query).refs == ("o0", "o1", "o2")
    limited = Query(query.text, query.goal, 5, Shape.EPISODE, budget_tokens=11)
    assert memory.recall(limited).refs == ("o2",)
    assert memory.recall(limited).truncated


def test_entry_point_registers_the_strategy(run_with_plugins: Callable[..., str], tmp_path: Path) -> None:
    code = (
        "from bench.registry import strategy_names, resolve_strategy; "
        "found = resolve_strategy('last-mention'); "
        "print('last-mention' in strategy_names(), found.strategy.name, found.label)"
    )
    assert run_with_plugins("-c", code, cwd=tmp_path).split() == ["True", "last-mention-v1", "last-mention"]


def test_installed_strategy_beats_no_memory(bench_with_plugins: Callable[..., str]) -> None:
    bench_with_plugins(
        "run", "toy", "-s", "last-mention,no-memory", "-m", "offline/reader", "--limit", "4", "-o", "run"
    )
    lines = json.loads(bench_with_plugins("table", "run", "--format", "json"))
    rates = {line["strategy"]: line["success_rate"] for line in lines}
    assert rates["last-mention"] > rates["no-memory"]
    assert "budget-is-kept" in bench_with_plugins("check", "last-mention")
