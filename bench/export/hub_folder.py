"""The items of runs as a folder that ``datasets.load_dataset`` loads: a Parquet file and a dataset card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from string import Template

import pandas as pd

from bench.errors import BenchError, StoreError, writing
from bench.export.items import select_columns
from bench.export.tables import to_parquet
from bench.export.targets import Request
from bench.protocols.params import parse_name
from bench.registry import load_suite
from bench.report.row_names import name_rows
from bench.scoring.metric_names import find_metric
from bench.store.dataframe import read_items
from bench.store.printing import make_line

__all__ = ["write_folder"]

_HEADER = """---
configs:
- config_name: default
  data_files:
  - split: items
    path: data/items.parquet
license: other
tags:
- agent-memory
- evaluation
- memfrontier
---
"""
_CARD, _ITEMS = "README.md", "data/items.parquet"
_KEYS = {
    "suite": "benchmark, with the parameters that differ from its defaults",
    "split": "part of the benchmark",
    "task": "task, or conversation",
    "item": "what is scored: the task, or one question",
    "strategy": "memory strategy, with the parameters that differ from its defaults",
    "model": "the model that acts or answers",
    "seed": "repeat",
    "attempt": "which try at the task",
    "group": "task type, or category of the question",
    "cluster": "items of one cluster are not independent",
    "status": "how the trial stands; other than done and strategy-error it is unscored",
    "end": "why it ended",
    "offline": "one of its models is made of rules, and no language model",
    "scored": "it counts in a rate",
    "error": "why the trial could not go on",
    "optimal_steps": "actions of a shortest solution",
    "fingerprint": "digests and versions, as JSON",
    "place": "place of the task in the order of its stream",
}
_MOST_VALUES = 12


def write_folder(request: Request) -> None:
    """Write the folder; one of an earlier export is written again.

    Raises: UsageError without a folder or the package pyarrow; StoreError for a folder with other files.
    """
    out = request.take_out("hf", "it is a folder")
    items = name_rows(read_items(request.folders))
    frame = select_columns(items, request.columns, timing=request.timing)
    data = to_parquet(frame)
    card = _HEADER + _write_card(frame, items)
    with writing("export", out):
        present = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
        if others := sorted(present - {_CARD, _ITEMS}):
            raise StoreError(f"export: expected a new folder, or one of an earlier export, got {out} with {others[0]}")
        (out / _ITEMS).parent.mkdir(parents=True, exist_ok=True)
        (out / _ITEMS).write_bytes(data)
        (out / _CARD).write_text(card, encoding="utf-8", newline="\n")


def _write_card(frame: pd.DataFrame, items: pd.DataFrame) -> str:
    text = files("bench.export").joinpath("card.txt").read_text(encoding="utf-8")
    shared, differing = _compare_fingerprints(items)
    return Template(text).substitute(
        rows=_list(_describe_rows(frame)),
        licences=_list(_describe_licences(frame)),
        columns=_list(_describe_columns(frame)),
        shared=_list(shared),
        differing=_list(differing),
    )


def _list(lines: Iterator[str] | list[str]) -> str:
    return "\n".join(f"- {make_line(line)}" for line in lines) or "- none"


def _describe_rows(frame: pd.DataFrame) -> Iterator[str]:
    for key, part in frame.groupby(["suite", "split", "model"], sort=True):
        suite, split, model = map(str, key)
        strategies = ", ".join(f"`{name}`" for name in sorted(part["strategy"].astype(str).unique()))
        yield f"`{suite}`, split `{split}`, model `{model}`: {len(part):,} items of {strategies}"


def _describe_licences(frame: pd.DataFrame) -> Iterator[str]:
    for name in sorted({parse_name(str(label), "suite")[0] for label in frame["suite"].unique()}):
        try:
            spec = load_suite(name)
        except BenchError:  # of a plug-in that is not installed here
            yield f"`{name}`: licence of its data not known here"
            continue
        licence = spec.data.licence if spec.data else "no data but its own"
        yield f"`{name}` ({spec.source}): {licence}"


def _describe_columns(frame: pd.DataFrame) -> Iterator[str]:
    for column in map(str, frame.columns):
        metric = find_metric(column)
        known = metric.definition.partition(": ")[2] or metric.definition if metric else ""
        yield f"`{column}`: {_KEYS.get(column, known) or 'as recorded'}"


def _compare_fingerprints(items: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the entries that all rows share, and those that differ, with the values that there are."""
    found: dict[str, dict[str, None]] = {}
    texts = [text for text in items["fingerprint"].astype(str).unique() if text not in ("", "{}")]
    for text in sorted(texts):
        for name, value in json.loads(text).items():
            found.setdefault(name, {})[str(value)] = None
    everywhere = {name for name in found if sum(f'"{name}":' in text for text in texts) == len(texts)}
    lines = {name: f"`{name}`: {_list_values(sorted(values))}" for name, values in sorted(found.items())}
    shared = [name for name in lines if name in everywhere and len(found[name]) == 1]
    return [lines[name] for name in shared], [line for name, line in lines.items() if name not in shared]


def _list_values(values: list[str]) -> str:
    shown = ", ".join(f"`{value}`" if value else "(empty)" for value in values[:_MOST_VALUES])
    return f"{shown} and {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else shown
