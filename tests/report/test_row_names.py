"""Rows are named by strategy, marks and, where one strategy learned several times, the number of tasks learned from."""

from __future__ import annotations

import json

import pandas as pd

from bench.report.row_names import name_rows, read_marks


def frame(*rows: tuple[str, str, dict[str, str]]) -> pd.DataFrame:
    """Return items of run, strategy and fields of the fingerprint; what learned has an artifact."""
    return pd.DataFrame(
        [
            {
                "run": run, "suite": "toy", "split": "houses", "model": "m", "strategy": strategy,
                "fingerprint": json.dumps({f"row.{name}": value for name, value in fields.items()}),
            }
            for run, strategy, fields in rows
        ]
    )  # fmt: skip


def name(*rows: tuple[str, str, dict[str, str]]) -> list[str]:
    return [str(one) for one in name_rows(frame(*rows))["strategy"]]


def test_rows_that_learned_nothing_keep_their_names() -> None:
    given = frame(("a", "window", {}), ("b", "window", {}))
    assert name_rows(given) is given


def test_marked_row_stands_beside_the_plain_one() -> None:
    marked = {"artifact": "2", "marks": "foreign,placebo"}
    plain: dict[str, str] = {}
    rows = (("a", "expel", {"artifact": "1"}), ("b", "expel", marked), ("a", "window", plain))
    assert name(*rows) == ["expel", "expel (foreign, placebo)", "window"]


def test_rows_that_learned_from_more_and_more_tasks_are_told_apart() -> None:
    sizes = [(f"run-{n}", "expel", {"artifact": str(n), "learned_tasks": str(n)}) for n in (8, 32)]
    assert name(*sizes) == ["expel (8 tasks)", "expel (32 tasks)"]
    assert name(*sizes, ("run-8", "awm", {"artifact": "9", "learned_tasks": "8"}))[2] == "awm"


def test_same_artifact_in_two_runs_has_one_name_so_that_a_trial_twice_is_noticed() -> None:
    assert name(("a", "expel", {"artifact": "1"}), ("b", "expel", {"artifact": "1"})) == ["expel", "expel"]


def test_unscored_trial_is_named_as_its_row() -> None:
    scored = ("a", "expel", {"artifact": "1", "marks": "placebo"})
    assert name(("a", "expel", {}), scored) == ["expel (placebo)", "expel (placebo)"]


def test_marks_are_read_from_a_fingerprint() -> None:
    assert read_marks({"row.marks": "leak,edited"}) == ("leak", "edited")
    assert read_marks({}) == ()
