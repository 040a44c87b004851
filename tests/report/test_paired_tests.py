"""Two strategies task by task."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from bench.report.aggregate import build_rows
from bench.report.items import prepare, split_blocks
from bench.report.paired_tests import add_tests, pair
from bench.stats.holm import holm
from bench.stats.wilcoxon import signed_rank
from tests.perf.bench_type_one_error import Setting, draw


def test_gains_of_tokens_have_the_sign_of_less_is_better(items: pd.DataFrame) -> None:
    (block,) = split_blocks(prepare(items))
    pairs = pair(block.of("window:k=5"), block.of("full-history"), "tokens_total")
    assert len(pairs.tasks) == 40
    assert pairs.gains == tuple(-difference for difference in pairs.differences)
    assert not pairs.binary
    assert pair(block.of("bm25"), block.of("full-history"), "success").binary


def test_ratios_are_over_the_reference(items: pd.DataFrame) -> None:
    (block,) = split_blocks(prepare(items))
    rows = {row.strategy: row for row in add_tests(build_rows(block), block, "full-history")}
    assert rows["full-history"].value("context_relative") == 1.0
    assert rows["window:k=5"].value("context_relative") == pytest.approx(420 / 1900)
    assert rows["full-history"].test is not None
    assert rows["full-history"].test.p_value is None


def test_block_without_the_reference_is_not_tested(items: pd.DataFrame) -> None:
    (block,) = split_blocks(prepare(items[items["strategy"] != "full-history"]))
    assert all(row.test is None for row in add_tests(build_rows(block), block, "full-history"))


def test_table_prints_the_p_of_the_tests_that_are_simulated(build: Callable[..., pd.DataFrame]) -> None:
    setting = Setting("progress", 40, 1)
    scores, _ = draw(np.random.default_rng(7), setting, 0.2, rivals=4)
    items = build(40)
    names = ["full-history", *sorted(set(items["strategy"]) - {"full-history"})]
    for name, row in zip(names, scores, strict=True):
        items.loc[items["strategy"] == name, "progress"] = row  # by task, in order
    (block,) = split_blocks(prepare(items))
    rows = {row.strategy: row for row in add_tests(build_rows(block), block, "full-history")}
    expected = [signed_rank((row - scores[0]).tolist()).p for row in scores[1:]]
    tests = [rows[name].test for name in names[1:]]
    assert [test and test.p_value for test in tests] == expected
    assert [test and test.p_adjusted for test in tests] == list(holm(expected))
