"""What stands below a table: a short legend on a terminal, every definition elsewhere."""

from __future__ import annotations

import pandas as pd
import pytest

from bench.report.table import build_table, render_table
from bench.scoring.metric_names import find_metric


def test_legend_is_short_and_says_what_is_alarming(full: pd.DataFrame) -> None:
    table = build_table(full, reference="full-history")
    assert len(table.legend) == 4
    assert len(table.legend) < len(table.notes)
    for part in ("scored/planned tasks", "success: ", "against full-history", "offline", "Unranked", "2 trials ended"):
        assert part in " ".join(table.legend)


def test_legend_of_a_plain_table_is_one_line(items: pd.DataFrame) -> None:
    assert len(build_table(items.assign(offline=False)).legend) == 1


def test_rich_table_prints_all_notes_on_request(items: pd.DataFrame) -> None:
    table = build_table(items)
    short, long = (" ".join(render_table(table, full_notes=full).split()) for full in (False, True))
    for note in table.notes:
        assert " ".join(note.split()) in long
    assert "Smallest paired difference" not in short


@pytest.mark.parametrize(("calls", "shown"), [(2.0, "2"), (2.345, "2.35"), (1234.5, "1,234")])
def test_legend_counts_the_calls_without_a_usage(items: pd.DataFrame, calls: float, shown: str) -> None:
    strategies = sorted(items["strategy"].unique())
    items = items.assign(unreported_calls=(items["strategy"] == strategies[0]) * calls)
    expected = f"No tokens (–) where a usage was not reported; such calls per task: {strategies[0]} {shown}."
    assert expected in " ".join(build_table(items).legend)


def test_definition_of_a_visible_column_is_noted_once(items: pd.DataFrame) -> None:
    metric = find_metric("context_tokens_mean")
    assert metric is not None
    assert build_table(items).notes.count(metric.definition) == 1
    without = items.drop(columns=["context_tokens_mean", "context_tokens_max"])
    assert metric.definition not in build_table(without).notes


def test_difference_that_nothing_can_reach_is_not_noted(items: pd.DataFrame) -> None:
    one = items[items["task"] == "task-000"]
    assert not [note for note in build_table(one).notes if note.startswith("Smallest")]
    assert [note for note in build_table(items).notes if note.startswith("Smallest")]


def test_notices_about_the_data_stand_below_a_table_and_in_its_records(items: pd.DataFrame) -> None:
    noted = items.assign(fingerprint='{"env.notices": "f.json: not shown: 2\\nf.json: speaker unknown: 1"}')
    table = build_table(noted)
    for lines in (table.legend, table.notes):
        assert [line for line in lines if line.startswith("Data:")] == [
            "Data: f.json: not shown: 2.",
            "Data: f.json: speaker unknown: 1.",
        ]
    assert {record["notices"] for record in table.records} == {"f.json: not shown: 2 f.json: speaker unknown: 1"}
    assert not any("notices" in record for record in build_table(items).records)
