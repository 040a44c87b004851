"""What a user asks a table for: columns, rows, groups and repeats, in every format."""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections.abc import Callable

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.columns import find_column
from bench.report.table import FORMATS, Selection, build_table, render_table
from bench.scoring.catalog import METRICS


def ask(frame: pd.DataFrame, style: str = "md", width: int = 120, **what: object) -> str:
    return render_table(build_table(frame, reference="full-history", selection=Selection(**what)), style, width=width)  # type: ignore[arg-type]


def head(text: str) -> list[str]:
    return [cell.strip() for cell in text.splitlines()[2].strip("| ").split("|")]


def test_columns_stand_as_they_were_named(items: pd.DataFrame) -> None:
    text = ask(items, columns=("tokens", "success %", "progress_rate", "P adj.", "n", "#"))
    assert head(text) == ["strategy", "tokens", "success %", "progress %", "p adj.", "n", "#"]


def test_empty_column_that_was_asked_for_is_shown(items: pd.DataFrame) -> None:
    assert "| strategy | bleu-1 % | cached |" in ask(items, columns=("bleu-1", "cached_tokens"))
    for width in (20, 60):
        rich = ask(items, "rich", width=width, columns=("success", "bleu-1", "steps", "calls", "judge", "tokens"))
        assert all(
            word in rich.splitlines()[1] for word in ("success %", "bleu-1 %", "steps", "calls", "judge %", "tokens")
        )
        assert "Left out" not in rich


@pytest.mark.parametrize("style", FORMATS)
def test_every_metric_of_the_catalogue_is_reachable(items: pd.DataFrame, style: str) -> None:
    names = tuple(
        m.name.replace("{k}", "7").replace("{role}", "success").replace("{kind}", "words")
        for m in METRICS
        if m.name != "macro_{role}"
    )
    text = ask(items.assign(**{"bleu-1": 0.125}), style, columns=(*names, "macro_progress"))
    assert ("0.125" if style in ("csv", "json") else "12.5") in text
    if style == "csv":
        assert set(next(csv.reader(io.StringIO(text)))) >= {find_column(name).record_keys[0] for name in names}
    elif style == "json":
        assert set(json.loads(text)[0]) >= {find_column(name).record_keys[0] for name in names}
    else:
        assert all(
            find_column(name)
            .header.replace("%", "\\%" if style == "latex" else "%")
            .replace("_", "\\_" if style == "latex" else "_")
            .split(" ")[0]
            in text
            for name in names
        )


def test_unknown_column_names_the_nearest(items: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="expected a column, got 'sucess'; did you mean success"):
        ask(items, columns=("sucess",))


def test_score_that_no_entry_describes_is_a_column(items: pd.DataFrame) -> None:
    assert "| full-history | 0.250 |" in ask(items.assign(odd_score=0.25), columns=("odd_score",))


def test_incomplete_row_brings_its_n(full: pd.DataFrame) -> None:
    assert head(ask(full, columns=("success",))) == ["strategy", "n", "success %"]


def test_rows_stand_in_the_order_asked_and_patterns_fit(items: pd.DataFrame) -> None:
    found = build_table(items, selection=Selection(rows=("no-memory", "*w*:k=5", "bm25", "bm25")))
    assert [row.strategy for row in found.rows] == ["no-memory", "window:k=5", "bm25"]
    assert [row.rank for row in found.rows] == [3, 1, 2]
    for wrong in ("bm52", "bm52*"):
        with pytest.raises(UsageError, match="did you mean bm25"):
            build_table(items, selection=Selection(rows=(wrong,)))


def test_rows_that_are_not_shown_count_as_tests_all_the_same(items: pd.DataFrame) -> None:
    whole = {row.strategy: row.test for row in build_table(items, reference="full-history").rows}
    found = build_table(items, reference="full-history", selection=Selection(rows=("bm25",)))
    assert found.rows[0].test == whole["bm25"]
    assert any("Holm over the 4 strategies" in note for note in found.notes)


def test_repeats_are_counted_and_their_spread_is_shown(build: Callable[..., pd.DataFrame]) -> None:
    frame = build(30, seeds=(0, 1, 2))
    found = build_table(frame)
    mine = frame[frame["strategy"] == "bm25"]
    row = next(row for row in found.rows if row.strategy == "bm25")
    assert row.value("success_spread") == pytest.approx(statistics.stdev(mine.groupby("seed")["success"].mean()))
    text = render_table(found, "md")
    assert "90/90 (30 × 3)" in text
    assert "| run sd % |" in text
    assert "run sd: standard deviation" in text
    assert "run sd" not in render_table(build_table(build(30)), "md")


def test_macro_mean_counts_each_group_once(items: pd.DataFrame) -> None:
    frame = items[~((items["group"] == "heat") & (items["task"] > "task-010"))]
    found = build_table(frame, selection=Selection(columns=("macro_success", "macro_tokens")))
    row = next(row for row in found.rows if row.strategy == "bm25")
    mine = frame[frame["strategy"] == "bm25"].groupby("group")
    assert row.value("macro_success") == pytest.approx(mine["success"].mean().mean())
    assert row.value("macro_success") != pytest.approx(row.value("success"))
    assert head(render_table(found, "md")) == ["strategy", "macro success %", "macro tokens"]


def test_macro_mean_is_unknown_where_a_group_is(items: pd.DataFrame) -> None:
    lost = (items["group"] == "heat") & (items["strategy"] == "bm25")
    frame = items.assign(scored=~lost, success=items["success"].where(~lost))
    found = {row.strategy: row for row in build_table(frame, selection=Selection(columns=("macro_success",))).rows}
    assert found["bm25"].value("macro_success") is None
    assert found["embedding"].value("macro_success") is not None


def test_episodes_and_questions_have_columns_of_their_own(items: pd.DataFrame) -> None:
    talks = items.assign(suite="talks-v1", f1=0.5, adversarial=0.5, task="talk", fingerprint="{}")
    talks = talks.drop(columns=[name for name in talks if name.startswith(("step", "progress", "valid"))])
    text = render_table(build_table(pd.concat([items, talks]), reference="full-history"), "md")
    first, second = (part for part in text.split("### ") if part)
    assert "steps" in first.splitlines()[2]
    assert "F1 %" not in first.splitlines()[2]
    assert "F1 %" in second.splitlines()[2]
    assert "steps" not in second.splitlines()[2]
    assert [text.count(note) for note in ("- n: scored", "F1: word overlap")] == [1, 1]
    rich = render_table(build_table(pd.concat([items, talks]), reference="full-history"), width=100)
    assert rich.count("All definitions:") == 1


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda frame: frame[frame["strategy"] == "bm25"],
        lambda frame: frame[frame["task"] == "task-000"],
        lambda frame: frame[(frame["strategy"] == "bm25") == (frame["task"] < "task-003")],
        lambda frame: frame.assign(success=1.0, progress=1.0),
        lambda frame: frame.assign(scored=False, success=float("nan"), progress=float("nan")),
        lambda frame: frame.assign(progress=float("nan")),
        lambda frame: frame.assign(task=frame["task"] + "x" * 5000, item=frame["task"], group="g" * 5000),
        lambda frame: frame.assign(strategy=frame["strategy"] + "-" + "x" * 5000),
    ],
    ids=["one row", "one task", "no pairs", "ties", "unscored", "NaN progress", "long task", "long strategy"],
)
def test_table_of_odd_items_is_printed(
    build: Callable[..., pd.DataFrame], spoil: Callable[..., pd.DataFrame], style: str
) -> None:
    frame = spoil(build(6))
    for selection in (Selection(), Selection(columns=("success", "progress", "p adj."), by_group=True)):
        reference = "full-history" if "full-history" in set(frame["strategy"]) else None
        text = render_table(build_table(frame, reference=reference, selection=selection), style)
        assert all(row[:4] in text for row in frame["strategy"].unique())
        assert "nan" not in text.lower().replace("finance", "")
