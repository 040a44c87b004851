"""Percentiles of what decisions took, over all decisions of a row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bench.config import RunConfig
from bench.report.table import Selection, build_table
from bench.runner.batch import run
from bench.store.database import Store
from bench.store.dataframe import read_items
from bench.store.latencies import LATENCIES, add_latencies
from bench.store.read import read_trials
from bench.types import Shape


def rows_of(frame: pd.DataFrame, *, by_group: bool = False) -> dict[tuple[str, str], dict[str, float | None]]:
    table = build_table(frame, selection=Selection(by_group=by_group, timing=True))
    return {(row.strategy, row.group): dict(row.values) for row in table.rows}


def test_percentiles_are_over_decisions_and_not_over_trials(build: Callable[..., pd.DataFrame]) -> None:
    frame = build(4)
    one = frame[frame["strategy"] == "bm25"].sort_values("task").reset_index(drop=True)
    took: list[object] = [((0.1, 1.0),), ((0.2, 2.0), (0.3, 3.0), (0.4, 4.0)), None, ((0.5, 5.0),)]
    found = rows_of(one.assign(**{LATENCIES: pd.Series(took, dtype=object)}))["bm25", "all"]
    assert (found["recall_p50_s"], found["decision_p50_s"]) == (pytest.approx(0.3), pytest.approx(3.0))
    assert found["decision_p95_s"] == pytest.approx(4.8)


def test_nothing_measured_is_no_value(build: Callable[..., pd.DataFrame]) -> None:
    frame = build(4)
    assert "recall_p50_s" not in rows_of(frame)["bm25", "all"]
    nothing = frame.assign(**{LATENCIES: pd.Series([None] * len(frame), dtype=object)})
    assert "recall_p50_s" not in rows_of(nothing)["bm25", "all"]


def test_decisions_of_a_run_are_recorded_and_read_again(tmp_path: Path) -> None:
    run(RunConfig(suites=("toy-talk",), strategies=("bm25", "window"), workers=1), tmp_path)
    trial = read_trials(tmp_path, Shape.CONVERSATION)[0]
    for step in trial.steps:
        assert step.latency is not None
        assert 0 < step.latency.recall_s <= step.latency.decision_s < 60
    items = read_items([tmp_path])
    with_times = add_latencies(items, [tmp_path])
    assert with_times.drop(columns=LATENCIES).equals(items)
    assert sum(len(pairs) for pairs in with_times[LATENCIES] if pairs is not None) == len(items)
    found = rows_of(with_times, by_group=True)
    assert (found["bm25", "all"]["recall_p95_s"] or 0) > 0
    assert {group for (_, group), values in found.items() if "recall_p95_s" in values} == {"all"}


def test_run_of_before_has_no_latencies(tmp_path: Path) -> None:
    run(RunConfig(suites=("toy:houses=1",), strategies=("window",), workers=1), tmp_path)
    with Store(tmp_path) as store, store._transaction() as db:
        db.execute("DROP TABLE latencies")
    items = read_items([tmp_path])
    assert add_latencies(items, [tmp_path]) is items
    assert read_trials(tmp_path)[0].steps[0].latency is None
    with Store(tmp_path):
        pass
    assert add_latencies(items, [tmp_path]) is items
