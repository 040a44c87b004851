"""The run database as its one writer sees it: plan trials, commit calls before use, finish trials, in WAL mode.

Every public method is one transaction and safe to call from several threads. A full disk, a read-only folder or one
that was moved is a StoreError, and what was committed before stays readable.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from bench.errors import StoreError
from bench.store import rows
from bench.store.disk import guard_disk
from bench.store.lock import FolderLock
from bench.store.place import Place
from bench.store.rows import TrialRow
from bench.store.storable import make_storable
from bench.types import Call, CallStatus, Task, Trial, TrialKey

__all__ = ["DATABASE", "SCHEMA_VERSION", "Plan", "Spending", "Store", "read_spending"]

DATABASE = "run.sqlite"
SCHEMA_VERSION = "2"


@dataclass(frozen=True, slots=True)
class Plan:
    """One trial to be played: its key and its task, whose group splits tables."""

    key: TrialKey
    task: Task


@dataclass(frozen=True, slots=True)
class Spending:
    """The sums over the ledger: tokens of all calls, US dollars of all attempts (None: some price is unknown)."""

    calls: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Spending) -> Spending:
        cost = None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd
        return Spending(self.calls + other.calls, self.tokens + other.tokens, cost)

    @classmethod
    def of(cls, call: Call) -> Spending:
        """Return what one call spent."""
        return cls(1, (call.usage.prompt or 0) + (call.usage.completion or 0), call.cost_usd)


def read_spending(db: sqlite3.Connection) -> Spending:
    """Return the sums over the ledger of a run database."""
    row = db.execute(
        "SELECT COUNT(*), COALESCE(SUM(COALESCE(prompt,0) + COALESCE(completion,0)), 0), SUM(cost_usd), "
        "SUM(cost_usd IS NULL) FROM calls"
    ).fetchone()
    return Spending(row[0], row[1], None if row[3] else (row[2] or 0.0))


class Store:
    """The one writer of a run folder. Raises: StoreError if the folder is locked, read-only, full or foreign."""

    def __init__(self, folder: Path):
        with guard_disk(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = threading.Lock()
        self._folder_lock = FolderLock(folder)
        try:
            with guard_disk(folder):
                self._db = self._connect(folder / DATABASE)
                self._place = Place(folder / DATABASE)
        except BaseException:
            self._folder_lock.release()
            raise
        self._ids: dict[TrialKey, int] = {}

    @staticmethod
    def _connect(path: Path) -> sqlite3.Connection:
        db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        db.row_factory = sqlite3.Row
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
        return db

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, guard_disk(self.folder):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
            self._place.check()

    def meta(self, key: str) -> str | None:
        """Return a named text of the run, None if it was never set."""
        with self._lock, guard_disk(self.folder):
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def plan(self, plans: Sequence[Plan]) -> None:
        """Add trials that are not there yet; existing ones stay as they are."""
        with self._transaction() as db:
            _insert_plans(db, plans)

    def trials(self) -> tuple[TrialRow, ...]:
        """Return every planned trial with its status, in the order of their keys."""
        with self._lock, guard_disk(self.folder):
            found = self._db.execute(f"SELECT * FROM trials ORDER BY {','.join(rows.KEY_COLUMNS)}").fetchall()
        listed = tuple(
            TrialRow(row["id"], rows.read_key(row), row["status"], row["error"], row["end_reason"]) for row in found
        )
        self._ids.update({row.key: row.id for row in listed})
        return listed

    def _id(self, key: TrialKey) -> int:
        if key not in self._ids:
            self.trials()
        try:
            return self._ids[key]
        except KeyError:
            raise StoreError(f"run.sqlite: expected a planned trial, got {key}; plan it first") from None

    def calls(self, key: TrialKey) -> tuple[Call, ...]:
        """Return the committed calls of one trial that still count, by place and attempt."""
        trial_id = self._id(key)
        with self._lock, guard_disk(self.folder):
            found = self._db.execute(
                "SELECT * FROM calls WHERE trial = ? AND status != ? ORDER BY call, attempt",
                (trial_id, CallStatus.SUPERSEDED.value),
            ).fetchall()
            return tuple(map(rows.read_call, found))

    def commit_call(self, key: TrialKey, call: Call) -> None:
        """Write one call; when this returns, a kill cannot lose it."""
        marks = ",".join("?" * len(rows.CALL_COLUMNS))
        values = next(make_storable([rows.to_call_row(self._id(key), call)]))
        with self._transaction() as db:
            db.execute(f"INSERT INTO calls ({','.join(rows.CALL_COLUMNS)}) VALUES ({marks})", values)

    def supersede(self, key: TrialKey) -> None:
        """Mark a trial's committed calls as superseded: they stay as spend and are not replayed."""
        trial_id = self._id(key)
        with self._transaction() as db:
            low = db.execute("SELECT COALESCE(MIN(call), 0) FROM calls WHERE trial = ?", (trial_id,)).fetchone()[0]
            # Their indices move below all others, so that a new attempt can use 0 and up again.
            db.execute(
                "UPDATE calls SET status = ?, call = ? - call WHERE trial = ? AND call >= 0",
                (CallStatus.SUPERSEDED.value, min(low, 0) - 1, trial_id),
            )

    def finish(self, trial: Trial, following: Plan | None = None) -> None:
        """Write how a trial ended, its steps and items, replacing an earlier unscored end; plan the attempt that
        follows it in the same transaction."""
        trial_id = self._id(trial.key)
        items = [rows.to_item_row(trial_id, item) for item in trial.items]
        steps = [rows.to_step_row(trial_id, step, trial.opening) for step in trial.steps]
        evidence = [row for step in trial.steps if (row := rows.to_evidence_row(trial_id, step)) is not None]
        latencies = [
            (trial_id, step.index, step.latency.recall_s, step.latency.decision_s)
            for step in trial.steps
            if step.latency is not None
        ]
        feedback = [(trial_id, attempt, text) for attempt, text in enumerate(trial.feedback, start=1)]
        with self._transaction() as db:
            _insert_plans(db, [following] if following else [])
            for table in ("items", "steps", "evidence", "latencies", "feedback"):
                db.execute(f"DELETE FROM {table} WHERE trial = ?", (trial_id,))
            db.executemany(f"INSERT INTO items VALUES ({','.join('?' * len(rows.ITEM_COLUMNS))})", make_storable(items))
            db.executemany(f"INSERT INTO steps VALUES ({','.join('?' * len(rows.STEP_COLUMNS))})", make_storable(steps))
            db.executemany("INSERT INTO evidence VALUES (?,?,?,?,?,?)", make_storable(evidence))
            db.executemany("INSERT INTO latencies VALUES (?,?,?,?)", latencies)
            db.executemany("INSERT INTO feedback VALUES (?,?,?)", make_storable(feedback))
            db.execute(
                f"UPDATE trials SET {','.join(f'{name}=?' for name in rows.TRIAL_COLUMNS)} WHERE id=?",
                next(make_storable([(*rows.to_trial_values(trial), trial_id)])),
            )

    def sum_spending(self) -> Spending:
        with self._lock, guard_disk(self.folder):
            return read_spending(self._db)

    def close(self) -> None:
        """Fold the write-ahead log into the file and release the lock of the folder."""
        with self._lock:
            with suppress(sqlite3.Error):  # if it fails the log stays next to the file; nothing is lost
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()
        self._folder_lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new database. Raises: StoreError for one of another program or another schema."""
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and not {"meta", "trials", "calls"} <= tables:
        raise StoreError(f"run.sqlite: expected a run database, got another one, {path}; choose another folder with -o")
    # NORMAL: a killed process loses nothing; only a power cut may lose the last commits, never the file.
    db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;")
    # At once: a database that a kill left half made would be taken for another program's.
    schema = files("bench.store").joinpath("schema.sql").read_text(encoding="utf-8")
    db.executescript(f"BEGIN IMMEDIATE;\n{schema}\nCOMMIT;")
    version = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    if version is None:
        db.execute("INSERT INTO meta VALUES ('schema', ?)", (SCHEMA_VERSION,))
    elif version[0] != SCHEMA_VERSION:
        raise StoreError(
            f"run.sqlite: expected schema {SCHEMA_VERSION}, got {version[0]}; it can be read, not continued: "
            "go on with the version of bench that made it, or choose another folder with -o"
        )


def _insert_plans(db: sqlite3.Connection, plans: Sequence[Plan]) -> None:
    columns = (*rows.KEY_COLUMNS, "grp", "cluster", "optimal_steps")
    values = [
        (*rows.to_key_values(plan.key), plan.task.group, plan.task.cluster, plan.task.optimal_steps) for plan in plans
    ]
    marks = ",".join("?" * len(columns))
    db.executemany(f"INSERT OR IGNORE INTO trials ({','.join(columns)}) VALUES ({marks})", values)
