"""``bench export``: the items of runs as CSV, JSON lines or Parquet, one row each, for other tools."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pandas as pd

from bench.errors import UsageError, unknown_name, writing
from bench.report.formats import guard_cell
from bench.report.row import is_stable
from bench.report.row_names import name_rows
from bench.scoring.metric_names import resolve_metric
from bench.store.dataframe import read_items
from bench.store.printing import escape_json

__all__ = ["FORMATS", "export_command", "select_items"]

FORMATS = ("csv", "jsonl", "parquet")
_KEY = ["suite", "split", "task", "item", "strategy", "model", "seed", "attempt", "group", "cluster", "status", "end"]
_DIGITS = "%.10g"


def select_items(folders: Sequence[Path], columns: Sequence[str] = (), *, timing: bool = False) -> pd.DataFrame:
    """Return the items of runs, by key; ``columns`` are the scores to keep (all if empty), short names allowed.

    Wall times differ from run to run and are left out unless named or ``timing``. Raises: UsageError for an unknown
    column, or one that the runs have no values for.
    """
    frame = name_rows(read_items(folders))
    known = [name for name in frame.columns if name not in _KEY and name != "run"]
    chosen = [name if name in known else resolve_metric("export", name, known).name for name in columns]
    chosen = chosen or [name for name in known if timing or is_stable(name)]
    return frame[_KEY + chosen].sort_values(_KEY, kind="stable").reset_index(drop=True)


def export_command(folders: Sequence[Path], style: str, columns: Sequence[str], out: Path | None, timing: bool) -> None:
    """Write the items to a file, or to stdout. Raises: UsageError, StoreError."""
    if style not in FORMATS:
        raise unknown_name("export", "a format", style, FORMATS)
    frame = select_items(folders, columns, timing=timing)
    if style == "parquet":
        _parquet(frame, out)
        return
    text = (
        _guard_cells(frame).to_csv(index=False, float_format=_DIGITS, lineterminator="\n")
        if style == "csv"
        else escape_json(frame.to_json(orient="records", lines=True, double_precision=10, force_ascii=False))
    )
    if out is None:
        sys.stdout.write(text)
        return
    with writing("export", out):
        out.write_text(text, encoding="utf-8", newline="\n")


def _guard_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the items with no text in them that a spreadsheet or a terminal would obey."""
    texts = [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]
    return frame.assign(**{name: frame[name].map(guard_cell) for name in texts}).rename(columns=guard_cell)


def _parquet(frame: pd.DataFrame, out: Path | None) -> None:
    if out is None:
        raise UsageError("export: expected -o FILE for parquet, got none; it is no text")
    data = BytesIO()
    try:
        frame.to_parquet(data, index=False)
    except ImportError:
        raise UsageError("export: expected package pyarrow for parquet, got none; pip install pyarrow") from None
    with writing("export", out):
        out.write_bytes(data.getvalue())
