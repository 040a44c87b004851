"""The example of a memory written in LangGraph: its own tests, and the command line, once it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "langgraph_memory"

pytestmark = pytest.mark.needs("langgraph")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Return a function that runs Python where the example is installed, without a proxy or a key, and its output."""
    source, target = tmp_path_factory.mktemp("source") / "example", tmp_path_factory.mktemp("site")
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True)
    path = os.pathsep.join([str(target), str(ROOT), os.environ.get("PYTHONPATH", "")])

    def run(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": path}, cwd=source, stdout=subprocess.PIPE, text=True, check=True,
            timeout=300,
        ).stdout  # fmt: skip

    return run


def test_example_passes_its_own_tests(python: Callable[..., str]) -> None:
    done = python("-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:langsmith_plugin")
    assert done.splitlines()[-1].startswith("4 passed")


def test_example_plays_from_the_command_line(python: Callable[..., str], tmp_path: Path) -> None:
    def bench(*words: str) -> str:
        return python("-m", "memfrontier", *words)

    folder = str(tmp_path / "run")
    bench("run", "toy", "toy-talk", "-s", "langgraph-memory:window=3,window:k=3", "--limit", "4", "-o", folder)
    lines = json.loads(bench("table", folder, "--format", "json"))
    rates = {(line["suite"], line["strategy"]): line["success_rate"] for line in lines}
    for suite in ("toy", "toy-talk"):
        assert rates[suite, "langgraph-memory:window=3"] >= rates[suite, "window:k=3"]
    metered = next(line for line in lines if line["strategy"] == "langgraph-memory:window=3")
    assert metered["tokens_write"] > 0
    assert "summarize" in bench("show", folder, "langgraph-memory", "--first", "--context")
