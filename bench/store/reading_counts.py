"""How the replies of each strategy of a run were read, counted over all its decisions."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from bench.store.read import reading_run
from bench.store.rows import KEY_COLUMNS, read_key, read_reading
from bench.types import CallStatus, Reading, Role, TrialKey

__all__ = ["ReadingCounts", "UnreadableReply", "count_readings"]


@dataclass(frozen=True, slots=True)
class UnreadableReply:
    """One reply that held no action or answer, and the decision that it was given for."""

    key: TrialKey
    step: int
    text: str


@dataclass(slots=True)
class ReadingCounts:
    """The sums over the decisions of one strategy."""

    decisions: int = 0
    replies: int = 0
    """The deciding reply of each decision, and those after which the model was asked again."""
    unreadable: int = 0
    dialect_lines: int = 0
    example: UnreadableReply | None = None
    """The first unreadable reply."""


def count_readings(folder: Path) -> dict[str, ReadingCounts]:
    """Return the counts of each strategy that made a decision, by name. Raises: StoreError."""
    counts: dict[str, ReadingCounts] = {}
    with reading_run(folder) as db:
        columns = {row["name"] for row in db.execute("PRAGMA table_info(steps)")}
        if "reading" not in columns:  # a run of schema 1
            return {}
        key = ", ".join(f"t.{name}" for name in KEY_COLUMNS)
        steps = "steps s JOIN trials t ON t.id = s.trial ORDER BY s.trial, s.step"
        for row in db.execute(f"SELECT t.id, {key}, s.step, s.reading FROM {steps}"):
            reading = read_reading(row["reading"])
            count = counts.setdefault(row["strategy"], ReadingCounts())
            unreadable = reading.asked_again + reading.unreadable
            count.decisions += 1
            count.replies += 1 + reading.asked_again
            count.unreadable += unreadable
            count.dialect_lines += len(reading.dialect)
            if unreadable and count.example is None:
                count.example = UnreadableReply(read_key(row), row["step"], _find_reply(db, row, reading))
        return counts


def _find_reply(db: sqlite3.Connection, row: sqlite3.Row, reading: Reading) -> str:
    """Return an unreadable reply of a decision: the last one, or the first where the model was asked again."""
    order = "call DESC" if reading.unreadable else "call"
    found = db.execute(
        f"SELECT reply FROM calls WHERE trial = ? AND step = ? AND role IN (?, ?) AND status = ? ORDER BY {order}",
        (row["id"], row["step"], Role.ACT.value, Role.ANSWER.value, CallStatus.OK.value),
    ).fetchone()
    return "" if found is None else str(found[0])
