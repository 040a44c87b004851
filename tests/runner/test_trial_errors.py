from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.runner.trial_errors import describe_errors, has_only_strategy_errors
from bench.store.database import Plan, Store
from bench.types import EndReason, Status, Task, Trial, TrialKey


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def record(folder: Path, *ends: tuple[Status, str], attempt: int = 1) -> None:
    keys = [TrialKey("toy", "houses", f"t{n}", "window", "m", 0, attempt) for n in range(len(ends))]
    with Store(folder) as store:
        store.plan([Plan(key, Task(key.task, "toy", "houses", "", "")) for key in keys])
        for key, (status, error) in reversed(list(zip(keys, ends, strict=True))):
            store.finish(Trial(key, status, EndReason.ERROR if error else EndReason.WON, error=error))


FAILED, OUT = Status.STRATEGY_ERROR, Status.MODEL_ERROR


@pytest.mark.parametrize(
    ("ends", "lines"),
    [
        ([(Status.DONE, "")], []),
        ([(FAILED, "boom")], ["strategy-error in 1 trial, the first is window@t0: boom"]),
        (
            [(Status.DONE, ""), (OUT, "down"), (FAILED, "boom"), (OUT, "down")],
            [
                "model-error in 2 trials, the first is window@t1: down",
                "strategy-error in 1 trial, the first is window@t2: boom",
            ],
        ),
        ([(FAILED, f"a\nb\x1b[31m{'x' * 400}")], [
            f"strategy-error in 1 trial, the first is window@t0: a b�[31m{'x' * 292}…"
        ]),
    ],
)  # fmt: skip
def test_describe_errors_has_a_line_for_each_distinct_one(
    folder: Path, ends: Sequence[tuple[Status, str]], lines: list[str]
) -> None:
    record(folder, *ends)
    assert describe_errors(folder) == lines


@pytest.mark.parametrize(("count", "tail"), [(3, []), (4, ["1 other error"]), (60, ["57 other errors"])])
def test_describe_errors_counts_those_after_the_third(folder: Path, count: int, tail: list[str]) -> None:
    record(folder, *[(FAILED, f"no {n}") for n in range(count)])
    lines = describe_errors(folder)
    assert [line.partition(": ")[2] for line in lines[:3]] == ["no 0", "no 1", "no 2"]
    assert lines[3:] == [f"{text}; `bench show {folder}` lists the trials" for text in tail]


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([], False),
        ([(FAILED, "a"), (FAILED, "b")], True),
        ([(FAILED, "a"), (Status.DONE, "")], False),
        ([(FAILED, "a"), (OUT, "b")], False),
    ],
)
def test_has_only_strategy_errors(folder: Path, ends: Sequence[tuple[Status, str]], expected: bool) -> None:
    record(folder, *ends)
    assert has_only_strategy_errors(folder) is expected


def test_learning_stage_is_not_counted(folder: Path) -> None:
    record(folder, (OUT, "down"), attempt=0)
    record(folder, (FAILED, "a"))
    assert describe_errors(folder) == ["strategy-error in 1 trial, the first is window@t0: a"]
    assert has_only_strategy_errors(folder)
