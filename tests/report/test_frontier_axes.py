"""Axes of any two metrics: direction, name, what learning took, and rows that compete with nobody."""

from __future__ import annotations

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.figures.frontier import build_figure
from bench.report.frontier import Frontier, find_frontiers
from bench.report.frontier_text import render_frontier


def on(found: Frontier) -> set[str]:
    return {spot.strategy for spot in found.spots if spot.on_frontier}


def questions(items: pd.DataFrame) -> pd.DataFrame:
    """The same numbers as answers to questions, whose main score is F1."""
    score = items["progress"]
    return items.assign(item=items["task"] + "/q1", success=score, f1=score, judge_accuracy=score.round())


@pytest.mark.parametrize("y", ["steps", "tokens_total", "progress", "context_tokens_mean"])
@pytest.mark.parametrize("x", ["success", "calls", "tokens_act"])
def test_nobody_dominates_the_frontier_and_somebody_everyone_else(items: pd.DataFrame, x: str, y: str) -> None:
    (found,) = find_frontiers(items, x=x, y=y)
    better_x = -1 if x == "success" else 1
    better_y = 1 if y == "progress" else -1
    points = {
        spot.strategy: (-better_x * (spot.cost or 0), better_y * (spot.value or 0))
        for spot in found.spots
        if spot.competes
    }
    for name, (a, b) in points.items():
        beaten = any(c >= a and d >= b and (c, d) != (a, b) for c, d in points.values())
        assert (name in on(found)) is not beaten, name


def test_checks_are_drawn_and_never_on_the_frontier(items: pd.DataFrame) -> None:
    best = items["strategy"] == "no-memory"
    items.loc[best, "success"] = 1.0
    items.loc[best, "tokens_total"] = 1.0
    (found,) = find_frontiers(items)
    check = next(spot for spot in found.spots if spot.strategy == "no-memory")
    assert (check.sanity, check.on_frontier, check.membership) == (True, False, None)
    assert check.value_low == 1.0
    assert on(found)
    assert "a check" in render_frontier((found,), "md")
    diamonds = [line for line in build_figure((found,)).axes[0].lines if line.get_marker() == "D"]
    assert len(diamonds) == 1


def test_metric_without_a_better_way_has_no_frontier(items: pd.DataFrame) -> None:
    (found,) = find_frontiers(items, x="estimated_calls")
    assert on(found) == set()
    assert all(spot.membership is None for spot in found.spots)
    assert "No frontier: neither more nor less of estimated_calls is better" in render_frontier((found,))
    assert "neither way better" in build_figure((found,)).axes[0].get_xlabel()


def test_main_score_of_questions_has_its_own_name(items: pd.DataFrame) -> None:
    (found,) = find_frontiers(questions(items))
    assert found.main == "f1"
    header = render_frontier((found,), "md").splitlines()[2]
    assert "| F1 % |" in header
    assert "success" not in header
    axes = build_figure((found,)).axes[0]
    assert axes.get_ylabel() == "F1"
    assert "house-v1: F1 against tokens" in [text.get_text() for text in axes.texts]
    (episodes,) = find_frontiers(items)
    assert (episodes.main, build_figure((episodes,)).axes[0].get_ylabel()) == ("", "success")


def test_unusual_directions_are_said_on_the_axes(items: pd.DataFrame) -> None:
    axes = build_figure(find_frontiers(items, x="progress", y="steps")).axes[0]
    assert axes.get_xlabel() == "progress (more is better)"
    assert axes.get_ylabel() == "steps (less is better)"


def test_build_cost_is_part_of_x_or_not(items: pd.DataFrame) -> None:
    learned = items.assign(tokens_build=0.0, tokens_with_build=items["tokens_total"], build_cost_usd=0.0, cost_usd=1.0)
    mine = learned["strategy"] == "bm25"
    learned.loc[mine, ["tokens_build", "build_cost_usd"]] = [500.0, 2.0]
    learned.loc[mine, "tokens_with_build"] += 500.0

    def cost(x: str, learning: bool | None) -> tuple[float, str]:
        (found,) = find_frontiers(learned, x=x, learning=learning)
        label = build_figure((found,)).axes[0].get_xlabel()
        return next(spot.cost or 0 for spot in found.spots if spot.strategy == "bm25"), label

    (off, off_label), (whole, on_label) = cost("tokens", False), cost("tokens", True)
    assert whole - off == pytest.approx(500)
    assert "learning left out" in off_label
    assert "learning included" in on_label
    assert cost("cost", True)[0] == pytest.approx(3)
    assert cost("cost", False)[0] == pytest.approx(1)
    with pytest.raises(UsageError, match="an x that learning is a part of, got 'steps' with --build-cost on"):
        find_frontiers(learned, x="steps", learning=True)


def test_questions_that_cannot_have_a_score_are_left_out_of_its_mean(items: pd.DataFrame) -> None:
    with_gaps = items.assign(evidence_recall=0.5)
    with_gaps.loc[with_gaps["task"] == "task-003", "evidence_recall"] = float("nan")
    (found,) = find_frontiers(with_gaps, x="evidence_recall")
    assert all(spot.cost == pytest.approx(0.5) for spot in found.spots)
    with_gaps.loc[(with_gaps["task"] == "task-004") & (with_gaps["strategy"] == "bm25"), "evidence_recall"] = None
    (gap,) = find_frontiers(with_gaps, x="evidence_recall")
    assert [spot.strategy for spot in gap.spots if spot.cost is None] == ["bm25"]
    assert "evidence recall missing" in render_frontier((gap,), "md")


def test_two_runs_are_drawn_over_each_other(items: pd.DataFrame) -> None:
    (first,) = find_frontiers(items, run="a/first")
    (second,) = find_frontiers(items.assign(tokens_total=items["tokens_total"] * 2), run="a/second")
    axes = build_figure((second,), before=(first,)).axes[0]
    markers = [line.get_marker() for line in axes.lines]
    rivals = sum(not spot.sanity for spot in second.spots)
    assert (markers.count("s"), markers.count("o")) == (rivals, rivals)
    texts = [text.get_text() for text in axes.texts]
    assert any("a/first (dashed)" in text and "a/second" in text for text in texts)
    assert texts.count("") == len(second.spots)  # an arrow for each row
    assert sum("full-history" in text for text in texts) == 1
