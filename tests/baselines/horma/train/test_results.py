"""The committed results of the toy: the table is what its numbers say, and the numbers say what the pages claim."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest

HERE = Path(__file__).parents[4] / "results" / "train" / "toy-navigator"


def read_means(seed: int) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    with (HERE / f"test-{seed}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["navigator"], []).append(float(row["jaccard"]))
    return {name: fmean(values) for name, values in found.items()}


def test_table_is_made_of_the_committed_numbers(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(HERE / "summary.py"), str(tmp_path)], check=True, cwd=HERE.parents[2])
    assert (tmp_path / "table.md").read_text(encoding="utf-8") == (HERE / "table.md").read_text(encoding="utf-8")
    assert (tmp_path / "curve.png").stat().st_size > 10_000


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_trained_navigator_beat_the_others_with_every_seed(seed: int) -> None:
    means = read_means(seed)
    trained = means.pop("trained")
    assert set(means) == {"imitated", "grep", "random", "walk"}
    assert trained > max(means.values()) + 0.2
