"""``bench curve`` on the command line: what it prints and draws, and what it refuses before any work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

WORDS = ("curve", "toy:houses=8", "-s", "full-history,exprag", "--embedder", "hash", "-o", "run")


def test_curve_prints_a_table_and_draws_a_figure(bench: Any, tmp_path: Path) -> None:
    done = bench(*WORDS, "--tasks", "2,all", "--figure", "curve.svg", "--format", "json")
    assert done.code == 0
    points = json.loads(done.out)[0]["points"]
    assert [(point["strategy"], point["tasks"], point["n"]) for point in points] == [
        ("full-history", 0, 4), ("exprag", 2, 4), ("exprag", 4, 4),
    ]  # fmt: skip
    assert "curve: drawn in curve.svg" in done.err
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    again = bench("curve", "run", "--tasks", "2")
    assert again.code == 0
    assert "training tasks" in again.out
    table = bench("table", "run", "run/curve/tasks-2", "--format", "md").out
    assert "| exprag (2 tasks) |" in table
    assert "| exprag (4 tasks) |" in table


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tasks", "2;4"), "--tasks: expected whole numbers with commas, got '2;4'"),
        (("--tasks", "all"), "curve: expected at least one number of training tasks"),
        (("--tasks", "4"), "curve: expected fewer than the 4 training tasks of toy:houses=8"),
        (("--tasks", "2", "--format", "latex"), "curve: expected a format, got 'latex'"),
        (("--tasks", "2", "--figure", "a.gif"), "curve: expected a file ending in .png, .svg, .pdf, got 'a.gif'"),
        (("--tasks", "2", "--stream", "1"), "stream: expected memories that begin empty, got a learning stage too"),
    ],
)
def test_refusals_come_before_any_work(words: tuple[str, ...], said: str, bench: Any, tmp_path: Path) -> None:
    refused = bench(*WORDS, *words)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err.splitlines()[-1]
    assert not (tmp_path / "run").exists()
