"""Items as a file: what is read is what was written, whatever the names are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.errors import StoreError
from bench.store.dataframe import read_items
from bench.store.items_file import write_items_file

NAMES = ("nan", "", "007", "=1+1", "-3", 'a,"b"', "x" * 5000, "ünïcode 任务 😀", "None", "1e5")


def make_frame(names: tuple[str, ...] = NAMES) -> pd.DataFrame:
    records = [
        {
            "run": "r", "suite": "s", "split": "t", "task": name, "strategy": name, "model": "m", "seed": 0,
            "attempt": 1, "offline": False, "status": "done", "scored": place % 2 == 0, "end": "won", "error": "",
            "item": name, "group": name, "cluster": name, "optimal_steps": np.nan, "fingerprint": '{"env.a": "1"}',
            "success": 1 / 3 if place else np.nan, "tokens_total": 0.1 + 0.2,
        }
        for place, name in enumerate(names)
    ]  # fmt: skip
    return pd.DataFrame.from_records(records)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.xz"])
def test_read_returns_what_was_written(ending: str, tmp_path: Path) -> None:
    frame = make_frame()
    write_items_file(frame.assign(wall_s=1.0), tmp_path / f"items.{ending}")
    pd.testing.assert_frame_equal(read_items([tmp_path / f"items.{ending}"]), frame, check_exact=True)


def test_read_takes_parquet_and_names_the_run(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = make_frame()
    frame.drop(columns="run").to_parquet(tmp_path / "mine.parquet")
    read = read_items([tmp_path / "mine.parquet"])
    assert set(read["run"]) == {"mine"}
    pd.testing.assert_frame_equal(read[frame.columns], frame.assign(run="mine"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text("", "utf-8"),
        lambda path: path.write_bytes(b"\xff\xfe\x00"),
        lambda path: path.write_text("a,b\n1,2\n", "utf-8"),
        lambda path: path.write_text(path.read_text("utf-8").replace("True", "perhaps"), "utf-8"),
        lambda path: path.write_text(path.read_text("utf-8").replace("0.30000000000000004", "three"), "utf-8"),
        lambda path: path.unlink(),
    ],
    ids=["empty", "no text", "other columns", "no yes or no", "no number", "not there"],
)
def test_file_that_is_no_items_is_one_line(spoil: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    write_items_file(make_frame(), path)
    spoil(path)
    with pytest.raises(StoreError, match=r"items\.csv") as caught:
        read_items([path])
    assert "\n" not in str(caught.value)
