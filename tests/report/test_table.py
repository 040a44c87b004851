"""Rows, their tests, and the five formats against golden files."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.table import FORMATS, Selection, build_table, render_table
from bench.stats.holm import holm
from bench.stats.wilcoxon import signed_rank
from bench.stats.wilson import wilson

GOLDEN = Path(__file__).parent / "golden"
WALLS = ("wall_model_s", "wall_env_s", "wall_memory_s", "wall_harness_s", "wall_relative")
CONTRACT = [
    "suite", "split", "group", "strategy", "model", "offline", "n", "n_total", "success_rate", "success_low",
    "success_high", "progress_rate", "steps", "valid_action_rate", "context_tokens_mean", "context_tokens_max",
    "tokens_act", "tokens_write", "tokens_read", "tokens_learn", "tokens_total", "cached_tokens", "cost_usd",
    "calls", "wall_model_s", "wall_env_s", "wall_memory_s", "wall_harness_s", "evidence_recall",
    "evidence_precision", "f1", "judge_accuracy", "p_value", "p_adjusted", "effect_size", "reference",
]  # fmt: skip


def rows_of(frame: pd.DataFrame, **more: object) -> dict[str, dict[str, Any]]:
    return {row["strategy"]: row for row in build_table(frame, **more).records}  # type: ignore[arg-type]


def check_golden(name: str, text: str) -> None:
    """Compare with the committed text; ``UPDATE_GOLDEN=1`` rewrites it."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_row_is_what_its_items_say(items: pd.DataFrame) -> None:
    row = rows_of(items)["bm25"]
    mine = items[items["strategy"] == "bm25"]
    interval = wilson(mine["success"].sum(), 40)
    assert (row["n"], row["n_total"], row["n_tasks"], row["runs"], row["attempt"]) == (40, 40, 40, 1, 1)
    assert row["success_rate"] == pytest.approx(mine["success"].mean())
    assert (row["success_low"], row["success_high"]) == pytest.approx((interval.low, interval.high))
    assert row["tokens_total"] == pytest.approx(mine["tokens_total"].mean())
    assert row["context_tokens_max"] == mine["context_tokens_max"].max()
    assert row["steps_won"] == pytest.approx(mine["steps_won"].mean())
    assert row["cached_tokens"] is None
    assert row["f1"] is None
    assert row["progress_low"] is not None
    assert row["progress_low"] < (row["progress_rate"] or 0) < (row["progress_high"] or 0)
    assert row["ends"] == dict(mine["end"].value_counts())


def test_repeats_are_averaged_per_task_first(build: Callable[..., pd.DataFrame]) -> None:
    frame = build(30, seeds=(0, 1))
    lost = (frame["strategy"] == "bm25") & (frame["seed"] == 1) & (frame["task"] != "task-000")
    row = rows_of(frame[~lost])["bm25"]
    mine = frame[~lost & (frame["strategy"] == "bm25")]
    assert row["success_rate"] == pytest.approx(mine.groupby("task")["success"].mean().mean())
    assert (row["n"], row["n_tasks"], row["runs"]) == (31, 30, 2)
    whole = rows_of(frame)["bm25"]
    assert whole["success_low"] is not None
    assert whole["success_low"] < (whole["success_rate"] or 0)


def test_unscored_trials_are_counted_and_leave_the_row_unranked(full: pd.DataFrame) -> None:
    row = next(r for r in build_table(full).records if r["strategy"] == "bm25" and r["suite"] == "house-v1")
    assert (row["n"], row["n_total"], row["ranked"], row["rank"]) == (23, 24, False, None)
    assert row["statuses"] == {"done": 23, "model-error": 1}
    ranks = [r["rank"] for r in build_table(full).records if r["suite"] == "house-v1"]
    assert ranks[-1] is None
    assert ranks[:4] == [1, 2, 3, 4]


def test_a_row_without_any_score_is_shown_empty(items: pd.DataFrame, lost: Callable[..., pd.DataFrame]) -> None:
    for number in range(40):
        items = lost(items, "bm25", f"task-{number:03}")
    row = rows_of(items, reference="full-history")["bm25"]
    assert (row["n"], row["success_rate"], row["p_value"], row["n_pairs"]) == (0, None, None, 0)


def test_one_missing_usage_makes_the_total_unknown(items: pd.DataFrame) -> None:
    items.loc[(items["strategy"] == "bm25") & (items["task"] == "task-003"), "tokens_total"] = np.nan
    assert rows_of(items)["bm25"]["tokens_total"] is None
    assert rows_of(items)["embedding"]["tokens_total"] is not None


def test_curves_of_early_ends_go_on_at_their_last_value(items: pd.DataFrame) -> None:
    record = rows_of(items)["full-history"]
    mine = items[items["strategy"] == "full-history"]
    assert mine["progress_at_10"].isna().any()
    assert record["progress_at_10"] == pytest.approx(mine["progress"].mean())


def test_tests_are_paired_against_the_reference_and_adjusted(items: pd.DataFrame) -> None:
    rows = rows_of(items, reference="full-history")
    wide = items.pivot_table(index="task", columns="strategy", values="progress")
    expected = {s: signed_rank(list(wide[s] - wide["full-history"])).p for s in rows if s != "full-history"}
    for name, p in expected.items():
        assert rows[name]["p_value"] == pytest.approx(p)
        assert rows[name]["n_pairs"] == 40
        assert (rows[name]["wins"] or 0) + (rows[name]["ties"] or 0) + (rows[name]["losses"] or 0) == 40
    adjusted = holm([expected[name] for name in sorted(expected)])
    assert [rows[name]["p_adjusted"] for name in sorted(expected)] == pytest.approx(list(adjusted))
    assert rows["full-history"]["p_value"] is None
    assert rows["full-history"]["reference"] == "full-history"
    assert (rows["no-memory"]["effect_size"] or 0) < -0.9


def test_unpaired_trial_is_left_out_of_the_test(full: pd.DataFrame) -> None:
    row = next(r for r in build_table(full, reference="full-history").records if r["strategy"] == "bm25")
    assert row["n_pairs"] == 23


def test_group_rows_are_a_family_of_their_own(items: pd.DataFrame) -> None:
    whole = rows_of(items, reference="full-history")
    found = build_table(items, reference="full-history", selection=Selection(by_group=True)).records
    assert {row["group"] for row in found} == {"all", "clean", "heat", "pick"}
    for row in found:
        if row["group"] == "all":
            assert row["p_adjusted"] == whole[row["strategy"]]["p_adjusted"]
    groups = [row for row in found if row["group"] != "all" and row["p_value"] is not None]
    assert [row["p_adjusted"] for row in groups] == list(holm([row["p_value"] for row in groups]))


def test_models_are_never_compared(items: pd.DataFrame) -> None:
    other = items[items["strategy"] != "full-history"].assign(model="gpt", offline=False)
    found = build_table(pd.concat([items, other]), reference="full-history").records
    assert all(row["p_value"] is None for row in found if row["model"] == "gpt")
    assert any(row["p_value"] is not None for row in found if row["model"] != "gpt")


def test_questions_are_paired_by_their_first_graded_score(items: pd.DataFrame) -> None:
    conversation = items.drop(columns=["progress", "progress_at_5", "progress_at_10", "steps"])
    conversation = conversation.assign(task="talk", fingerprint="{}")
    conversation["f1"] = conversation["success"] * 0.5
    found = build_table(conversation, reference="full-history")
    assert {row["test_metric"] for row in found.records} == {"success"}  # what rows are ranked by is what is tested
    assert all(row["n"] == 40 for row in found.records)
    assert any("main score of a question" in note for note in found.notes)


def test_unknown_reference_and_format_name_the_nearest(items: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="did you mean full-history"):
        build_table(items, reference="full-histori")
    with pytest.raises(UsageError, match="did you mean latex"):
        render_table(build_table(items), "latx")


def test_json_has_the_contract_and_is_the_same_but_for_wall_times(items: pd.DataFrame) -> None:
    records = json.loads(render_table(build_table(items, reference="full-history"), "json"))
    names = list(records[0])
    assert [name for name in names if name in CONTRACT] == CONTRACT
    slower = items.assign(wall_model_s=items["wall_model_s"] * 3).sample(frac=1, random_state=1)
    again = json.loads(render_table(build_table(slower, reference="full-history"), "json"))
    assert again != records
    for record in (*records, *again):
        assert all(record.pop(name) is not None for name in WALLS)
    assert again == records


def test_text_formats_do_not_depend_on_wall_times_unless_asked(items: pd.DataFrame) -> None:
    slower = items.assign(wall_model_s=items["wall_model_s"] * 3)
    for timing in (False, True):
        one, other = (build_table(frame, selection=Selection(timing=timing)) for frame in (items, slower))
        for style in ("rich", "md", "csv", "latex"):
            assert (render_table(one, style, width=300) == render_table(other, style, width=300)) is not timing


def test_csv_reads_back(items: pd.DataFrame) -> None:
    found = build_table(items, reference="full-history")
    lines = list(csv.DictReader(io.StringIO(render_table(found, "csv"))))
    assert [line["strategy"] for line in lines] == [row["strategy"] for row in found.records]
    assert float(lines[0]["success_rate"]) == pytest.approx(found.records[0]["success_rate"])
    assert "wall_env_s" not in lines[0]
    assert lines[0]["ends"].startswith("won=")


def test_a_narrow_terminal_leaves_columns_out_and_never_cuts_a_cell(full: pd.DataFrame) -> None:
    found = build_table(full, reference="full-history")
    for width in (60, 80, 100, 140, 220, 260):
        text = render_table(found, "rich", width=width)
        assert all(len(line) <= width for line in text.splitlines())
        for whole in ("full-history", "window:k=5", "23/24", "offline (rule-based)"):
            assert whole in text
        assert "…" not in text
        assert ("Left out at this width" in text) is (width < 220)
        assert "\x1b[" not in text
    assert "\x1b[" in render_table(found, "rich", color=True)


def test_latex_is_escaped(items: pd.DataFrame) -> None:
    named = items.assign(strategy=items["strategy"].str.replace("bm25", "a_b&c%"))
    text = render_table(build_table(named), "latex")
    assert r"a\_b\&c\%" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1


def test_notes_have_tests_power_and_warnings(full: pd.DataFrame) -> None:
    text = "\n".join(build_table(full, reference="full-history").notes)
    for said in (
        "offline (rule-based)",
        "rule wilcox",
        "Holm",
        "80 % power",
        "Unranked",
        "error of the strategy itself",
    ):
        assert said in text
    full.loc[full["strategy"] == "bm25", "estimated_calls"] = 1.0
    assert "estimated by a tokenizer" in "\n".join(build_table(full).notes)
    assert "~" in render_table(build_table(full), "md")


@pytest.mark.parametrize("style", FORMATS)
def test_golden(full: pd.DataFrame, style: str) -> None:
    check_golden(f"table.{style}.txt", render_table(build_table(full, reference="full-history"), style))


def test_golden_by_group(full: pd.DataFrame) -> None:
    check_golden(
        "table_by_group.md.txt",
        render_table(build_table(full, reference="full-history", selection=Selection(by_group=True)), "md"),
    )
