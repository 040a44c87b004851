"""Each row of a table as a tracker keeps it: names and settings, numbers, and files. Knows no tracker."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bench.errors import UsageError
from bench.report.figures.frontier import draw
from bench.report.frontier import find_frontiers
from bench.report.frontier_text import render_frontier
from bench.report.items import prepare, split_blocks
from bench.report.row import Row, is_stable
from bench.report.table import build_table, choose_reference, render_table
from bench.store.dataframe import read_items

__all__ = ["TrackedRow", "describe_rows", "write_files"]

_TESTED = ("p_value", "p_adjusted", "effect_size")


@dataclass(frozen=True)
class TrackedRow:
    """One row: ``settings`` are its names and all of its fingerprint, ``metrics`` its numbers by catalogue name."""

    name: str
    settings: Mapping[str, str]
    metrics: Mapping[str, float]


def describe_rows(folders: Sequence[Path], *, timing: bool = False) -> tuple[TrackedRow, ...]:
    """Return the rows of runs. ``timing``: wall times too, which differ from run to run. Raises: UsageError."""
    frame = read_items(folders)
    table = build_table(frame, reference=choose_reference(frame))
    blocks = split_blocks(prepare(frame))
    return tuple(
        TrackedRow(
            f"{row.strategy} · {section.title}",
            _list_settings(row, block.of(row.strategy)),
            _list_metrics(row, timing),
        )
        for section, block in zip(table.sections, blocks, strict=True)
        for row in section.rows
    )


def write_files(folders: Sequence[Path], into: Path) -> tuple[Path, ...]:
    """Write the table and the frontier of runs into a folder, as text, as numbers and as a figure; return the files.

    Runs without any value for the axes have no frontier.
    """
    frame = read_items(folders)
    table = build_table(frame, reference=choose_reference(frame))
    for style in ("md", "csv", "json"):
        (into / f"table.{style}").write_text(render_table(table, style), encoding="utf-8")
    with suppress(UsageError):
        found = find_frontiers(frame)
        (into / "frontier.csv").write_text(render_frontier(found, "csv"), encoding="utf-8")
        draw(found, into / "frontier.svg")
    return tuple(sorted(into.iterdir()))


def _list_settings(row: Row, items: pd.DataFrame) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for text in items["fingerprint"].unique():
        for name, value in (json.loads(text) if text else {}).items():
            found.setdefault(f"fingerprint.{name}", set()).add(str(value))
    named = {name: str(getattr(row, name)) for name in ("suite", "split", "strategy", "model", "attempt", "runs")}
    return named | {name: ", ".join(sorted(values)) for name, values in sorted(found.items())}


def _list_metrics(row: Row, timing: bool) -> dict[str, float]:
    numbers: dict[str, float | None] = {"n": row.n, "n_total": row.n_total, **row.values}
    for name, interval in row.intervals.items():
        numbers |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
    if row.test is not None:
        numbers |= {name: getattr(row.test, name) for name in _TESTED}
    return {
        name: float(value)
        for name, value in numbers.items()
        if value is not None and math.isfinite(value) and (timing or is_stable(name))
    }
