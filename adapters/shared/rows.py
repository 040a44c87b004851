"""The rows of a data set: a file of the user's own, or a set of the Hugging Face hub, read by the package ``datasets``.

Parquet, JSON, JSON lines, CSV and TSV, packed or not; a folder of such files; a set of the hub by its name. What was
read or downloaded before is taken from that package's cache, and with ``HF_HUB_OFFLINE=1`` from nowhere else. Knows no
question and no conversation.
"""

# ruff: noqa: PLC0415  # the package takes a second to import, and most runs need none of it
from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.errors import DataError, Unreachable, UsageError

__all__ = ["Origin", "Rows", "find_local", "open_rows"]

_KINDS = {
    ".parquet": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
    ".tsv": "csv",
}
_PACKED = (".gz", ".xz", ".bz2", ".zst")
_HUB_NAME = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)?")
_LONGEST = 200
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from: a file, a folder or a name on the hub, and which part of it."""

    name: str
    config: str = ""
    split: str = ""
    revision: str = ""


class Rows:
    """The rows of one split, in their order; read when they are asked for."""

    def __init__(self, table: Any):
        """``table``: a ``datasets.Dataset``, or records in memory, which have the columns of the first."""
        self._table = table
        self.columns: tuple[str, ...] = tuple(table[0] if isinstance(table, list) else table.column_names)

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[Row]:
        yield from self._table

    def pick(self, numbers: Sequence[int]) -> list[Row]:
        """Return some rows, by their place from 0. Raises: IndexError for a place that is not there."""
        return [self._table[number] for number in numbers]

    def select(self, columns: Sequence[str]) -> Rows:
        """Return the same rows with these columns alone."""
        return Rows(self._table.select_columns(list(columns)))


def find_local(name: str, data_root: Path) -> Path | None:
    """Return the file or folder of that name, as given or below the data root; None if there is none."""
    given = Path(os.path.expanduser(name))  # noqa: PTH111  # the method raises for a user that is not there
    for path in (given, data_root / given):
        try:
            if path.exists():
                return path
        except (OSError, ValueError):  # a name that no file can have
            continue
    return None


def open_rows(who: str, origin: Origin, data_root: Path) -> Rows:
    """Return the rows of a data set.

    Raises: UsageError without the package, for a name that is neither a file nor one of the hub, and for a part that is
    not there; Unreachable if the hub does not answer or has no such set; DataError for a file that cannot be read.
    """
    try:
        import datasets
    except ImportError:
        raise UsageError(
            f"{who}: expected package datasets to read {origin.name}, got none; pip install 'memfrontier[datasets]'"
        ) from None
    path = find_local(origin.name, data_root)
    if path is None and not _HUB_NAME.fullmatch(origin.name):
        raise UsageError(
            f"{who}: expected a file or the name of a set on the Hugging Face hub, got {origin.name[:_LONGEST]!r}; "
            "name a file in full, or relative to this folder or to the data root"
        )
    _silence()
    if path is not None:
        datasets.disable_progress_bars()
    with _explain(who, origin, path):
        loaded = _load(datasets, origin, path)
    return Rows(_choose_split(who, origin, loaded))


def _silence() -> None:
    """Keep the packages' own warnings out: an error of this project says in one line what they say in six."""
    for name in ("datasets", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _load(datasets: Any, origin: Origin, path: Path | None) -> Any:
    if path is None or path.is_dir():
        more = {"revision": origin.revision} if origin.revision else {}
        return datasets.load_dataset(origin.name if path is None else str(path), origin.config or None, **more)
    suffixes = [one.lower() for one in path.suffixes if one.lower() not in _PACKED]
    kind = _KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None:
        raise ValueError(f"a name that ends in none of {', '.join(_KINDS)}")
    more = {"sep": "\t"} if suffixes[-1] == ".tsv" else {}
    return datasets.load_dataset(kind, data_files=str(path), **more)


def _choose_split(who: str, origin: Origin, loaded: Mapping[str, Any]) -> Any:
    names = list(loaded)
    if origin.split in names or (not origin.split and len(names) == 1):
        return loaded[origin.split or names[0]]
    got = repr(origin.split) if origin.split else "none"
    raise UsageError(f"{who}: expected split= one of {', '.join(names)} in {origin.name}, got {got}; add split=NAME")


@contextmanager
def _explain(who: str, origin: Origin, path: Path | None) -> Iterator[None]:
    """Turn whatever the package raises into one line of ours."""
    try:
        yield
    except Exception as cause:
        reason = _describe(cause)
        if path is not None:
            raise DataError(f"{who}: expected rows in {path}, got {reason}; mend the file, or name another") from cause
        if isinstance(cause, ValueError):  # a configuration that is missing or unknown; the text lists those there are
            raise UsageError(f"{who}: expected config= one of {origin.name}, got {reason}") from cause
        raise Unreachable(
            f"{who}: expected the set {origin.name} from the Hugging Face hub, got {reason}; check the name and the "
            "network, or give a file"
        ) from cause


def _describe(cause: BaseException) -> str:
    """Return the reason in one short line; the package wraps the error of a file in one of its own."""
    inner = cause.__cause__ if type(cause).__name__ == "DatasetGenerationError" and cause.__cause__ else cause
    text = " ".join(str(inner).split()) or type(inner).__name__
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
