"""The scores of many items, as the run database holds them, to one float column per score; many records at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice

import numpy as np
import numpy.typing as npt

__all__ = ["read_score_columns"]

_MANY = 1000
"""Records read by one call of the JSON reader."""

_Array = npt.NDArray[np.float64]


def read_score_columns(texts: Iterable[str]) -> dict[str, _Array]:
    """Return a column for each score that a record names, in the order in which they are met; NaN = it has none.

    ``texts``: JSON objects of numbers and nulls; an empty text is a record without scores.
    Raises: ValueError, TypeError for other texts.
    """
    parts: list[tuple[tuple[str, ...], npt.NDArray[np.intp], _Array]] = []
    source, count = iter(texts), 0
    while chunk := list(islice(source, _MANY)):
        rows: dict[tuple[str, ...], list[int]] = {}
        values: dict[tuple[str, ...], list[list[float | None]]] = {}
        for row, record in enumerate(_read_records(chunk), start=count):
            names = tuple(record)  # records of one kind have the same scores in the same order
            rows.setdefault(names, []).append(row)
            values.setdefault(names, []).append(list(record.values()))
        parts += [(names, np.array(rows[names]), np.array(values[names], dtype=np.float64)) for names in rows]
        count += len(chunk)
    return _assemble(parts, count)


def _read_records(texts: list[str]) -> list[dict[str, float | None]]:
    records: list[dict[str, float | None]] = json.loads(f"[{','.join(text or '{}' for text in texts)}]")
    if len(records) != len(texts) or not all(isinstance(record, dict) for record in records):
        raise ValueError("scores that are no JSON object")
    return records


def _assemble(parts: list[tuple[tuple[str, ...], npt.NDArray[np.intp], _Array]], count: int) -> dict[str, _Array]:
    # By the first record that names it: parts of one chunk come in that order.
    columns: dict[str, _Array] = {}
    for names, rows, values in parts:
        for index, name in enumerate(names):
            if name not in columns:
                columns[name] = np.full(count, np.nan)
            columns[name][rows] = values[:, index]
    return columns
