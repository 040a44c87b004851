"""Items to rows: how the catalogue's ways of averaging are carried out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bench.report.aggregate import average, build_rows
from bench.report.items import Block, prepare, split_blocks
from bench.report.row import Row


def block_of(frame: pd.DataFrame) -> Block:
    (block,) = split_blocks(prepare(frame))
    return block


def row_of(frame: pd.DataFrame, strategy: str = "bm25") -> Row:
    return next(row for row in build_rows(block_of(frame)) if row.strategy == strategy)


def test_strict_mean_is_unknown_if_one_item_lacks_the_score(items: pd.DataFrame) -> None:
    first = (items["strategy"] == "bm25") & (items["task"] == "task-000")
    items.loc[first, ["tokens_act", "steps"]] = np.nan
    row = row_of(items)
    assert row.value("tokens_act") is None
    assert row.value("steps") == pytest.approx(items.loc[items["strategy"] == "bm25", "steps"].mean())


def test_maximum_is_the_largest_of_any_item(items: pd.DataFrame) -> None:
    first = (items["strategy"] == "bm25") & (items["task"] == "task-000")
    items.loc[first, "context_tokens_max"] = 9e6
    assert row_of(items).value("context_tokens_max") == 9e6


def test_score_without_an_entry_is_averaged_plainly(items: pd.DataFrame) -> None:
    items["length"] = range(len(items))
    mine = items.loc[items["strategy"] == "bm25", "length"]
    assert row_of(items).value("length") == pytest.approx(mine.mean())


def test_average_of_a_metric_is_that_of_the_row(items: pd.DataFrame) -> None:
    block = block_of(items)
    assert average(block.of("bm25"), "success") == row_of(items).value("success")


def test_rows_come_best_first_and_unranked_last(full: pd.DataFrame) -> None:
    rows = build_rows(split_blocks(prepare(full))[0])
    ranks = [row.rank for row in rows]
    assert ranks == [1, 2, 3, 4, None]
    values = [row.value("success") or 0.0 for row in rows[:4]]
    assert values == sorted(values, reverse=True)
