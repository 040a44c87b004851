"""The orders of a stream, as a run records them: for each seed the tasks of each suite, in the order of play."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

__all__ = ["name_order", "read_places", "write_order"]

_NAME = "stream order of seed "


def name_order(seed: int) -> str:
    """Return the name under which the order of a seed stands in the table ``meta``."""
    return f"{_NAME}{seed}"


def write_order(order: Mapping[str, Sequence[str]]) -> str:
    """Return the text of an order: the ids of tasks, by the label of their suite."""
    return json.dumps({suite: list(tasks) for suite, tasks in order.items()})


def read_places(db: sqlite3.Connection) -> dict[tuple[str, int, str], int]:
    """Return the place of each task in each order, counted from 1, by suite, seed and task; empty without a stream."""
    found = db.execute("SELECT key, value FROM meta WHERE key LIKE ?", (f"{_NAME}%",)).fetchall()
    return {
        (suite, int(str(key).removeprefix(_NAME)), task): place
        for key, text in found
        for suite, tasks in json.loads(text).items()
        for place, task in enumerate(tasks, start=1)
    }
