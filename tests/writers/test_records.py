"""What every tracker is given: the rows of the table, and its files."""

from __future__ import annotations

from pathlib import Path

from bench.report.table import build_table, choose_reference
from bench.store.dataframe import read_items
from bench.writers.records import describe_rows, write_files


def test_rows_have_their_settings_and_the_numbers_of_the_table(played: Path) -> None:
    frame = read_items([played])
    table = {row.strategy: row for row in build_table(frame, reference=choose_reference(frame)).rows}
    found = {row.settings["strategy"]: row for row in describe_rows([played])}
    assert set(found) == set(table) == {"window:k=2", "full-history"}
    for name, row in found.items():
        assert row.settings["model"] == "offline/reader"
        assert row.settings["fingerprint.env.step_cap"] == "30"
        assert row.metrics["success"] == table[name].value("success")
        assert row.metrics["tokens_total"] == table[name].value("tokens_total")
        assert row.metrics["success_low"] <= row.metrics["success"] <= row.metrics["success_high"]
    assert "p_value" in found["window:k=2"].metrics
    assert "p_value" not in found["full-history"].metrics


def test_wall_times_are_left_out_unless_asked_for(played: Path) -> None:
    assert not [name for row in describe_rows([played]) for name in row.metrics if name.startswith("wall_")]
    assert all("wall_model_s" in row.metrics for row in describe_rows([played], timing=True))


def test_files_are_the_table_and_the_frontier(played: Path, tmp_path: Path) -> None:
    names = [path.name for path in write_files([played], tmp_path)]
    assert names == ["frontier.csv", "frontier.svg", "table.csv", "table.json", "table.md"]
    assert "window:k=2" in (tmp_path / "table.md").read_text()
