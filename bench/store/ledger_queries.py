"""What a run asked, told from its ledger: enough to find the kept reply of each call. Knows no cache and no key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.store.read import read_only
from bench.store.rows import PLANNED

__all__ = ["Use", "read_meta", "reply_uses", "unscored"]

_SETTLED = ("ok", "overflow")
"""The statuses of a call that has its answer."""
_EMBED = "embed"


@dataclass(frozen=True, slots=True)
class Use:
    """One request of one trial that has its answer."""

    request_hash: str
    seed: int
    sample: int
    """How often the trial had made this very request before."""
    embedder: str = ""
    """The embedder that was asked for vectors; empty for a chat."""


def read_meta(folder: Path, name: str) -> str | None:
    """Return a named text of a run, None if it has none. Raises: StoreError."""
    db = read_only(folder)
    try:
        row = db.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
    finally:
        db.close()
    return None if row is None else str(row[0])


def unscored(folder: Path, scored: tuple[str, ...]) -> int:
    """Return how many planned trials have not ended with a score. Raises: StoreError."""
    db = read_only(folder)
    try:
        marks = ",".join("?" * len(scored))
        return int(db.execute(f"SELECT COUNT(*) FROM trials WHERE status NOT IN ({marks})", scored).fetchone()[0])
    finally:
        db.close()


def reply_uses(folder: Path) -> Iterator[Use]:
    """Return the requests of every trial that has ended, by trial and place; vectors computed here are left out.

    Raises: StoreError.
    """
    query = (
        "SELECT trial, seed, role, c.model, request_hash, reply FROM calls c JOIN trials t ON t.id = c.trial "
        f"WHERE c.status IN (?, ?) AND t.status != '{PLANNED}' ORDER BY trial, call, c.attempt"
    )
    db = read_only(folder)
    try:
        trial, seen = None, Counter[str]()
        for row in db.execute(query, _SETTLED):
            if row["trial"] != trial:
                trial, seen = row["trial"], Counter()
            sent = row["request_hash"]
            if row["role"] != _EMBED:
                yield Use(sent, row["seed"], seen[sent])
                seen[sent] += 1
            elif row["reply"]:
                yield Use(sent, 0, 0, row["model"])
    finally:
        db.close()
