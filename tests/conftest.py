"""What tests of several packages share: the console command as a process of its own, and small folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


Bench = Callable[..., Done]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a ``bench`` process: this checkout first, whatever is installed."""
    path = os.pathsep.join([*(extra or {}).get("PYTHONPATH", "").split(os.pathsep), str(ROOT)]).strip(os.pathsep)
    return {**os.environ, "TERM": "dumb", **(extra or {}), "PYTHONPATH": path}


COMMAND = (sys.executable, "-c", "from bench.cli import main; main()")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Run ``bench ...`` in an empty folder and say how it ended."""

    def call(*words: str, env: Mapping[str, str] | None = None) -> Done:
        done = subprocess.run(
            [*COMMAND, *words], cwd=tmp_path, env=environment(env), capture_output=True, text=True, check=False,
            timeout=120,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    return call
