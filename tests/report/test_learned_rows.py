"""Rows of strategies that learned: what it took, whom they recovered, and how they are marked."""

from __future__ import annotations

import json
from collections.abc import Callable

import pandas as pd
import pytest

from bench.report.table import Selection, build_table, render_table
from bench.stats.mcnemar import mcnemar

FIELDS = {
    "row.artifact": "a1", "row.pool": "p1", "row.learned": "4 tasks", "row.build_gather_tokens": "8000",
    "row.build_learn_tokens": "400", "row.build_cost_usd": "unknown",
}  # fmt: skip


def teach(frame: pd.DataFrame, strategy: str, **more: str) -> pd.DataFrame:
    """Return the frame in which one strategy has learned before."""
    items = frame.copy()
    mine = items["strategy"] == strategy
    items.loc[mine, "fingerprint"] = [
        json.dumps({**json.loads(text), **FIELDS, **{f"row.{name}": value for name, value in more.items()}})
        for text in items.loc[mine, "fingerprint"]
    ]
    return items


@pytest.mark.parametrize("tasks", [10, 40])
def test_build_costs_are_per_evaluated_task_and_unknown_money_stays_unknown(
    build: Callable[..., pd.DataFrame], tasks: int
) -> None:
    rows = {row.strategy: row for row in build_table(teach(build(tasks), "bm25")).rows}
    bm25, plain = rows["bm25"], rows["window:k=5"]
    assert bm25.value("tokens_gather") == pytest.approx(8000 / tasks)
    assert bm25.value("tokens_build") == pytest.approx(8400 / tasks)
    assert bm25.value("tokens_with_build") == pytest.approx((bm25.value("tokens_total") or 0) + 8400 / tasks)
    assert bm25.value("build_cost_usd") is None
    assert (plain.value("tokens_build"), plain.value("tokens_with_build")) == (0.0, plain.value("tokens_total"))


def test_recovery_and_regression_are_the_discordant_pairs_of_mcnemar(build: Callable[..., pd.DataFrame]) -> None:
    items = build(40)
    won = {name: part.set_index("task")["success"] for name, part in items.groupby("strategy")}
    gained = int(((won["bm25"] == 1) & (won["no-memory"] == 0)).sum())
    lost = int(((won["bm25"] == 0) & (won["no-memory"] == 1)).sum())
    rows = {(row.strategy, row.group): row for row in build_table(items, selection=Selection(by_group=True)).rows}
    row = rows["bm25", "all"]
    assert (row.value("recovered"), row.value("regressed")) == (gained / 40, lost / 40)
    assert row.value("recovery_p") == mcnemar(gained, lost, 40 - gained - lost).p
    assert rows["bm25", "heat"].value("recovered") is not None
    assert rows["no-memory", "all"].value("recovered") is None


def test_graded_success_has_no_recovery(build: Callable[..., pd.DataFrame]) -> None:
    items = build(10)
    items.loc[0, "success"] = 0.5
    rows = {row.strategy: row for row in build_table(items).rows}
    assert rows["full-history"].value("recovered") is None


def test_columns_of_learning_are_shown_where_something_was_learned_only(build: Callable[..., pd.DataFrame]) -> None:
    plain = render_table(build_table(build(10)), "md")
    taught = render_table(build_table(teach(build(10), "bm25")), "md")
    for header in ("recov. %", "regr. %", "p recov.", "gather", "build", "tokens+build"):
        assert f"| {header} |" not in plain
        assert f"| {header} |" in taught
    assert "bm25 learned from 4 tasks; pool p1, artifact a1." in taught


@pytest.mark.parametrize(
    ("mark", "text"), [("leak", "learned from tasks that it is evaluated on"), ("edited", "changed by hand afterwards")]
)
def test_unfair_rows_are_marked_in_the_table_and_explained(
    build: Callable[..., pd.DataFrame], mark: str, text: str
) -> None:
    table = build_table(teach(build(10), "bm25", marks=mark))
    for style in ("md", "rich"):
        shown = render_table(table, style, width=400)
        assert f"bm25 ({mark})" in shown
        assert text in shown
