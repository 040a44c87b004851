"""What a run says while it works."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest
from rich.console import Console

from bench.runner.progress import (
    HeadedProgress,
    LastingProgress,
    LiveProgress,
    NoProgress,
    PlainProgress,
    RunProgress,
    Tally,
    choose_progress,
)
from bench.store.database import Spending
from bench.types import EndReason, Status, Trial, TrialKey

KEY = TrialKey("toy", "houses", "house-000", "window:k=5", "scripted")
DONE = Trial(KEY, Status.DONE, EndReason.WON)
FAILED = Trial(KEY, Status.MODEL_ERROR, EndReason.ERROR, error="429 [too] many [/]")


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_tally_line_has_all_counts() -> None:
    assert Tally(10, 3, 2).line() == "3/10 done, 2 running, 0 tokens, $0.00"
    tally = Tally(10, 3, 2, 1, Spending(4, 12345, None))
    assert tally.line() == "3/10 done, 2 running, 1 unscored, 12,345 tokens, cost unknown"


def test_headed_progress_tells_each_notice_once_in_a_run_of_several_parts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = HeadedProgress([], NoProgress())
    progress.begin(Tally(3, notices=("a turn is not shown",)))
    progress.begin(Tally(4, notices=("a turn is not shown", "no turn is marked")))
    assert capsys.readouterr().err == "run: data: a turn is not shown\nrun: data: no turn is marked\n"


def test_plain_progress_prints_periodically_with_time_left() -> None:
    out, clock = io.StringIO(), Clock()
    progress = PlainProgress(out, every_s=10, clock=clock)
    progress.begin(Tally(10, 4))
    for done, now_s in ((5, 3.0), (6, 30.0), (7, 35.0), (8, 60.0)):
        clock.now_s = now_s
        progress.update(Tally(10, done), DONE)
    progress.end(Tally(10, 10))
    assert out.getvalue().splitlines() == [
        "run: 10 trials, 4 already done",
        "run: 6/10 done, 0 running, 0 tokens, $0.00, 1:00 left",  # two in 30 s, four to go
        "run: 8/10 done, 0 running, 0 tokens, $0.00, 0:30 left",
        "run: 10/10 done, 0 running, 0 tokens, $0.00 in 60.0 s",
    ]


def test_plain_progress_prints_failure_at_once_and_no_false_time() -> None:
    out, clock = io.StringIO(), Clock()
    progress = PlainProgress(out, clock=clock)
    progress.begin(Tally(2))
    clock.now_s = 11.0
    progress.update(Tally(2, 0, 1, 1), FAILED)
    assert out.getvalue().splitlines()[1:] == [
        "run: window:k=5 on house-000: model-error: 429 [too] many [/]",
        "run: 0/2 done, 1 running, 1 unscored, 0 tokens, $0.00, time left unknown",
    ]


def test_run_in_parts_begins_and_ends_once() -> None:
    out = io.StringIO()
    lasting = LastingProgress(PlainProgress(out, clock=Clock()))
    for done in (1, 2):
        lasting.begin(Tally(total=3, done=done))
        lasting.end(Tally(total=3, done=done + 1))
    assert out.getvalue() == "run: 3 trials, 1 already done\n"
    lasting.close()
    assert out.getvalue().splitlines()[1].startswith("run: 3/3 done")


def test_run_without_a_part_to_play_prints_nothing() -> None:
    out = io.StringIO()
    LastingProgress(PlainProgress(out, clock=Clock())).close()
    assert out.getvalue() == ""


def test_live_progress_shows_counts_and_failures() -> None:
    out = io.StringIO()
    progress = LiveProgress(Console(file=out, force_terminal=True, width=120, color_system=None))
    progress.begin(Tally(2))
    progress.update(Tally(2, 1), DONE)
    progress.update(Tally(2, 1, failed=1), FAILED)
    progress.end(Tally(2, 1, failed=1))
    assert "1/2" in out.getvalue()
    assert "model-error window:k=5 on house-000: 429 [too] many [/]" in out.getvalue()


@pytest.mark.parametrize(("out", "kind"), [(io.StringIO(), PlainProgress), (Terminal(), LiveProgress)])
def test_choose_progress_uses_bar_on_terminal_and_lines_elsewhere(out: io.StringIO, kind: type[RunProgress]) -> None:
    assert isinstance(choose_progress(out), kind)


def test_no_progress_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    progress = NoProgress()
    progress.begin(Tally())
    progress.update(Tally(), None)
    progress.end(Tally())
    assert capsys.readouterr() == ("", "")
