"""The example suite: about 60 lines, shown in the guide as it is, and run from the command line as a package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from bench.conformance.suites import check_suite
from bench.models.offline.reader import OfflineReader
from bench.protocols import Params, SuiteOptions

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "combination_lock"
SOURCE = PACKAGE / "combination_lock.py"
GUIDE = ROOT / "docs" / "suites.md"


@pytest.fixture(scope="module")
def lock() -> Any:
    spec = spec_from_file_location("combination_lock_under_test", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_guide_shows_the_suite_and_its_package_as_tested() -> None:
    text = GUIDE.read_text()
    fenced = [re.findall(rf"^```{kind}\n(.*?)^```$", text, flags=re.M | re.S) for kind in ("python", "toml")]
    assert fenced == [[SOURCE.read_text()], [(PACKAGE / "pyproject.toml").read_text()]]


def test_example_suite_has_at_most_sixty_lines_of_code() -> None:
    assert sum(bool(line.strip()) for line in SOURCE.read_text().splitlines()) <= 60


def test_lock_tasks_are_sorted_and_the_same_in_every_build(lock: Any, tmp_path: Path) -> None:
    first, second = (lock.SUITE.build(SuiteOptions("locks", Params(()), tmp_path)) for _ in range(2))
    assert first.tasks() == second.tasks() == sorted(first.tasks(), key=lambda task: task.id)
    assert len({task.digest for task in first.tasks()}) == 12
    assert first.fingerprint() == second.fingerprint()


def test_lock_obeys_every_rule_for_suites(lock: Any, tmp_path: Path) -> None:
    results = check_suite(lock.SUITE, SuiteOptions("locks", Params(()), tmp_path), OfflineReader(lock.RULES))
    assert [result for result in results if not result.passed] == []


def test_lock_opens_only_with_the_code_and_progress_never_falls(lock: Any) -> None:
    world = lock.LockWorld("42")
    world.reset()
    actions = ("enter 41", "read note 1", "xyzzy", "read note 3", "read note 2", "read note 1", "enter 42")
    seen = [world.step(action) for action in actions]
    assert [step.valid for step in seen] == [True, True, False, False, True, True, True]
    assert [round(step.progress, 2) for step in seen] == [0, 0.33, 0.33, 0.33, 0.67, 0.67, 1]
    assert [step.won for step in seen] == [False] * 6 + [True]
    assert seen[4].text == "Note 2 says 2."


def test_installed_suite_runs_and_separates_window_from_full_history(bench_with_plugins: Callable[..., str]) -> None:
    assert re.search(r"^lock +episode", bench_with_plugins("list", "suites"), flags=re.M)
    bench_with_plugins("run", "lock", "-s", "window,full-history", "-m", "offline/reader", "-o", "run")
    lines = json.loads(bench_with_plugins("table", "run", "--by", "group", "--format", "json"))
    rates = {(line["strategy"], line["group"] or "all"): line["success_rate"] for line in lines}
    assert rates["full-history", "all"] == 1.0
    assert [rates["window", f"{length} notes"] for length in (4, 6, 8)] == [1.0, 0.0, 0.0]
