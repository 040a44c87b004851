"""The order effect of a stream: thirds of each order, means and ranges over orders, nothing where it is no stream."""

from __future__ import annotations

import json
from collections.abc import Callable

import pandas as pd
import pytest

from bench.report.row import Row
from bench.report.table import Selection, build_table, render_table


def order(frame: pd.DataFrame, backwards: int = 1) -> pd.DataFrame:
    """Return the frame as a stream: seed ``backwards`` plays the tasks from the last to the first."""
    number = frame["task"].str.removeprefix("task-").astype(int)
    count = number.max() + 1
    return frame.assign(place=(number + 1).where(frame["seed"] != backwards, count - number))


def win(frame: pd.DataFrame, *numbers: int) -> pd.DataFrame:
    """Return the frame in which these tasks alone are won by everybody."""
    return frame.assign(success=frame["task"].isin([f"task-{n:03}" for n in numbers]).astype(float))


def find(frame: pd.DataFrame, strategy: str = "bm25", group: str = "all") -> Row:
    rows = build_table(frame, selection=Selection(by_group=group != "all")).rows
    return next(row for row in rows if (row.strategy, row.group) == (strategy, group))


def list_values(row: Row) -> list[float | None]:
    names = ("success_first_third", "success_last_third", "last_third_lowest", "last_third_highest")
    return [row.value(name) for name in names]


def test_thirds_are_averaged_within_each_order_and_their_range_is_over_orders(
    build: Callable[..., pd.DataFrame],
) -> None:
    items = win(order(build(7, seeds=(0, 1))), 0, 4, 5, 6)
    # 7 tasks have thirds of three: seed 0 begins with 0, 1, 2 and ends with 4, 5, 6; seed 1 the other way round.
    assert list_values(find(items)) == pytest.approx([(1 / 3 + 1) / 2, (1 + 1 / 3) / 2, 1 / 3, 1.0])


def test_one_order_has_no_range(build: Callable[..., pd.DataFrame]) -> None:
    items = win(order(build(6)), 5)
    assert list_values(find(items)) == [0.0, 0.5, None, None]


def test_group_takes_its_tasks_from_the_thirds_of_the_whole_order(build: Callable[..., pd.DataFrame]) -> None:
    items = win(order(build(9)), 6, 7)  # the last third is 6, 7, 8, one task of each group
    assert [find(items, group=group).value("success_last_third") for group in ("clean", "heat", "pick")] == [1, 1, 0]


def test_third_with_a_trial_that_has_no_score_is_unknown(
    build: Callable[..., pd.DataFrame], lost: Callable[..., pd.DataFrame]
) -> None:
    items = lost(order(build(6)), "bm25", "task-005")
    assert find(items).value("success_first_third") is not None
    assert find(items).value("success_last_third") is None
    assert find(items, "window:k=5").value("success_last_third") is not None


def test_table_without_a_stream_has_no_thirds(build: Callable[..., pd.DataFrame]) -> None:
    text = render_table(build_table(build(6)), "md")
    assert "third" not in text
    assert "third" not in render_table(build_table(build(6).assign(place=float("nan"))), "json")


def test_columns_and_their_definition_are_in_every_format(build: Callable[..., pd.DataFrame]) -> None:
    table = build_table(win(order(build(6, seeds=(0, 1))), 5))
    text = render_table(table, "md")
    assert "| first third % | last third % | lowest % | highest % |" in text
    assert "lowest, highest: the last third of one order" in text
    record = json.loads(render_table(table, "json"))[0]
    assert (record["success_last_third"], record["last_third_lowest"], record["last_third_highest"]) == (0.25, 0, 0.5)
