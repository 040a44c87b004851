"""Rows into offline runs of W&B, with the real package and without a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench.errors import UsageError
from bench.export.targets import Request, load_writer
from bench.writers.records import describe_rows
from tests.conftest import RunBench

pytestmark = [pytest.mark.needs("wandb"), pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WANDB_MODE", "WANDB_PROJECT", "WANDB_DIR", "WANDB_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))


def scan(data: bytes) -> Iterator[bytes]:
    """Yield the records of an offline run: a LevelDB log, in blocks of 32 KiB, behind a header of 7 bytes."""
    at, parts = 7, b""
    while at + 7 <= len(data):
        if (left := 32_768 - at % 32_768) < 7:
            at += left
            continue
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        parts += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield parts
            parts = b""


def read_record(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the configuration and the summary of an offline run."""
    config, summary = {}, {}
    for data in scan(path.read_bytes()):
        record = import_module("wandb.proto.wandb_internal_pb2").Record()
        record.ParseFromString(data)
        for item in (*record.run.config.update, *record.config.update):
            config[item.key] = json.loads(item.value_json)
        for item in record.summary.update:
            summary[item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
    return config, summary


def test_each_row_is_an_offline_run(bench: RunBench, played: Path, tmp_path: Path) -> None:
    assert bench("export", str(played), "--to", "wandb", "-o", str(tmp_path / "out")).code == 0
    folders = sorted((tmp_path / "out" / "wandb").glob("offline-run-*"))
    rows = {row.settings["strategy"]: row for row in describe_rows([played])}
    assert len(folders) == len(rows) == 2
    for folder in folders:
        config, summary = read_record(next(folder.glob("*.wandb")))
        row = rows[config["strategy"]]
        assert {name: config[name] for name in row.settings} == dict(row.settings)
        assert {name: summary[name] for name in row.metrics} == pytest.approx(dict(row.metrics))
        names = {path.name for path in (folder / "files").iterdir()}
        assert names >= {"frontier.csv", "frontier.svg", "table.csv", "table.json", "table.md"}
        assert "requirements.txt" not in names


def test_nothing_is_sent_unless_asked_for(played: Path) -> None:
    with pytest.raises(UsageError, match="-o FOLDER or WANDB_MODE=online"):
        load_writer("wandb")(Request((played,)))
