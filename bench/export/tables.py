"""The items of runs as one table: CSV, JSON lines or Parquet, one row an item."""

from __future__ import annotations

from io import BytesIO

import pandas as pd

from bench.errors import UsageError, writing
from bench.export.items import select_items
from bench.export.targets import Request
from bench.export.writing import put_text
from bench.report.formats import guard_cell
from bench.store.printing import escape_json

__all__ = ["to_parquet", "write_csv", "write_json_lines", "write_parquet"]

_DIGITS = "%.10g"


def write_csv(request: Request) -> None:
    """Write CSV to a file or to stdout, with no text in it that a spreadsheet or a terminal would obey."""
    frame = select_items(request.folders, request.columns, timing=request.timing)
    texts = [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]
    guarded = frame.assign(**{name: frame[name].map(guard_cell) for name in texts}).rename(columns=guard_cell)
    put_text(guarded.to_csv(index=False, float_format=_DIGITS, lineterminator="\n"), request.out)


def write_json_lines(request: Request) -> None:
    """Write one JSON object a line to a file or to stdout."""
    frame = select_items(request.folders, request.columns, timing=request.timing)
    text = frame.to_json(orient="records", lines=True, double_precision=10, force_ascii=False)
    put_text(escape_json(text), request.out)


def write_parquet(request: Request) -> None:
    """Write a Parquet file. Raises: UsageError without a file name, or without the package pyarrow."""
    out = request.take_out("parquet", "it is no text")
    data = to_parquet(select_items(request.folders, request.columns, timing=request.timing))
    with writing("export", out):
        out.write_bytes(data)


def to_parquet(frame: pd.DataFrame) -> bytes:
    """Return a table as a Parquet file. Raises: UsageError without the package pyarrow."""
    data = BytesIO()
    try:
        frame.to_parquet(data, index=False)
    except ImportError:
        raise UsageError(
            "export: expected package pyarrow for parquet, got none; pip install 'memfrontier[datasets]'"
        ) from None
    return data.getvalue()
