"""Runs in the format of Every Eval Ever (evaleval/every_eval_ever, schema 0.3.0): a folder ``data`` as in its store.

For each strategy of a run on a suite, split and model one JSON file with the metrics of its row, and one file of JSON
lines with an instance for each scored item. What the format has no place for (the memory strategy, the fingerprint)
stands in its free details; who evaluated, and how a model is deployed, is not known here and said to be so.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path
from typing import Any

import pandas as pd

from bench import __version__
from bench.errors import BenchError, writing
from bench.export.eee_instances import MAIN, build_instances
from bench.export.targets import Request
from bench.export.trajectories import refuse_columns
from bench.export.trials import stream_trials
from bench.protocols.params import parse_name
from bench.registry import load_suite
from bench.report.aggregate import build_rows
from bench.report.items import prepare, split_blocks
from bench.report.row import Row
from bench.report.row_names import name_rows
from bench.scoring.metric import Better, Metric, Unit
from bench.scoring.metric_names import list_metrics
from bench.store.database import DATABASE
from bench.store.dataframe import read_items
from bench.store.printing import escape_json, make_line

__all__ = ["SCHEMA_VERSION", "write_eee"]

SCHEMA_VERSION = "0.3.0"
_COSTS = ("tokens_total", "cost_usd", "context_tokens_mean")
"""Metrics that are written beside the main ones of outcome and answers."""
_UNITS = {
    Unit.SHARE: "proportion",
    Unit.TOKENS: "tokens",
    Unit.USD: "usd",
    Unit.SECONDS: "seconds",
    Unit.COUNT: "count",
}
_ROW = ["suite", "split", "strategy", "model"]
_UNKNOWN = "unknown"
RowKey = tuple[str, ...]


@dataclass(frozen=True)
class _Log:
    """One file of results to be: its row, and where it goes below the folder."""

    row: Row
    fingerprint: Mapping[str, str]
    time: str
    folder: str
    name: str

    @property
    def id(self) -> str:
        return f"{self.row.suite}/{self.row.model}/{self.name}"

    @property
    def samples(self) -> str:
        return f"{self.folder}/{self.name}_samples.jsonl"

    def result_id(self, metric: str) -> str:
        return f"{self.name}/{metric}"


def write_eee(request: Request) -> None:
    """Write the folder; files of an earlier export of the same runs are written again.

    Raises: UsageError, StoreError.
    """
    refuse_columns(request, "eee")
    out = request.take_out("eee", "it is a folder")
    for folder in request.folders:
        logs = _plan_logs(folder)
        with writing("export", out):
            for log in logs.values():
                (out / log.folder).mkdir(parents=True, exist_ok=True)
        _write_instances(folder, logs, out)
        with writing("export", out):
            for log in logs.values():
                text = json.dumps(_build_log(log, out / log.samples), indent=2, ensure_ascii=False)
                (out / log.folder / f"{log.name}.json").write_text(escape_json(text) + "\n", encoding="utf-8")


def _plan_logs(folder: Path) -> dict[RowKey, _Log]:
    """Return the files of a run by suite, split, strategy and model of its trials."""
    items = read_items([folder])
    time = str(int((folder / DATABASE).stat().st_mtime))
    rows = {_read_key(row): row for block in split_blocks(prepare(items)) for row in build_rows(block)}
    named = name_rows(items)
    logs = {}
    for (key, part), names in zip(items.groupby(_ROW, sort=True), _list_names(items, named), strict=True):
        row = rows[names]
        texts = [text for text in part["fingerprint"].astype(str) if text not in ("", "{}")]
        fingerprint = json.loads(texts[0]) if texts else {}
        digest = hashlib.sha256("\x1f".join((*names, *sorted(set(texts)))).encode()).digest()
        place = "/".join(("data", _name_folder(parse_name(row.suite, "suite")[0]), *_name_model(row.model)))
        name = str(uuid.UUID(bytes=digest[:16], version=4))
        logs[tuple(map(str, key))] = _Log(row, fingerprint, time, place, name)
    return logs


def _list_names(items: pd.DataFrame, named: pd.DataFrame) -> Iterator[RowKey]:
    """Yield what the rows of a table are called, in the order of their trials' own names."""
    first = items.groupby(_ROW, sort=True).head(1).sort_values(_ROW, kind="stable").index
    for values in named.loc[first, _ROW].itertuples(index=False):
        yield tuple(make_line(str(value)) for value in values)


def _read_key(row: Row) -> RowKey:
    return (row.suite, row.split, row.strategy, row.model)


def _name_folder(text: str) -> str:
    return re.sub(r"[^\w.-]+", "_", text).lstrip(".") or "_"


def _name_model(model: str) -> tuple[str, str]:
    """Return developer and model as folders: the last two parts of a name."""
    *before, name = model.split("/")
    return _name_folder(before[-1] if before else _UNKNOWN), _name_folder(name)


def _write_instances(folder: Path, logs: Mapping[RowKey, _Log], out: Path) -> None:
    with ExitStack() as stack, writing("export", out):
        streams = {
            key: stack.enter_context((out / log.samples).open("w", encoding="utf-8", newline="\n"))
            for key, log in logs.items()
        }
        for trial in stream_trials(folder):
            key = (trial.key.suite, trial.key.split, trial.key.strategy, trial.key.model)
            if trial.key.attempt == 1 and trial.status.scored:
                log = logs[key]
                head = {
                    "schema_version": SCHEMA_VERSION, "evaluation_id": log.id, "model_id": log.row.model,
                    "evaluation_name": log.row.suite, "evaluation_result_id": log.result_id(MAIN),
                }  # fmt: skip
                for instance in build_instances(trial):
                    streams[key].write(escape_json(json.dumps(head | instance, ensure_ascii=False)) + "\n")


def _build_log(log: _Log, samples: Path) -> dict[str, Any]:
    row = log.row
    with samples.open("rb") as stream:
        checksum = hashlib.file_digest(stream, "sha256").hexdigest()
        stream.seek(0)
        count = sum(1 for _ in stream)
    details = {"memory_strategy": row.strategy, "rule_based": "yes" if row.offline else "no"}
    unknown = {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN}
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": log.id,
        "retrieved_timestamp": log.time,
        "source_metadata": {
            "source_name": "memfrontier",
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "memfrontier", "version": __version__},
        "model_info": {
            "name": row.model, "id": row.model, "developer": _name_model(row.model)[0],
            "additional_details": {**unknown, **details},
        },
        "evaluation_results": [
            _build_result(log, metric, value)
            for metric in list_metrics()
            if (metric.brief or metric.name in _COSTS) and isfinite(value := _read_value(row, metric.name))
        ],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": log.samples,
            "hash_algorithm": "sha256",
            "checksum": checksum,
            "total_rows": count,
        },
    }  # fmt: skip


def _read_value(row: Row, metric: str) -> float:
    """Return the value of a metric; not a number if it is unknown."""
    value = row.value(metric)
    return nan if value is None else value


def _build_result(log: _Log, metric: Metric, value: float) -> dict[str, Any]:
    row = log.row
    uncertainty: dict[str, Any] = {"num_samples": row.n_tasks}
    if interval := row.intervals.get(metric.name):
        uncertainty["confidence_interval"] = {
            "lower": interval.low, "upper": interval.high, "confidence_level": interval.confidence,
            "method": interval.method,
        }  # fmt: skip
    return {
        "evaluation_result_id": log.result_id(metric.name),
        "evaluation_name": row.suite,
        "source_data": _describe_source(row),
        "metric_config": {
            "evaluation_description": metric.definition,
            "metric_id": f"memfrontier.{metric.name}",
            "metric_name": metric.name,
            "metric_unit": _UNITS.get(metric.unit, str(metric.unit)),
            "lower_is_better": metric.better is Better.LOWER,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1 if metric.is_share else "Infinity",
        },
        "score_details": {"score": value, "uncertainty": uncertainty},
        "generation_config": {"generation_args": {}, "additional_details": dict(log.fingerprint)},
    }


def _describe_source(row: Row) -> dict[str, Any]:
    """Return where the data of a suite comes from."""
    label = parse_name(row.suite, "suite")[0]
    source: dict[str, Any] = {"dataset_name": label, "additional_details": {"split": row.split}}
    try:
        spec = load_suite(label)
    except BenchError:  # of a plug-in that is not installed here
        return {**source, "source_type": "other"}
    urls = [one.url for one in spec.data.sources] if spec.data else []
    return {**source, "source_type": "url", "url": urls} if urls else {**source, "source_type": "other"}
