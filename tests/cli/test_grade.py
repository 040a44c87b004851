"""``bench grade`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.config import RunConfig
from bench.runner.batch import run


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "run"
    run(RunConfig(suites=("toy-talk",), strategies=("full-history", "window"), workers=1), folder)
    return folder


def test_grades_are_printed_kept_and_shown_again(bench: Any, played: Path) -> None:
    done = bench("grade", str(played), "--judge", "offline/reader,offline/novice", "--format", "json")
    assert done.code == 0
    report = json.loads(done.out)
    assert {row["judge"] for row in report["rows"]} == {"offline/reader", "offline/novice"}
    assert {row["unscored"] for row in report["rows"]} == {0}
    assert report["offline"] is True
    assert report["pairs"][0]["agreement"]["kappa"] == 1.0
    shown = bench("grade", str(played), "--show", "--format", "json")
    assert json.loads(shown.out) == report
    folder = next((played / "grades").iterdir())
    assert "offline/" in bench("table", str(folder), "--format", "md").out
    assert bench("grade", str(played), "--judge", "offline/reader").code == 0


def test_scores_computed_again_are_said_not_to_move(bench: Any, played: Path) -> None:
    done = bench("grade", str(played))
    assert done.out == "72 items of 12 trials scored again from what is recorded: no score moves.\n"
    assert json.loads(bench("grade", str(played), "--format", "json").out)["moved"] == []


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (("--judge", "offline/raeder"), "got 'offline/raeder'; did you mean offline/reader"),
        (("--judge", "offline/reader", "--show"), "expected --judge or --show, got both"),
        (("--show", "-o", "nowhere"), "expected answers that a judge has graded, got none"),
        (("--format", "pdf"), "expected a format, got 'pdf'"),
        (("--cache", "on"), "expected --cache, got 'on'"),
    ],
)
def test_bad_option_is_one_line(bench: Any, played: Path, flags: tuple[str, ...], line: str) -> None:
    done = bench("grade", str(played), *flags)
    assert done.code == 2
    assert line in done.err
    assert "Traceback" not in done.err
