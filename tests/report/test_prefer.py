"""A trial that two runs hold is an error, or taken from the preferred one."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.items import prepare
from bench.report.prefer import join_preferred


def test_trial_that_is_there_twice_is_taken_from_the_preferred_run(build: Callable[..., pd.DataFrame]) -> None:
    old = build(6)
    new = old[old["strategy"].isin(["bm25"]) & (old["task"] != "task-000")].assign(run="new", success=0.25)
    with pytest.raises(UsageError, match="--prefer"):
        prepare(pd.concat([old, new]))
    items = prepare(join_preferred(old, new))
    assert len(items) == len(old)
    assert "preferred" not in items
    bm25 = items[items["strategy"] == "bm25"]
    assert list(bm25["run"]) == ["demo", *["new"] * 5]
    assert set(bm25["success"][1:]) == {0.25}
    assert set(items[items["strategy"] != "bm25"]["run"]) == {"demo"}


def test_all_attempts_at_a_task_are_taken_from_one_run(build: Callable[..., pd.DataFrame]) -> None:
    old = build(2)
    again = old.assign(attempt=2)
    items = prepare(join_preferred(pd.concat([old, again]), old.assign(run="new")))
    assert set(items["run"]) == {"new"}


def test_preferred_runs_must_not_hold_a_trial_twice(build: Callable[..., pd.DataFrame]) -> None:
    new = build(2)
    with pytest.raises(UsageError, match="more than once"):
        prepare(join_preferred(build(3), pd.concat([new, new])))
