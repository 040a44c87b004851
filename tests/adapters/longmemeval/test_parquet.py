"""The instances as Parquet give the numbers that their JSON file gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.longmemeval.data import find_file
from tests.conftest import RunBench

Rows = list[dict[str, Any]]


@pytest.mark.needs("datasets", "pyarrow")
def test_parquet_gives_the_numbers_of_the_json_file(
    rows: Rows, bench: RunBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")

    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    plain = [{**row, "answer": str(row["answer"])} for row in rows]
    (tmp_path / "mine.json").write_text(json.dumps(plain), encoding="utf-8")
    datasets.Dataset.from_list(plain).to_parquet(tmp_path / "mine.parquet")
    tables = []
    for name in ("mine.json", "mine.parquet"):
        target = f"longmemeval:path={tmp_path / name}"
        assert (
            bench(
                "run", target, "-s", "full-history,bm25:k=2,no-memory", "--workers", "1", "-o", name.replace(".", "-")
            ).code
            == 0
        )
        table = bench("export", name.replace(".", "-"), "--columns", "success,f1,evidence_recall,tokens_total").out
        tables.append(table.replace(name, "mine"))
    assert tables[0] == tables[1]
    assert tables[0].count("\n") == 1 + 3 * len(rows)


def test_find_file_of_a_user_that_is_not_there_is_no_traceback(bench: RunBench) -> None:
    assert find_file(Path("/data"), "s", "~nobody-at-all/x.json") == Path("/data/~nobody-at-all/x.json")
    done = bench("run", "longmemeval:path=~nobody-at-all/x.json", "-s", "no-memory", "-o", "run")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "name a file that exists, relative to the data root or in full" in done.err
