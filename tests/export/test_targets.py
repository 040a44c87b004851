"""The table of export targets: each line names a writer, and an unknown name is one line."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from bench.export.items import KEY, select_items
from bench.export.targets import TARGETS, Request, load_writer
from tests.conftest import RunBench


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_load_writer_returns_a_function_for_every_target(name: str) -> None:
    assert callable(load_writer(name))


def test_unknown_target_is_one_line_with_the_nearest(bench: RunBench) -> None:
    done = bench("export", "nowhere", "--to", "parqet")
    assert (done.code, done.out) == (2, "")
    assert done.err == "bench: export: expected a format, got 'parqet'; did you mean parquet?\n"


def test_targets_that_are_no_text_need_a_place(bench: RunBench, played: Path) -> None:
    done = bench("export", str(played), "--to", "parquet")
    assert (done.code, done.err) == (2, "bench: export: expected -o PATH for parquet, got none; it is no text\n")


def test_csv_and_json_lines_hold_the_same_items(bench: RunBench, played: Path) -> None:
    csv, lines = (bench("export", str(played), "--to", to).out for to in ("csv", "jsonl"))
    frame = select_items([played])
    for read in (pd.read_csv(io.StringIO(csv)), pd.read_json(io.StringIO(lines), lines=True)):
        assert list(read.columns) == list(frame.columns)
        assert len(read) == len(frame) == 12
        assert read["success"].tolist() == frame["success"].tolist()
    assert list(frame.columns[: len(KEY)]) == KEY


@pytest.mark.needs("pyarrow")
def test_parquet_holds_the_same_items(played: Path, tmp_path: Path) -> None:
    load_writer("parquet")(Request((played,), out=tmp_path / "x.parquet"))
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "x.parquet"), select_items([played]))


@pytest.mark.parametrize("to", ["csv", "hf", "trajectories", "eee"])
def test_folder_that_is_no_run_or_of_a_newer_version_is_one_line(
    to: str, bench: RunBench, played: Path, tmp_path: Path
) -> None:
    (tmp_path / "newer").mkdir()
    (tmp_path / "half").mkdir()
    content = (played / "run.sqlite").read_bytes()
    (tmp_path / "newer" / "run.sqlite").write_bytes(content)
    (tmp_path / "half" / "run.sqlite").write_bytes(content[: len(content) // 2])
    with sqlite3.connect(tmp_path / "newer" / "run.sqlite") as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    db.close()
    for name, said in (
        ("none", "run folder: "),
        ("newer", "run.sqlite: expected schema 1 or 2, got 99"),
        ("half", "run.sql"),
    ):
        done = bench("export", name, "--to", to, "-o", "out")
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), name
        assert done.err.startswith(f"bench: {said}")
        assert not (tmp_path / "out").exists()
