"""Reading a run: complete trials, also while the run is being written or lies on a read-only disk."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.errors import BenchError, StoreError
from bench.store import rows
from bench.store.database import DATABASE, SCHEMA_VERSION
from bench.store.rows import PLANNED
from bench.types import CallStatus, Latency, Shape, Trial, TrialKey

__all__ = ["open_read_only", "read_attempt", "read_trials", "reading_run"]

_HINT = "restore it from a copy, or play the run again in another folder"
_SCHEMAS = ("1", SCHEMA_VERSION)
_FOREIGN = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError, zlib.error)
"""What reading a record raises that nobody of this project wrote, or that was damaged on the disk."""
_LONGEST = 200
"""Characters of a reason in a message."""


@contextmanager
def reading_run(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open a run for reading and close it at the end; inside, a record that is not as a run writes it is a StoreError.

    Raises: StoreError.
    """
    with _readable(folder):
        db = open_read_only(folder)
        try:
            yield db
        finally:
            db.close()


def open_read_only(folder: Path) -> sqlite3.Connection:
    """Open a run for reading, also while it is being written or lies on a read-only disk. Raises: StoreError."""
    path = folder / DATABASE
    if not path.is_file():
        raise StoreError(f"run folder: expected {DATABASE} in it, got {folder}; give a folder that `bench run` made")
    cause: sqlite3.Error | None = None
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        try:
            db = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)
            db.execute("SELECT 1 FROM trials LIMIT 1").fetchone()
        except sqlite3.Error as error:
            cause = error
            continue
        db.row_factory = sqlite3.Row
        _check_schema(db, path)
        return db
    raise StoreError(f"run.sqlite: expected a run database, got {path} ({cause}); {_HINT}")


def _check_schema(db: sqlite3.Connection, path: Path) -> None:
    version = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    if version is not None and str(version[0]) not in _SCHEMAS:
        db.close()
        raise StoreError(
            f"run.sqlite: expected schema {' or '.join(_SCHEMAS)}, got {version[0]} in {path}; read it with the "
            "version of bench that made it"
        )


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    try:
        yield
    except (BenchError, BrokenPipeError):
        raise
    except (sqlite3.Error, OSError, *_FOREIGN) as cause:
        reason = " ".join(f"{type(cause).__name__}: {cause}".split())[:_LONGEST]
        raise StoreError(
            f"run.sqlite: expected the records of a run, got {folder} with others ({reason}); {_HINT}"
        ) from cause


def read_attempt(folder: Path, key: TrialKey) -> Trial | None:
    """Return one trial of an episode by its key, None if it has not ended. Raises: StoreError."""
    where = " AND ".join(f"{name} = ?" for name in rows.KEY_COLUMNS)
    found = read_trials(folder, where=where, args=[str(value) for value in rows.to_key_values(key)])
    return found[0] if found else None


def read_trials(folder: Path, shape: Shape = Shape.EPISODE, where: str = "1", args: Sequence[str] = ()) -> list[Trial]:
    """Return the trials that have ended, by key; ``where`` is an SQL condition on the table ``trials``."""
    with reading_run(folder) as db:
        found = db.execute(
            f"SELECT * FROM trials WHERE status != '{PLANNED}' AND ({where}) ORDER BY {','.join(rows.KEY_COLUMNS)}",
            args,
        ).fetchall()
        return [_read_trial(db, row, shape) for row in found]


def _read_trial(db: sqlite3.Connection, row: sqlite3.Row, shape: Shape) -> Trial:
    def select(table: str, order: str) -> list[sqlite3.Row]:
        return db.execute(f"SELECT * FROM {table} WHERE trial = ? ORDER BY {order}", (row["id"],)).fetchall()

    kept = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE name IN ('evidence', 'latencies')")}
    evidence, latencies = (select(name, "step") if name in kept else () for name in ("evidence", "latencies"))
    known = {one["step"]: rows.read_evidence(one) for one in evidence}
    took = {one["step"]: Latency(one["recall_s"], one["decision_s"]) for one in latencies}
    return rows.read_trial(
        row,
        tuple(map(rows.read_item, select("items", "item"))),
        tuple(
            replace(rows.read_step(one, row["opening"], shape, known.get(one["step"])), latency=took.get(one["step"]))
            for one in select("steps", "step")
        ),
        tuple(
            rows.read_call(call) for call in select("calls", "call, attempt") if call["status"] != CallStatus.SUPERSEDED
        ),
        tuple(said["text"] for said in select("feedback", "attempt")) if row["attempt"] > 1 else (),
    )
