"""Items of runs as one text file, from which every report is made without the runs: what ``bench export`` writes, also
compressed, and what a board keeps.

A file has one line per item and the columns of ``read_items``, wall times left out. Its suffix says how it is packed:
``.csv``, ``.csv.gz``, ``.csv.xz``, or ``.parquet``.
"""

from __future__ import annotations

import zlib
from lzma import LZMAError
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.errors import StoreError, writing
from bench.store.printing import FORMULA, guard_cell

__all__ = ["ITEM_SUFFIXES", "is_items_file", "read_items_file", "write_items_file"]

ITEM_SUFFIXES = (".csv", ".csv.gz", ".csv.xz", ".parquet")
_TEXTS = (
    "run", "suite", "split", "task", "strategy", "model", "status", "end", "error", "item", "group", "cluster",
    "fingerprint",
)  # fmt: skip
_WHOLE, _YES_NO = ("seed", "attempt"), ("offline", "scored")
_NEEDED = (
    "suite", "split", "task", "item", "strategy", "model", "seed", "attempt", "offline", "status", "scored", "end",
    "fingerprint",
)  # fmt: skip
_FOREIGN = (ValueError, TypeError, KeyError, OSError, EOFError, LZMAError, zlib.error)
"""What reading a file raises that holds something else."""


def is_items_file(path: Path) -> bool:
    """Return whether a path names a file of items, and no run folder."""
    return path.name.endswith(ITEM_SUFFIXES) and not path.is_dir()


def write_items_file(items: pd.DataFrame, path: Path) -> None:
    """Write the items that ``read_items`` returned, numbers in full. Raises: StoreError."""
    kept = items[[name for name in items.columns if not str(name).startswith("wall_")]]
    texts = [name for name in _TEXTS if name in kept.columns]
    kept = kept.assign(**{name: kept[name].fillna("").astype(str).map(guard_cell) for name in texts})
    with writing("items", path):
        kept.to_csv(path, index=False, lineterminator="\n")


def read_items_file(path: Path) -> pd.DataFrame:
    """Return the items of a file as ``read_items`` does; the run is named after the file where it has no such column.

    Raises: StoreError for a file that cannot be read or lacks a column that every report needs.
    """
    try:
        frame = pd.read_parquet(path) if path.name.endswith(".parquet") else _read_csv(path)
        missing = [name for name in _NEEDED if name not in frame.columns]
        if missing:
            raise StoreError(
                f"items: expected the columns that `bench export` writes without --columns, got none named "
                f"{', '.join(missing)} in {path}; export the run again"
            )
        return _restore(frame, path)
    except ImportError:
        raise StoreError(f"items: expected package pyarrow for {path}, got none; pip install pyarrow") from None
    except _FOREIGN as cause:
        raise StoreError(
            f"items: expected a file that `bench export` wrote, got {path} ({str(cause)[:200]}); export the run again"
        ) from None


def _read_csv(path: Path) -> pd.DataFrame:
    """Return every cell as text: an empty one is no missing text, a task may well be called "nan", and numbers are read
    to the last digit."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _restore(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return the columns in their types."""
    whole = {name: frame[name].astype(int) for name in _WHOLE}
    yes_no = {name: frame[name].map(_read_yes_no).astype(bool) for name in _YES_NO}
    texts = {name: frame[name].fillna("").map(_unguard) for name in _TEXTS if name in frame}
    numbers = {str(name): _read_numbers(frame[name]) for name in frame if name not in (*whole, *yes_no, *texts)}
    run = {} if "run" in frame else {"run": path.name.partition(".")[0]}
    return frame.assign(**whole, **yes_no, **texts, **numbers, **run)


def _read_numbers(cells: pd.Series[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(cells if cells.dtype.kind in "biuf" else cells.replace("", "nan"), dtype=float)


def _read_yes_no(value: object) -> bool:
    known = {"true": True, "false": False, "1": True, "0": False}
    return known[str(value).lower()]


def _unguard(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text
