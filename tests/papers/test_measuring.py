"""Our number for a cell: means, means of groups, shares of another strategy, paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pytest

from bench.papers.matching import Cell
from bench.papers.measuring import RunItems
from bench.papers.recipe import MetricEntry, StrategyEntry, SubsetEntry
from bench.stats.wilcoxon import signed_rank

STEPS = {"full-history": (10.0, 20.0, 30.0, 40.0), "window": (5.0, 20.0, 12.0, 44.0)}
GROUPS = ("a", "a", "a", "b")


def make_items(strategies: Sequence[str] = tuple(STEPS), **columns: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """Four tasks in two groups, played once by each strategy; ``columns``: scores by strategy."""
    rows: list[dict[str, Any]] = []
    for strategy in strategies:
        for place, group in enumerate(GROUPS):
            scores = {name: values[strategy][place] for name, values in {"steps": STEPS, **columns}.items()}
            rows.append(
                {
                    "run": "r", "suite": "toy", "split": "houses", "task": f"t{place}", "item": f"t{place}",
                    "strategy": strategy, "model": "m", "seed": 0, "attempt": 1, "offline": False, "status": "done",
                    "scored": True, "end": "won", "error": "", "group": group, "cluster": f"t{place}",
                    "fingerprint": "{}", "success": float(place < 3), **scores,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def make_cell(ours: str = "steps", strategy: str = "window", **fields: Any) -> Cell:
    subset = {name: fields.pop(name) for name in ("groups", "average", "suite") if name in fields}
    return Cell("r", StrategyEntry(ours=strategy), SubsetEntry(**subset), MetricEntry(ours=ours, **fields))


def measure(cell: Cell, items: pd.DataFrame | None = None) -> Any:
    return RunItems({"r": make_items() if items is None else items}).measure(cell)


def test_mean_of_a_share_is_percent_with_an_interval() -> None:
    found = measure(make_cell("success"))
    assert (found.value, found.n, found.n_planned, found.model) == (75.0, 4, 4, "m")
    assert 0 < found.low < 75 < found.high < 100
    steps = measure(make_cell())
    assert steps.value == pytest.approx(20.25)
    assert steps.low < 20.25 < steps.high


def test_groups_choose_tasks_and_one_task_has_no_interval() -> None:
    assert measure(make_cell(groups=("a",))).value == pytest.approx(37 / 3)
    one = measure(make_cell(groups=("b",)))
    assert (one.value, one.n, one.low) == (44.0, 1, None)


def test_average_of_groups_weighs_them_equally() -> None:
    found = measure(make_cell(average="groups"))
    assert found.value == pytest.approx((37 / 3 + 44) / 2)
    assert found.low < found.value < found.high


def test_relative_is_the_share_of_sums_on_common_tasks() -> None:
    relative = {"statistic": "relative", "against": ("full-history",)}
    assert measure(make_cell(**relative)).value == pytest.approx(81.0)
    by_group = measure(make_cell(average="groups", **relative))
    assert by_group.value == pytest.approx(100 * (37 / 60 + 44 / 40) / 2)
    alone = measure(make_cell(**relative), make_items(("window",)))
    assert alone.value is None
    assert "cannot be known" in alone.why


def test_relative_finds_the_other_strategy_in_another_run() -> None:
    frames = {"r": make_items(("window",)), "s": make_items(("full-history",))}
    cell = make_cell(statistic="relative", against=("full-history",))
    assert RunItems(frames).measure(cell).value == pytest.approx(81.0)


def test_lowest_and_highest_take_one_of_several() -> None:
    names = ("full-history", "window")
    values = [measure(make_cell(statistic=one, against=names)).value for one in ("lowest", "highest")]
    assert values == pytest.approx([81.0, 100.0])


def test_paired_test_gives_rank_sum_and_p_of_the_pairs() -> None:
    expected = signed_rank([5 - 10, 0, 12 - 30, 44 - 40])
    w = measure(make_cell(statistic="wilcoxon-w", against=("full-history",)))
    p = measure(make_cell(statistic="wilcoxon-p", against=("full-history",)))
    assert (w.value, w.n, w.n_nonzero) == (expected.statistic, 4, 3)
    assert p.value == pytest.approx(expected.p)
    assert measure(make_cell(statistic="wilcoxon-w", against=("bm25",))).why == "no task was scored for both"


def test_or_else_fills_items_without_the_first_metric() -> None:
    nan = float("nan")
    first = dict.fromkeys(STEPS, (1.0, 0.0, nan, nan))
    second = dict.fromkeys(STEPS, (nan, nan, 1.0, 1.0))
    items = make_items(judge_accuracy=first, judge_adversarial=second)
    assert measure(make_cell("judge_accuracy"), items).value == 50.0
    filled = measure(make_cell("judge_accuracy", or_else="judge_adversarial"), items)
    assert (filled.value, filled.n) == (75.0, 4)


def test_marked_row_counts_as_its_strategy() -> None:
    items = make_items()
    items.loc[items["strategy"] == "window", "fingerprint"] = '{"row.marks": "leak"}'
    assert measure(make_cell(), items).value == pytest.approx(20.25)


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        (make_cell(strategy="bm25"), "no such task was played, or the strategy was left out"),
        (make_cell(groups=("z",)), "no such task was played, or the strategy was left out"),
        (make_cell("judge_accuracy"), "no judge: add --judge"),
        (make_cell("progress"), "no progress was recorded"),
    ],
)
def test_measure_says_why_there_is_no_number(cell: Cell, why: str) -> None:
    found = measure(cell)
    assert (found.value, found.why) == (None, why)


def test_unscored_tasks_and_left_out_runs_are_named() -> None:
    items = make_items()
    items["scored"] = False
    assert measure(make_cell(), items).why == "no task of it was scored"
    assert RunItems({}, {"r": "its data is missing"}).measure(make_cell()).why == "its data is missing"


def test_equal_values_have_no_interval() -> None:
    items = make_items(progress=dict.fromkeys(STEPS, (0.5,) * 4))
    found = measure(make_cell("progress"), items)
    assert (found.value, found.low, found.high) == (50.0, None, None)
