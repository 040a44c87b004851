"""Curves over steps, against numbers worked out by hand."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.step_curves import StepPanel, find_step_curves, render_step_curves

KEY = ["run", "suite", "split", "task", "strategy", "model", "seed", "attempt"]


@pytest.fixture
def two(items: pd.DataFrame) -> pd.DataFrame:
    """Two tasks of two strategies."""
    chosen = items["task"].isin(["task-000", "task-001"]) & items["strategy"].isin(["bm25", "full-history"])
    return items[chosen].reset_index(drop=True)


def play(items: pd.DataFrame, episodes: dict[tuple[str, str], list[tuple[float, int]]]) -> pd.DataFrame:
    """Steps as recorded: of each strategy and task, progress and whether the action was valid."""
    records = []
    for row in items[KEY].to_dict("records"):
        for number, (progress, valid) in enumerate(episodes[row["strategy"], row["task"]], 1):
            records.append(row | {"step": number, "progress": progress, "valid": valid, "won": int(progress == 1)})
    return pd.DataFrame(records)


@pytest.fixture
def steps(two: pd.DataFrame) -> pd.DataFrame:
    return play(
        two,
        {
            ("bm25", "task-000"): [(0.5, 1), (0.25, 0), (0.5, 1), (1.0, 1)],
            ("bm25", "task-001"): [(0.0, 0), (0.0, 0), (0.0, 0), (0.0, 0), (0.0, 0), (0.5, 1)],
            ("full-history", "task-000"): [(0.5, 1), (1.0, 1)],
            ("full-history", "task-001"): [(1.0, 1)],
        },
    )


def values(panel: StepPanel, strategy: str) -> dict[int, float]:
    (curve,) = [curve for curve in panel.curves if curve.strategy == strategy]
    return {point.step: point.value for point in curve.points}


def test_progress_is_the_best_so_far_and_is_carried_on(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    (panel,) = find_step_curves(two, steps, "progress", 2)
    assert values(panel, "bm25") == {1: 0.25, 2: 0.25, 3: 0.25, 4: 0.5, 5: 0.5, 6: 0.75}
    assert values(panel, "full-history") == {1: 0.75, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1}
    assert [curve.strategy for curve in panel.curves] == ["full-history", "bm25"]


def test_executability_counts_the_steps_of_those_who_got_so_far(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    (panel,) = find_step_curves(two, steps, "executability", 2)
    assert values(panel, "bm25") == {2: 0.25, 4: 0.5, 6: 0.5}
    assert values(panel, "full-history") == {2: 1.0}
    (curve,) = [curve for curve in panel.curves if curve.strategy == "bm25"]
    assert [point.n for point in curve.points] == [4, 4, 2]


def test_success_by_cap_is_what_a_smaller_cap_would_have_won(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    (panel,) = find_step_curves(two, steps, "success-by-cap")
    assert values(panel, "bm25") == {1: 0, 2: 0, 3: 0, 4: 0.5, 5: 0.5, 6: 0.5}
    assert values(panel, "full-history")[1] == 0.5


def test_repeats_are_averaged_first(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    again = two[two["task"] == "task-000"].assign(seed=1)
    both = pd.concat([two, again], ignore_index=True)
    more = steps[steps["task"] == "task-000"].assign(seed=1, progress=0.0)
    (panel,) = find_step_curves(both, pd.concat([steps, more], ignore_index=True), "progress")
    assert values(panel, "bm25")[6] == pytest.approx((0.5 + 0.5) / 2)
    assert {curve.tasks for curve in panel.curves} == {2}


def test_unscored_trials_are_left_out_and_counted(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    lost = (two["strategy"] == "bm25") & (two["task"] == "task-001")
    two.loc[lost, "scored"] = False
    (panel,) = find_step_curves(two, steps, "progress")
    assert values(panel, "bm25")[4] == 1.0
    assert "1 trials without a score are left out" in render_step_curves((panel,))


def test_unknown_progress_is_no_progress(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    steps["progress"] = float("nan")
    (panel,) = find_step_curves(two, steps, "progress")
    assert set(values(panel, "bm25").values()) == {0.0}


def test_text_and_csv_agree(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    found = find_step_curves(two, steps, "progress", 2)
    lines = list(csv.DictReader(io.StringIO(render_step_curves(found, "csv"))))
    assert len(lines) == 12
    assert {line["kind"] for line in lines} == {"progress"}
    shown = next(line for line in render_step_curves(found).splitlines() if line.startswith("bm25"))
    assert shown.split() == ["bm25", "2", "25.0", "50.0", "75.0"]


def test_what_has_no_episodes_is_refused(two: pd.DataFrame, steps: pd.DataFrame) -> None:
    for items in (two.assign(item="q1"), two.assign(scored=False)):
        with pytest.raises(UsageError, match="figure progress: expected episodes with a score, got none"):
            find_step_curves(items, steps, "progress")
    with pytest.raises(UsageError, match="at least 1 step, got 0"):
        find_step_curves(two, steps, "progress", 0)
    with pytest.raises(UsageError, match="did you mean progress"):
        find_step_curves(two, steps, "progres")
