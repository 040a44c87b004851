"""The requests of a run, read from its ledger: enough to find the cached reply of each call. Knows no cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.store.database import Spending, read_spending
from bench.store.read import open_read_only
from bench.store.rows import PLANNED
from bench.types import CallStatus, Role

__all__ = ["ReplyUse", "count_unscored", "read_meta", "read_reply_uses", "sum_spending"]

_COMPLETED = tuple(status.value for status in CallStatus if status.completed)


@dataclass(frozen=True, slots=True)
class ReplyUse:
    """One request of one trial that has its answer."""

    request_hash: str
    seed: int
    sample: int
    """The number of times the trial had made this very request before."""
    model: str
    """What replied: a model, or an embedder."""
    role: str
    """``embed`` = these are vectors."""


def read_meta(folder: Path, name: str) -> str | None:
    """Return a named text of a run, None if it has none. Raises: StoreError."""
    db = open_read_only(folder)
    try:
        row = db.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
    finally:
        db.close()
    return None if row is None else str(row[0])


def count_unscored(folder: Path, scored: tuple[str, ...]) -> int:
    """Return how many planned trials have not ended with a score. Raises: StoreError."""
    db = open_read_only(folder)
    try:
        marks = ",".join("?" * len(scored))
        return int(db.execute(f"SELECT COUNT(*) FROM trials WHERE status NOT IN ({marks})", scored).fetchone()[0])
    finally:
        db.close()


def sum_spending(folder: Path) -> Spending:
    """Return what a run has spent so far. Raises: StoreError."""
    db = open_read_only(folder)
    try:
        return read_spending(db)
    finally:
        db.close()


def read_reply_uses(folder: Path) -> Iterator[ReplyUse]:
    """Yield the requests of every trial that has ended, by trial and index; vectors computed in-process are left out.

    Raises: StoreError.
    """
    marks = ",".join("?" * len(_COMPLETED))
    query = (
        "SELECT trial, seed, role, c.model, request_hash, reply FROM calls c JOIN trials t ON t.id = c.trial "
        f"WHERE c.status IN ({marks}) AND t.status != '{PLANNED}' ORDER BY trial, call, c.attempt"
    )
    db = open_read_only(folder)
    try:
        trial, seen = None, Counter[str]()
        for row in db.execute(query, _COMPLETED):
            if row["trial"] != trial:
                trial, seen = row["trial"], Counter()
            request_hash = row["request_hash"]
            if row["role"] != Role.EMBED:
                yield ReplyUse(request_hash, row["seed"], seen[request_hash], row["model"], row["role"])
                seen[request_hash] += 1
            elif row["reply"]:
                yield ReplyUse(request_hash, 0, 0, row["model"], Role.EMBED)
    finally:
        db.close()
