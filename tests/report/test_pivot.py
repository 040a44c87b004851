"""Strategies by groups of tasks, in every format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.pivot import build_pivot, render_pivot
from tests.conftest import RunBench


def test_values_are_those_of_each_group_and_both_means(items: pd.DataFrame) -> None:
    frame = items[~((items["group"] == "heat") & (items["task"] > "task-010"))]
    pivot = build_pivot(frame, reference="full-history")
    (section,) = pivot.sections
    line = next(line for line in section.lines if line.row.strategy == "bm25")
    mine = frame[frame["strategy"] == "bm25"]
    groups = mine.groupby("group")["success"]
    assert section.groups == tuple((str(name), len(part)) for name, part in groups)
    assert line.values == pytest.approx([*groups.mean(), groups.mean().mean(), mine["success"].mean()])
    assert line.row.test is not None


def test_metric_and_rows_are_those_asked_for(items: pd.DataFrame) -> None:
    pivot = build_pivot(items, metric="tokens", rows=("window*", "bm25"))
    assert [line.row.strategy for line in pivot.sections[0].lines] == ["window:k=5", "bm25"]
    assert pivot.metric.name == "tokens_total"
    for wrong in ("sucess", "context_relative", "n", "macro_success"):
        with pytest.raises(UsageError):
            build_pivot(items, metric=wrong)


def test_formats_say_the_same(items: pd.DataFrame) -> None:
    pivot = build_pivot(items, reference="full-history")
    records = json.loads(render_pivot(pivot, "json"))
    lines = list(csv.DictReader(io.StringIO(render_pivot(pivot, "csv"))))
    assert [float(line["group: heat"]) for line in lines] == [record["group: heat"] for record in records]
    assert set(records[0]) >= {"strategy", "metric", "macro_mean", "overall", "p_adjusted"}
    md = render_pivot(pivot, "md").splitlines()
    assert md[2] == "| strategy | clean (14) | heat (13) | pick (13) | macro mean | all tasks |"
    assert f"{100 * records[0]['overall']:.1f} |" in md[4]
    assert r"\textbf{" in render_pivot(pivot, "latex")
    with pytest.raises(UsageError, match="pdf"):
        render_pivot(pivot, "pdf")


def test_long_group_names_are_broken_and_never_left_out(items: pd.DataFrame) -> None:
    long = items.assign(group=items["group"].map(lambda name: f"pick_{name}_then_place_in_" + "x" * 60))
    rich = render_pivot(build_pivot(long), width=40)
    assert [rich.count(f"pick_{name}_") for name in ("clean", "heat", "pick")] == [1, 1, 1]
    assert "macro mean" in rich


def test_group_without_the_metric_is_no_column(items: pd.DataFrame) -> None:
    frame = items.assign(success=items["success"].where(items["group"] != "heat"))
    assert [name for name, _ in build_pivot(frame).sections[0].groups] == ["clean", "pick"]


def test_macro_mean_of_a_row_that_lacks_a_group_is_unknown(items: pd.DataFrame) -> None:
    lost = (items["group"] == "heat") & (items["strategy"] == "bm25")
    frame = items.assign(scored=~lost, success=items["success"].where(~lost))
    line = next(one for one in build_pivot(frame).sections[0].lines if one.row.strategy == "bm25")
    assert line.values[-2] is None
    assert line.values[-1] is not None


@pytest.mark.parametrize("tasks", [1, 3])
def test_one_row_one_task_and_all_ties_are_printed(build: Callable[..., pd.DataFrame], tasks: int) -> None:
    frame = build(tasks).assign(success=1.0, progress=1.0)
    for some in (frame, frame[frame["strategy"] == "bm25"]):
        for style in ("rich", "md", "csv", "json", "latex"):
            assert render_pivot(build_pivot(some), style)


def test_no_value_at_all_is_one_line(items: pd.DataFrame) -> None:
    empty = items.assign(scored=False, success=float("nan"), progress=float("nan"))
    with pytest.raises(UsageError, match="expected values of success"):
        build_pivot(empty)


def test_flag_takes_one_metric_and_no_by(bench: RunBench) -> None:
    assert bench("run", "toy", "-s", "full-history,window:k=2", "--limit", "4", "-o", "r").code == 0
    assert "macro mean" in bench("table", "r", "--pivot", "group", "--columns", "success").out
    for words in (("--columns", "success,steps"), ("--by", "group"), ("--columns", "sucess")):
        done = bench("table", "r", "--pivot", "group", *words)
        assert (done.code, done.err.count("\n")) == (2, 1)
    assert "did you mean group" in bench("table", "r", "--pivot", "groups").err
