"""Runs as data frames: a row an item, numbers only where something was scored."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from bench.errors import StoreError
from bench.store.database import Plan, Store
from bench.store.dataframe import read_items
from bench.store.orders import name_order, write_order
from bench.types import EndReason, Fingerprint, Item, Score, Status, Task, Timings, Trial, TrialKey


def key(task: str, strategy: str = "window") -> TrialKey:
    return TrialKey("toy", "houses", task, strategy, "offline/reader")


def task(name: str) -> Task:
    return Task(name, "toy-v1", "houses", f"group of {name}", f"cluster of {name}", optimal_steps=4)


def item(name: str, value: float | None) -> Item:
    return Item(name, "asked", "c", (Score("success", value), Score("f1", 0.5)))


@pytest.fixture
def frame(tmp_path: Path) -> pd.DataFrame:
    with Store(tmp_path / "run") as store:
        store.plan([Plan(key(name), task(name)) for name in ("a", "b", "c", "d")])
        store.finish(
            Trial(
                key("a"),
                Status.DONE,
                EndReason.ANSWERED,
                (item("q1", 1.0), item("q2", None)),
                fingerprint=Fingerprint.of(x="1"),
                wall_s=10.0,
                timings=Timings(4.0, 3.0, 2.0),
            )
        )
        store.finish(Trial(key("b"), Status.STRATEGY_ERROR, EndReason.ERROR, (item("b", 0.0),), error="boom"))
        store.finish(Trial(key("c"), Status.MODEL_ERROR, EndReason.ERROR, error="429"))
    return read_items([tmp_path / "run"])


def test_a_row_for_each_item_in_the_order_of_the_keys(frame: pd.DataFrame) -> None:
    assert frame[["task", "item", "status", "scored"]].values.tolist() == [
        ["a", "q1", "done", True], ["a", "q2", "done", True], ["b", "b", "strategy-error", True],
        ["c", "c", "model-error", False], ["d", "d", "planned", False],
    ]  # fmt: skip
    assert frame["success"].isna().tolist() == [False, True, False, True, True]
    assert frame["error"].tolist() == ["", "", "boom", "429", ""]


def test_items_split_by_their_own_group_else_by_their_task_s(frame: pd.DataFrame) -> None:
    assert frame["group"].tolist() == ["asked", "asked", "asked", "group of c", "group of d"]
    assert frame["cluster"].tolist() == ["c", "c", "c", "cluster of c", "cluster of d"]
    assert set(frame["optimal_steps"]) == {4}


def test_what_is_left_of_the_wall_time_is_the_harness_s(frame: pd.DataFrame) -> None:
    assert frame["wall_harness_s"][0] == 1.0
    assert pd.isna(frame["wall_harness_s"][4])
    assert json.loads(frame["fingerprint"][0]) == {"x": "1"}
    assert bool(frame["offline"].all())


def test_runs_are_joined_by_name(frame: pd.DataFrame, tmp_path: Path) -> None:
    with Store(tmp_path / "more") as store:
        store.plan([Plan(key("a"), task("a"))])
    both = read_items([tmp_path / "run", tmp_path / "more"])
    assert len(both) == len(frame) + 1
    assert set(both["run"]) == {"run", "more"}
    assert read_items([]).empty
    with pytest.raises(StoreError):
        read_items([tmp_path / "run", tmp_path / "none"])


def test_places_of_a_stream_stand_behind_the_scores_of_the_first_item(tmp_path: Path) -> None:
    more = Item("b", "asked", "c", (Score("late", 2.0), Score("success", 0.0)))
    with Store(tmp_path) as store:
        store.plan([Plan(key(name), task(name)) for name in ("a", "b")])
        store.set_meta(name_order(0), write_order({"toy": ["b", "a"]}))
        store.finish(Trial(key("a"), Status.DONE, EndReason.ANSWERED, (item("a", 1.0),)))
        store.finish(Trial(key("b"), Status.DONE, EndReason.ANSWERED, (more,)))
    frame = read_items([tmp_path])
    assert frame.columns[-4:].tolist() == ["success", "f1", "place", "late"]
    assert frame["place"].tolist() == [2, 1]
    assert frame["success"].tolist() == [1.0, 0.0]
