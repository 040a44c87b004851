"""Rows whose roles have other models: named in every form of a table, and never taken for what they are not."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from bench.report.frontier import find_frontiers
from bench.report.frontier_text import render_frontier
from bench.report.role_models import describe_role_models
from bench.report.table import build_table, render_table

DEFINITION = "offline (rule-based): a fixed program read the prompts, not a language model"
SILENT = "say nothing about any model"


def mixed(items: pd.DataFrame, acting: str, navigator: str) -> pd.DataFrame:
    """The row bm25 with a navigator of its own, beside one without, both under an acting model."""
    rows = items[items["strategy"].isin(["bm25", "embedding"])].assign(model=acting)
    offline = acting.startswith("offline/")
    mine = rows["strategy"] == "bm25"
    rows["offline"] = offline | (mine & navigator.startswith("offline/"))
    rows.loc[mine, "fingerprint"] = rows.loc[mine, "fingerprint"].map(
        lambda text: json.dumps({**json.loads(text), "row.model.navigate": navigator, "row.model.plan": navigator})
    )
    for role, tokens, cost in (("navigate", 100.0, 0.25), ("plan", 20.0, 0.5)):
        rows.loc[mine, [f"tokens_role_{role}", f"cost_usd_role_{role}"]] = tokens, cost
    return rows


@pytest.mark.parametrize(
    ("acting", "navigator", "title", "offline", "says", "definition", "silent"),
    [
        ("big", "small", "big", False, "navigate, plan by small (120 tokens, US$ 0.75 per task).", False, False),
        (
            "big", "offline/reader", "big", True,
            "navigate, plan by offline/reader, offline (rule-based) (120 tokens, US$ 0.75 per task).", True, False,
        ),
        (
            "offline/reader", "small", "offline/reader, offline (rule-based)", True,
            "navigate, plan by small (120 tokens, US$ 0.75 per task); all else by offline/reader, offline "
            "(rule-based).",
            True, True,
        ),
    ],
)  # fmt: skip
def test_table_says_who_did_what(
    items: pd.DataFrame,
    acting: str,
    navigator: str,
    title: str,
    offline: bool,
    says: str,
    definition: bool,
    silent: bool,
) -> None:
    table = build_table(mixed(items, acting, navigator))
    (section,) = table.sections
    assert section.title == f"house-v1 · test · {title}"
    rows = {row["strategy"]: row for row in table.records}
    assert rows["bm25"]["offline"] is offline
    assert rows["bm25"]["role_models"] == {"navigate": navigator, "plan": navigator}
    assert rows["embedding"]["role_models"] is None
    assert rows["embedding"]["offline"] is acting.startswith("offline/")
    assert (rows["bm25"]["tokens_role_plan"], rows["embedding"]["tokens_role_plan"]) == (20.0, None)
    for lines in (table.legend, table.notes):
        assert f"bm25: calls of role {says}" in lines
        assert any(line.startswith(DEFINITION) for line in lines) is definition
    assert any(SILENT in line for line in table.notes) is silent
    for style in ("rich", "md", "latex"):
        assert "calls of role navigate" in render_table(table, style, width=400)
    assert f'"navigate": "{navigator}"' in render_table(table, "json")
    assert f"navigate={navigator};plan={navigator}" in render_table(table, "csv")


def test_row_without_a_score_is_labelled_too(items: pd.DataFrame) -> None:
    rows = mixed(items, "big", "offline/reader").assign(scored=False, status="model-error")
    row = next(row for row in build_table(rows).rows if row.strategy == "bm25")
    assert (row.offline, row.role_models) == (True, {"navigate": "offline/reader", "plan": "offline/reader"})


def test_frontier_says_who_did_what(items: pd.DataFrame) -> None:
    text = render_frontier(find_frontiers(mixed(items, "big", "offline/reader")), "md")
    assert "- bm25: calls of role navigate, plan by offline/reader, offline (rule-based)." in text
    assert DEFINITION in text
    plain = render_frontier(find_frontiers(mixed(items, "big", "small")), "md")
    assert "- bm25: calls of role navigate, plan by small." in plain
    assert DEFINITION not in plain


def test_tokens_that_are_unknown_are_not_printed(items: pd.DataFrame) -> None:
    rows = mixed(items, "big", "small")
    first = rows.index[rows["strategy"] == "bm25"][0]
    rows.loc[first, ["tokens_role_plan", "cost_usd_role_plan"]] = float("nan")
    assert "bm25: calls of role navigate, plan by small." in build_table(rows).notes


def test_several_models_are_named_one_by_one() -> None:
    by_role = {"update": "b/two", "navigate": "a/one", "extract": "b/two"}
    assert describe_role_models("mem0", "c", by_role) == (
        "mem0: calls of role navigate by a/one; extract, update by b/two."
    )
