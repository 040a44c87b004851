"""What a row is called: its strategy, with the marks of what it learned, and the number of tasks where that differs.

So a control stands beside the row that it is a control of, and one strategy that learned from more and more tasks makes
several rows. Knows the data frame of items and the fields of a fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pandas as pd

__all__ = ["LEARNED_TASKS", "MARKS", "name_learner", "name_rows", "read_marks"]

MARKS = "row.marks"
"""The field with the words that mark a row, with commas; ``notes.py`` says what they mean."""
LEARNED_TASKS = "row.learned_tasks"
"""The field with the number of tasks that a row learned from."""
_EVERY, _ARTIFACT = "row.learned_every", "row.artifact"
_ROW = ["run", "suite", "split", "strategy", "model"]
_TABLE = ["suite", "split", "strategy", "model"]


def read_marks(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return why a row is no fair comparison, or what it is a control of."""
    return tuple(filter(None, fields.get(MARKS, "").split(",")))


def name_rows(items: pd.DataFrame) -> pd.DataFrame:
    """Return the items with ``expel (placebo)`` for a marked row; of rows with one name that learned from different
    things or in different ways, ``expel (20 tasks)`` and ``expel (20 tasks, each attempt)``. Trials without a score are
    named as those of their row that have one."""
    texts = items["fingerprint"].astype(str)
    learned = items[texts.str.contains(f'"{_ARTIFACT}"', regex=False)]
    if learned.empty:
        return items
    first = learned.drop_duplicates(_ROW).set_index(_ROW)["fingerprint"].map(lambda text: json.loads(str(text)))
    rows = pd.DataFrame(
        {
            "name": [_add_note(str(key[3]), ", ".join(read_marks(fields))) for key, fields in first.items()],  # type: ignore[index]
            "way": [_describe_way(fields) for fields in first],
            "learned": [f"{fields[_ARTIFACT]} {fields.get(_EVERY, '')}" for fields in first],
        },
        index=first.index,
    )
    same = [rows.index.get_level_values(name) for name in _TABLE if name != "strategy"]
    several = rows.groupby([*same, rows["name"]])["learned"].transform("nunique") > 1
    rows.loc[several, "name"] = [
        _add_note(name, way) for name, way in rows.loc[several, ["name", "way"]].itertuples(index=False)
    ]
    found = rows["name"].reindex(pd.MultiIndex.from_frame(items[_ROW])).to_numpy()
    return items.assign(strategy=pd.Series(found, index=items.index).fillna(items["strategy"]))


def name_learner(strategy: str, fields: Mapping[str, str]) -> str:
    """Return the name of a row whatever the number of tasks it learned from."""
    return _add_note(strategy, ", ".join((*read_marks(fields), *_read_every(fields))))


def _describe_way(fields: Mapping[str, str]) -> str:
    """Return how many tasks a row learned from, and whether it was called after each attempt at them."""
    return ", ".join((f"{fields.get(LEARNED_TASKS, '')} tasks", *_read_every(fields)))


def _read_every(fields: Mapping[str, str]) -> tuple[str, ...]:
    return ("each attempt",) if _EVERY in fields else ()


def _add_note(name: str, note: str) -> str:
    """Items that were exported have their notes already."""
    return name if not note or f"({note})" in name else f"{name} ({note})"
