"""Shell completion: commands, suites, and names in a list with commas, as a shell asks for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli.complete import complete_kind, complete_strategies, complete_strategy, complete_suite

ROOT = Path(__file__).parents[2]


def complete(words: str, number: int, cwd: Path) -> list[str]:
    """Return what bash would offer for the word of that number."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "_BENCH_COMPLETE": "complete_bash", "COMP_WORDS": words,
        "COMP_CWORD": str(number),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-c", "from bench.cli.app import main; main()"],
        env=environment, cwd=cwd, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "number", "offered"),
    [
        ("bench fronti", 1, ["frontier"]),
        ("bench run to", 2, ["toy", "toy-talk"]),
        ("bench run toy -s window,bm", 4, ["window,bm25"]),
        ("bench check trunc", 2, ["truncation"]),
        ("bench list em", 2, ["embedders"]),
    ],
)
def test_shell_is_offered_what_fits(words: str, number: int, offered: list[str], tmp_path: Path) -> None:
    assert complete(words, number, tmp_path) == offered


def test_unknown_beginning_completes_to_nothing() -> None:
    found = [complete_strategy("zzz"), complete_strategies("window,zzz"), complete_suite("zzz"), complete_kind("zzz")]
    assert found == [[], [], [], []]


def test_empty_beginning_completes_to_all_names() -> None:
    assert "window" in complete_strategies("")
    assert "window,window" in complete_strategies("window,")
