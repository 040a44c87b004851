"""What a run recorded of its calls and errors, in sums and lists; the requests suffice to find cached replies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.store.database import Spending, read_spending
from bench.store.read import reading_run
from bench.store.rows import PLANNED, read_key
from bench.types import CallStatus, Role, TrialKey

__all__ = [
    "ErrorCount",
    "ReplyUse",
    "count_unscored",
    "list_errors",
    "list_reasons",
    "list_statuses",
    "read_meta",
    "read_reply_uses",
    "sum_spending",
]

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


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """One error of a run's trials, how many ended with it, and the first of those in the order of the plan."""

    status: str
    text: str
    trials: int
    first: TrialKey


def list_errors(folder: Path) -> list[ErrorCount]:
    """Return each distinct error of a run's trials, those of a learning stage left out. Raises: StoreError."""
    query = (
        "SELECT t.*, n FROM (SELECT MIN(id) AS first, COUNT(*) AS n FROM trials WHERE error != '' AND attempt > 0 "
        "GROUP BY status, error) JOIN trials t ON t.id = first ORDER BY first"
    )
    with reading_run(folder) as db:
        return [ErrorCount(row["status"], row["error"], row["n"], read_key(row)) for row in db.execute(query)]


def list_reasons(folder: Path, beginning: str) -> list[tuple[object, ...]]:
    """Return the items with a score that has no value for a reason with that beginning: suite, split, model, strategy,
    task, seed and item of each. Raises: StoreError."""
    query = (
        "SELECT suite, split, model, strategy, task, seed, item, reasons FROM items i JOIN trials t ON t.id = i.trial "
        "WHERE t.attempt > 0 AND reasons LIKE ?"
    )
    with reading_run(folder) as db:
        rows = db.execute(query, (f'%:"{beginning}%',)).fetchall()
        return [tuple(row)[:-1] for row in rows if _has_reason(row["reasons"], beginning)]


def _has_reason(text: str, beginning: str) -> bool:
    return any(str(reason).startswith(beginning) for reason in json.loads(text).values())


def list_statuses(folder: Path) -> set[str]:
    """Return how a run's trials ended, those of a learning stage left out. Raises: StoreError."""
    with reading_run(folder) as db:
        return {row["status"] for row in db.execute("SELECT DISTINCT status FROM trials WHERE attempt > 0")}


def read_meta(folder: Path, name: str) -> str | None:
    """Return a named text of a run, None if it has none. Raises: StoreError."""
    with reading_run(folder) as db:
        row = db.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def count_unscored(folder: Path, scored: tuple[str, ...]) -> int:
    """Return how many planned trials have not ended with a score. Raises: StoreError."""
    with reading_run(folder) as db:
        marks = ",".join("?" * len(scored))
        return int(db.execute(f"SELECT COUNT(*) FROM trials WHERE status NOT IN ({marks})", scored).fetchone()[0])


def sum_spending(folder: Path) -> Spending:
    """Return what a run has spent so far. Raises: StoreError."""
    with reading_run(folder) as db:
        return read_spending(db)


def read_reply_uses(folder: Path) -> Iterator[ReplyUse]:
    """Yield the requests of every trial that has ended, by trial and index; vectors computed in-process are left out.

    Raises: StoreError.
    """
    marks = ",".join("?" * len(_COMPLETED))
    query = (
        "SELECT trial, seed, role, c.model, request_hash, reply FROM calls c JOIN trials t ON t.id = c.trial "
        f"WHERE c.status IN ({marks}) AND t.status != '{PLANNED}' ORDER BY trial, call, c.attempt"
    )
    with reading_run(folder) as db:
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
