"""The format of Every Eval Ever: what is written fits its schemas, and its numbers are those of the table."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from bench.export.eee import SCHEMA_VERSION
from tests.conftest import RunBench

HERE = Path(__file__).parent / "every_eval_ever"
LOG, INSTANCE = (
    Draft7Validator(json.loads((HERE / f"{name}.schema.json").read_text(encoding="utf-8")))
    for name in ("eval", "instance_level_eval")
)


def read(folder: Path) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return each log with its instances."""
    found = []
    for path in sorted(folder.rglob("*.json")):
        log = json.loads(path.read_text(encoding="utf-8"))
        samples = (folder / log["detailed_evaluation_results"]["file_path"]).read_bytes()
        assert hashlib.sha256(samples).hexdigest() == log["detailed_evaluation_results"]["checksum"]
        found.append((log, [json.loads(line) for line in samples.decode().splitlines()]))
    return found


@pytest.mark.parametrize("kind", ["played", "talked"])
def test_logs_and_instances_fit_the_schemas(
    kind: str, bench: RunBench, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    done = bench("export", str(request.getfixturevalue(kind)), "--to", "eee", "-o", "out")
    assert (done.code, done.out, done.err) == (0, "", "")
    logs = read(tmp_path / "out")
    assert len(logs) == 2
    for log, instances in logs:
        assert list(LOG.iter_errors(log)) == []
        assert log["schema_version"] == SCHEMA_VERSION == LOG.schema["version"]
        assert len(instances) == log["detailed_evaluation_results"]["total_rows"] == 6
        results = {one["evaluation_result_id"] for one in log["evaluation_results"]}
        for instance in instances:
            assert list(INSTANCE.iter_errors(instance)) == []
            assert instance["evaluation_id"] == log["evaluation_id"]
            assert instance["evaluation_result_id"] in results


def test_numbers_are_those_of_the_table_and_the_mean_of_the_instances(
    bench: RunBench, played: Path, tmp_path: Path
) -> None:
    bench("export", str(played), "--to", "eee", "-o", "out")
    rows = json.loads(bench("table", str(played), "--format", "json").out)
    rows = {row["strategy"]: row for row in (rows["rows"] if isinstance(rows, dict) else rows)}
    for log, instances in read(tmp_path / "out"):
        row = rows[log["model_info"]["additional_details"]["memory_strategy"]]
        scores = {one["metric_config"]["metric_name"]: one["score_details"] for one in log["evaluation_results"]}
        assert scores["success"]["score"] == pytest.approx(row["success_rate"])
        assert scores["success"]["uncertainty"]["confidence_interval"]["lower"] == pytest.approx(row["success_low"])
        assert scores["tokens_total"]["score"] == pytest.approx(row["tokens_total"])
        mean = sum(one["evaluation"]["score"] for one in instances) / len(instances)
        assert mean == pytest.approx(row["success_rate"])
        tokens = sum(one["token_usage"]["total_tokens"] for one in instances) / len(instances)
        assert tokens == pytest.approx(row["tokens_total"])


def test_same_run_gives_the_same_files(bench: RunBench, played: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        bench("export", str(played), "--to", "eee", "-o", name)
    found = [
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    ]
    assert found[0] == found[1] != {}
