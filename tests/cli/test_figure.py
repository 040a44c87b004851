"""``bench figure`` and ``bench frontier`` on the command line: files by suffix, and what is refused before any work."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.runner.batch import run
from bench.store.steps import read_steps
from tests.conftest import RunBench


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("played")
    for name, steps in (("short", 10), ("long", 20)):
        config = RunConfig(suites=("toy",), strategies=("window:k=3", "full-history"), limit=3, steps=steps, workers=1)
        run(config, root / name)
    return root


@pytest.mark.parametrize("kind", ["progress", "executability", "success-by-cap", "tokens"])
def test_kind_prints_numbers_and_writes_a_picture_and_a_csv(
    kind: str, played: Path, bench: RunBench, tmp_path: Path
) -> None:
    done = bench("figure", kind, str(played / "long"), "-o", "a.svg", "-o", "a.csv", "--size", "single", "--dark")
    assert (done.code, done.err.splitlines()) == (
        0, [f"figure {kind}: drawn in a.svg", f"figure {kind}: written to a.csv"],
    )  # fmt: skip
    assert "full-history" in done.out
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    lines = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert {line["strategy"] for line in lines} == {"window:k=3", "full-history"}


def test_differences_take_two_rows(played: Path, bench: RunBench) -> None:
    words = ("figure", "differences", str(played / "long"), "--rows", "full-history,window:k=3", "-y", "steps")
    done = bench(*words, "--format", "csv", "-o", "a.png")
    assert done.code == 0
    assert done.out.count("\n") == 4


def test_runs_of_the_same_trials_are_overlaid(played: Path, bench: RunBench, tmp_path: Path) -> None:
    done = bench("frontier", str(played / "short"), str(played / "long"), "-o", "a.svg", "--rows", "full-history")
    assert done.code == 0
    assert done.out.count("full-history") == 2
    assert "window" not in done.out
    assert "(dashed)" in (tmp_path / "a.svg").read_text()


def test_steps_of_a_run_are_read_as_recorded(played: Path) -> None:
    steps = read_steps([played / "long"])
    assert list(steps.columns[-5:]) == ["step", "progress", "valid", "won", "run"]
    last = steps.groupby(["task", "strategy"])["step"].max()
    assert len(last) == 6
    assert last.max() <= 20
    assert steps["progress"].between(0, 1).all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("figure", "progres"), "did you mean progress"),
        (("figure", "tokens", "-o", "a.gif"), "expected a file ending in .png, .svg, .pdf, .csv, got 'a.gif'"),
        (("frontier", "-o", "a.gif"), "expected a file ending in .png, .svg, .pdf, .csv, got 'a.gif'"),
        (("frontier", "--size", "tiny"), "--size: expected single, double, or inches of 2 to 40, got 'tiny'"),
        (("frontier", "--size", "1x1"), "--size: expected single, double, or inches of 2 to 40, got '1x1'"),
        (("frontier", "--rows", "windw:k=3"), "did you mean window:k=3"),
        (("frontier", "--highlight", "nobody"), "expected a strategy of this run, got 'nobody'"),
        (("frontier", "-x", "tokenz"), "expected a metric, got 'tokenz'"),
        (("frontier", "--build-cost", "maybe"), "expected --build-cost, got 'maybe'"),
        (("frontier", "--overlay"), "--overlay: expected two runs, got 1"),
        (("figure", "differences"), "expected two strategies, got 0; write --rows A,B"),
        (("figure", "learning", "-o", "a.png"), "expected at least one scored row that learned, got none"),
        (("errors",), "expected runs whose questions or decisions have evidence, got none"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str, played: Path, bench: RunBench) -> None:
    done = bench(*words[:2], str(played / "long"), *words[2:]) if words[0] == "figure" else bench(
        words[0], str(played / "long"), *words[1:]
    )  # fmt: skip
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_rows_of_a_figure_take_the_patterns_of_a_table(played: Path, bench: RunBench) -> None:
    shown = bench("frontier", str(played / "long"), "--rows", "window*", "--format", "csv").out
    assert "window:k=3" in shown
    assert "full-history" not in shown
    done = bench("frontier", str(played / "long"), "--rows", "zz*")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "expected a pattern that fits a strategy, got 'zz*'" in done.err
