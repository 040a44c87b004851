"""Reading a run: complete trials, also while the run is being written or lies on a read-only disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from bench.errors import StoreError
from bench.store import rows
from bench.store.database import DATABASE
from bench.store.rows import PLANNED
from bench.types import CallStatus, Shape, Trial, TrialKey

__all__ = ["open_read_only", "read_attempt", "read_trials"]


def open_read_only(folder: Path) -> sqlite3.Connection:
    """Open a run for reading, also while it is being written or lies on a read-only disk. Raises: StoreError."""
    path = folder / DATABASE
    if not path.is_file():
        raise StoreError(f"run folder: expected {DATABASE} in it, got {folder}; give a folder that `bench run` made")
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        try:
            db = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)
            db.execute("SELECT 1 FROM trials LIMIT 1").fetchone()
        except sqlite3.Error as error:
            cause = error
            continue
        db.row_factory = sqlite3.Row
        return db
    raise StoreError(f"run.sqlite: expected a run database, got {path} ({cause})")


def read_attempt(folder: Path, key: TrialKey) -> Trial | None:
    """Return one trial of an episode by its key, None if it has not ended. Raises: StoreError."""
    where = " AND ".join(f"{name} = ?" for name in rows.KEY_COLUMNS)
    found = read_trials(folder, where=where, args=[str(value) for value in rows.to_key_values(key)])
    return found[0] if found else None


def read_trials(folder: Path, shape: Shape = Shape.EPISODE, where: str = "1", args: Sequence[str] = ()) -> list[Trial]:
    """Return the trials that have ended, by key; ``where`` is an SQL condition on the table ``trials``."""
    db = open_read_only(folder)
    try:
        found = db.execute(
            f"SELECT * FROM trials WHERE status != '{PLANNED}' AND ({where}) ORDER BY {','.join(rows.KEY_COLUMNS)}",
            args,
        ).fetchall()
        return [_read_trial(db, row, shape) for row in found]
    finally:
        db.close()


def _read_trial(db: sqlite3.Connection, row: sqlite3.Row, shape: Shape) -> Trial:
    def select(table: str, order: str) -> list[sqlite3.Row]:
        return db.execute(f"SELECT * FROM {table} WHERE trial = ? ORDER BY {order}", (row["id"],)).fetchall()

    kept = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'evidence'").fetchone()
    evidence = {one["step"]: rows.read_evidence(one) for one in (select("evidence", "step") if kept else ())}
    return rows.read_trial(
        row,
        tuple(map(rows.read_item, select("items", "item"))),
        tuple(rows.read_step(one, row["opening"], shape, evidence.get(one["step"])) for one in select("steps", "step")),
        tuple(
            rows.read_call(call) for call in select("calls", "call, attempt") if call["status"] != CallStatus.SUPERSEDED
        ),
        tuple(said["text"] for said in select("feedback", "attempt")) if row["attempt"] > 1 else (),
    )
