"""``bench table``, ``bench compare``, ``bench frontier``: runs in, text and figures out."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.report.table import render, table
from bench.store.frames import read_items

__all__ = ["REFERENCE", "shown_table"]

REFERENCE = "full-history"
"""The row others are tested against unless another is named: the field's own standard row."""


def default_reference(frame: pd.DataFrame) -> str | None:
    """Return the full history if it is there, else no reference."""
    return REFERENCE if REFERENCE in set(frame["strategy"]) else None


def shown_table(
    folders: Sequence[Path], *, style: str = "rich", by: str = "", timing: bool = False, reference: str | None = None
) -> str:
    """Return the table of one or more runs. Raises: UsageError, StoreError."""
    frame = read_items(folders)
    made = table(frame, reference=reference or default_reference(frame), by_group=by == "group", timing=timing)
    width = shutil.get_terminal_size((140, 40)).columns if sys.stdout.isatty() else 160
    text = render(made, style, width=width, color=sys.stdout.isatty())
    return text if text.endswith("\n") else text + "\n"
