"""A learning curve: which rows are its points, their intervals, its text in every format, and its figure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.curve import Curve, find_curves
from bench.report.curve_text import render_curves
from bench.report.figures.curve import build_curve_figure, draw_curves
from bench.report.table import build_table
from bench.stats.wilson import wilson

Build = Callable[..., pd.DataFrame]


def teach(frame: pd.DataFrame, run: str, tasks: int, **more: str) -> pd.DataFrame:
    """Return the items of one learner, called expel, after so many tasks."""
    fields = {
        "row.artifact": f"a{tasks}{more}", "row.pool": f"p{tasks}", "row.learned": "t", "row.learned_tasks": str(tasks),
        "row.memory_tokens": str(10 * tasks), "row.build_gather_tokens": str(100 * tasks),
        "row.build_learn_tokens": "20", "row.build_cost_usd": "0",
        **{f"row.{name}": text for name, text in more.items()},
    }  # fmt: skip
    items = frame[frame["strategy"] == "bm25"].assign(strategy="expel", run=run)
    items["fingerprint"] = [json.dumps({**json.loads(text), **fields}) for text in items["fingerprint"]]
    return items


@pytest.fixture
def frame(build: Build) -> pd.DataFrame:
    items = build(20)
    plain = items[items["strategy"].isin(["full-history", "no-memory"])]
    return pd.concat([plain, teach(items, "whole", 12), teach(items, "tasks-3", 3)], ignore_index=True)


def test_points_are_ordered_by_tasks_below_what_learns_nothing(frame: pd.DataFrame) -> None:
    (curve,) = find_curves(frame)
    assert [(point.strategy, point.tasks) for point in curve.points] == [
        ("full-history", 0), ("no-memory", 0), ("expel", 3), ("expel", 12),
    ]  # fmt: skip
    assert [point.build_tokens for point in curve.points] == [None, None, 320 / 20, 1220 / 20]
    assert [point.memory_tokens for point in curve.points] == [None, None, 30, 120]


def test_values_and_intervals_are_those_of_a_table(frame: pd.DataFrame) -> None:
    (curve,) = find_curves(frame)
    rows = {row.strategy: row for row in build_table(frame).rows}
    row, point = rows["expel (3 tasks)"], curve.points[2]
    interval = row.intervals["success"]
    assert (point.value, point.low, point.high) == (row.value("success"), interval.low, interval.high)


def test_score_without_an_interval_in_a_table_gets_one(frame: pd.DataFrame) -> None:
    won = frame.assign(success_at_5=(frame["task"] < "task-004").astype(float))
    (curve,) = find_curves(won, "success_at_5")
    expected = wilson(4, 20)
    assert {(point.value, point.low, point.high) for point in curve.points} == {(0.2, expected.low, expected.high)}


def test_one_number_of_tasks_and_marks_keep_the_name_of_the_learner(build: Build) -> None:
    items = build(6)
    parts = [teach(items, "a", 3), teach(items, "b", 3, marks="placebo"), teach(items, "c", 4, learned_every="attempt")]
    (curve,) = find_curves(pd.concat(parts, ignore_index=True))
    assert [(point.strategy, point.tasks) for point in curve.points] == [
        ("expel", 3), ("expel (each attempt)", 4), ("expel (placebo)", 3),
    ]  # fmt: skip


def test_unknown_metric_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="did you mean success"):
        find_curves(frame, "succes")


def test_text_has_a_line_for_each_point_in_every_format(frame: pd.DataFrame) -> None:
    found = find_curves(frame)
    text = render_curves(found, "md")
    assert "| strategy | training tasks | n | success % | [95 %] | memory | tokens | build |" in text
    assert "| expel | 12 | 20/20 |" in text
    assert "| full-history | – | 20/20 |" in text
    assert "one collection serves them all" in text
    assert "expel" in render_curves(found, "rich", width=100)
    points = json.loads(render_curves(found, "json"))[0]["points"]
    lines = list(csv.DictReader(io.StringIO(render_curves(found, "csv"))))
    assert [point["tasks"] for point in points] == [int(line["tasks"]) for line in lines] == [0, 0, 3, 12]
    assert float(lines[3]["value"]) == points[3]["value"]
    with pytest.raises(UsageError, match="did you mean csv"):
        render_curves(found, "cvs")


def test_figure_has_a_line_and_bars_for_each_learner_and_a_mark_for_each_number(frame: pd.DataFrame) -> None:
    (axes,) = build_curve_figure(find_curves(frame)).axes
    named = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
    assert [line.get_label() for line in named] == ["full-history", "no-memory", "expel"]
    assert len(axes.lines) == 3 + 2  # and a bar at each point
    assert axes.get_xticks().tolist() == [3, 12]
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["full-history", "no-memory", "expel"]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figure_is_the_same_bytes_for_the_same_numbers(frame: pd.DataFrame, tmp_path: Path, suffix: str) -> None:
    for name in ("a", "b"):
        draw_curves(find_curves(frame), tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes() != b""


def test_nothing_to_draw_and_another_suffix_are_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    found = find_curves(frame)
    plain = [Curve(one.title, one.y, one.points[:2]) for one in found]
    with pytest.raises(UsageError, match="expected at least one scored row that learned, got none"):
        draw_curves(plain, tmp_path / "a.png")
    with pytest.raises(UsageError, match=r"curve: expected a file ending in .png, .svg, .pdf, got 'a.jpg'"):
        draw_curves(found, tmp_path / "a.jpg")
