"""The documented example: shown as it is, at most 40 lines, sound, and usable as an installed package; so are a model
and an embedder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from bench.conformance.rules import check_strategy
from bench.protocols import Budget, Kit, Params, Strategy
from bench.types import Event, EventKind, Frame, Query, Shape

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "last_mention"
SOURCE = PACKAGE / "last_mention.py"
MODEL_PACKAGE = Path(__file__).parent / "parrot"
PAGE = ROOT / "notebooks" / "your_own_strategy.md"


@pytest.fixture(scope="module")
def strategy() -> Strategy:
    spec = spec_from_file_location("last_mention_under_test", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.STRATEGY
    assert isinstance(found, Strategy)
    return found


def _fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)


def test_page_shows_the_code_that_is_tested() -> None:
    assert _fenced("python") == [SOURCE.read_text()]
    assert _fenced("toml") == [(PACKAGE / "pyproject.toml").read_text()]


def test_example_has_at_most_forty_lines() -> None:
    assert len(SOURCE.read_text().splitlines()) <= 40


def test_example_obeys_every_rule(strategy: Strategy) -> None:
    assert [result for result in check_strategy(strategy) if not result.passed] == []


def test_example_recalls_last_event_of_each_word(strategy: Strategy, model: object) -> None:
    kit = Kit(model, model, Frame("f", "i"), Budget(), Params(()))  # type: ignore[arg-type]
    memory = strategy.build(kit).memory
    for i, text in enumerate(["mug 1 on shelf 1", "shelf 2 is empty", "shelf 1 is empty", "a pan"]):
        memory.observe(Event(f"o{i}", EventKind.OBSERVATION, text, i))
    asked = Query("Nothing happens.", "find mug 1; shelf 1, shelf 2", 5, Shape.EPISODE)
    assert memory.recall(asked).refs == ("o0", "o1", "o2")
    held = Query(asked.text, asked.goal, 5, Shape.EPISODE, budget_tokens=11)
    assert memory.recall(held).refs == ("o2",)
    assert memory.recall(held).truncated


@pytest.fixture
def model() -> object:
    return object()  # a memory that asks no model cannot tell


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Return the environment of a process that has the examples installed, as pip installs them."""
    copies = [tmp_path_factory.mktemp("source") / package.name for package in (PACKAGE, MODEL_PACKAGE)]
    for package, copy in zip((PACKAGE, MODEL_PACKAGE), copies, strict=True):
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))  # a build writes into its source
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run(
        [*command, "--target", str(target), *map(str, copies)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), str(ROOT)])}


def _bench(*arguments: str, env: Mapping[str, str], cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "from bench.cli.app import main; main()", *arguments],
        env=env, cwd=cwd, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_entry_point_registers_strategy(installed: Mapping[str, str], tmp_path: Path) -> None:
    code = (
        "from bench.registry import strategy_names, resolve_strategy; "
        "named = resolve_strategy('last-mention'); "
        "print('last-mention' in strategy_names(), named.strategy.name, named.label)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=installed, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "last-mention-v1", "last-mention"]


def test_installed_strategy_runs_from_the_command_line(installed: Mapping[str, str], tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    _bench(
        *("run", "toy", "-s", "last-mention,no-memory", "-m", "offline/reader", "--limit", "4", "-o", run),
        env=installed, cwd=tmp_path,
    )  # fmt: skip
    rows = json.loads(_bench("table", run, "--format", "json", env=installed, cwd=tmp_path))
    rates = {row["strategy"]: row["success_rate"] for row in rows if row["group"] in (None, "", "all")}
    assert rates["last-mention"] > rates["no-memory"]
    assert "budget-is-kept" in _bench("check", "last-mention", env=installed, cwd=tmp_path)


def test_installed_model_and_embedder_play_and_cannot_replace_built_in(
    installed: Mapping[str, str], tmp_path: Path
) -> None:
    run = str(tmp_path / "run")
    words = ("run", "toy", "-s", "embedding", "-m", "acme/parrot", "--embedder", "letters", "--limit", "1", "-o", run)
    _bench(*words, env=installed, cwd=tmp_path)
    (row,) = json.loads(_bench("table", run, "--format", "json", env=installed, cwd=tmp_path))
    assert (row["model"], row["n"], row["offline"]) == ("acme/parrot", 1, False)
    assert row["tokens_act"] > 0
    code = (
        "from bench.registry import embedder_names, load_embedder, model_names; "
        "print(*model_names(), *embedder_names(), type(load_embedder('hash')).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=installed, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-5:] == ["acme/parrot", "hash", "letters", "minilm", "HashEmbedder"]
