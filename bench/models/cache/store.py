"""Replies shared between strategies, runs and processes: one SQLite file, written once for each key and never changed.

``read-write`` returns what is there and adds what is new; ``read`` never lets a call through: the first reply that is
missing ends the run, and the error names it. Rows hold the request too, so that a cassette can be made of them
(``bench.models.cache.cassette``). Knows no run, no suite and no model.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path

import platformdirs

from bench.errors import StoreError
from bench.models.cache import rows
from bench.models.cache.key import CacheKey, Replies
from bench.models.cache.rows import CachedReply, IdentityTotals
from bench.types import Message, Reply

__all__ = ["CACHE_VARIABLE", "MissingReplyError", "ReplayOnlyModel", "ReplyCache", "cache_path", "open_replies"]

CACHE_VARIABLE = "BENCH_CACHE"
SCHEMA_VERSION = "1"
_FILE = "replies.sqlite"
_BUSY_S = 60.0
"""How long a write waits for another process; a reply takes well under a millisecond, an import of many longer."""
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
_FOREIGN = (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, zlib.error)
"""What reading a row raises that was damaged on the disk or written by another program."""


class MissingReplyError(StoreError):
    """A run that may not call a model needs a reply that is not cached: it ends at once, and can be resumed."""


class ReplayOnlyModel:
    """The model of a run that only replays: it has a name, and needs neither key nor network."""

    def __init__(self, name: str):
        self.name = name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        raise MissingReplyError(f"{self.name}: expected no call with --cache read, got one (role {role})")

    json_mode = True

    def chat_json(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        return self.chat(messages, role=role, max_tokens=max_tokens, stop=stop)


def cache_path() -> Path:
    """Return where replies are cached: ``$BENCH_CACHE`` (a folder, or a file that ends in .sqlite), else the platform's
    cache folder. It need not exist."""
    given = os.environ.get(CACHE_VARIABLE)
    if not given:
        return Path(platformdirs.user_cache_dir("memfrontier")) / _FILE
    path = Path(os.path.expanduser(given)).resolve()  # noqa: PTH111  # the method raises for a user that is not there
    return path if path.suffix == ".sqlite" else path / _FILE


def open_replies(mode: str) -> Replies | None:
    """Return the cache in a mode, None if it is off. Raises: StoreError if it cannot be used, before any work."""
    return None if mode == "off" else ReplyCache(cache_path(), writable=mode == "read-write")


class ReplyCache:
    """The open cache. Safe to share between threads; any number of processes may have it open."""

    def __init__(self, path: Path, *, writable: bool):
        self.path, self._writable = path, writable
        self._lock = threading.Lock()
        self._key_locks: dict[str, _KeyLock] = {}
        with self._disk():
            self._db = self._open() if writable else self._open_read_only()

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
        db.row_factory = sqlite3.Row
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"meta", "replies"} <= tables:
            db.close()
            raise ValueError("it has other tables")
        if tables:
            self._check_schema(db)
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;")
        # All at once: of a process that is killed here, or of one that opens the file now, nobody sees a half.
        schema = files("bench.models.cache").joinpath("replies.sql").read_text(encoding="utf-8")
        version = f"INSERT OR IGNORE INTO meta VALUES ('schema', '{SCHEMA_VERSION}');"
        db.executescript(f"BEGIN IMMEDIATE;\n{schema}\n{version}\nCOMMIT;")
        self._check_schema(db)
        return db

    def _open_read_only(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise MissingReplyError(
                f"cache: expected replies in {self.path}, got nothing there; run with --cache read-write first, "
                "or `bench cache import` a cassette"
            )
        # A log that cannot be opened (a read-only disk) leaves the file as it was when it was closed.
        for mode in ("mode=ro", "mode=ro&immutable=1"):
            uri = f"{self.path.resolve().as_uri()}?{mode}"
            try:
                db = sqlite3.connect(uri, uri=True, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
                db.execute("SELECT 1 FROM replies LIMIT 1").fetchone()
            except sqlite3.OperationalError as error:
                cause = error
                continue
            db.row_factory = sqlite3.Row
            self._check_schema(db)
            return db
        raise cause

    def _check_schema(self, db: sqlite3.Connection) -> None:
        version = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()[0]
        if version != SCHEMA_VERSION:
            db.close()
            raise StoreError(
                f"cache: expected schema {SCHEMA_VERSION}, got {version} in {self.path}; "
                f"set {CACHE_VARIABLE} to another place"
            )

    def get(self, key: CacheKey) -> Reply | None:
        """Return the cached reply. Raises: MissingReplyError if it is not there and no model may be called."""
        with self._lock, self._disk():
            row = rows.find_row(self._db, key.digest)
            if row is None and not self._writable:
                raise MissingReplyError(
                    f"cache: expected a cached reply, got none for {key.request.model} in {self.path}, "
                    f"{rows.describe_nearest(self._db, key)}; run with --cache read-write, or import the cassette "
                    "that has it"
                )
            return None if row is None else rows.read_reply(row)

    def put(self, key: CacheKey, reply: Reply) -> None:
        """Store a reply, unless one is there already or this cache is only read."""
        if self._writable:
            self.add([CachedReply(key, reply)])

    def add(self, entries: Iterable[CachedReply]) -> int:
        """Store many replies in one transaction; all or, if anything raises, none. Return how many were new."""
        new = 0
        with self._lock, self._disk(()):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for entry in entries:
                    new += rows.insert_reply(self._db, entry)
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        return new

    @contextmanager
    def lock(self, key: CacheKey) -> Iterator[None]:
        """Let equal requests of this process in one by one; without a model to call there is nothing to wait for."""
        if not self._writable:
            yield
            return
        digest = key.digest
        with self._lock:
            key_lock = self._key_locks.setdefault(digest, _KeyLock())
            key_lock.users += 1
        try:
            with key_lock.lock:
                yield
        finally:
            with self._lock:
                key_lock.users -= 1
                if not key_lock.users:
                    del self._key_locks[digest]

    def entries(self, digests: Iterable[str] | None = None) -> Iterator[CachedReply]:
        """Yield replies sorted by the digest of their keys: all of them, or those of ``digests`` that are there."""
        if digests is None:
            with self._lock, self._disk():
                digests = rows.list_digests(self._db)
        for digest in sorted(set(digests)):
            with self._lock, self._disk():
                row = rows.find_row(self._db, digest)
                entry = None if row is None else rows.read_entry(self._db, row)
            if entry is not None:
                yield entry

    def count(self, digests: Iterable[str]) -> int:
        """Return how many of these digests are there."""
        with self._lock, self._disk():
            return sum(rows.find_row(self._db, digest) is not None for digest in digests)

    def sum_by_identity(self) -> tuple[IdentityTotals, ...]:
        """Return what is cached of each model, sorted by identity."""
        with self._lock, self._disk():
            return rows.sum_by_identity(self._db)

    def close(self) -> None:
        with self._lock:
            with suppress(sqlite3.Error):  # another process reads: the last one to close folds the log in
                if self._writable:
                    self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()

    @contextmanager
    def _disk(self, foreign: tuple[type[Exception], ...] = _FOREIGN) -> Iterator[None]:
        """Turn an error of the disk or the database, or of reading a row, into a StoreError that says what to do."""
        caught: tuple[type[Exception], ...] = (sqlite3.Error, OSError, *foreign)
        try:
            yield
        except caught as cause:
            # Only errors that SQLite itself reports have a code; its last eight bits are the kind.
            code = getattr(cause, "sqlite_errorcode", -1) & 0xFF
            if code in _DAMAGED or not isinstance(cause, sqlite3.Error | OSError):
                raise StoreError(
                    f"cache: expected a database of replies, got a damaged or foreign file at {self.path} ({cause}); "
                    f"restore or remove it, or set {CACHE_VARIABLE} to another place"
                ) from cause
            raise StoreError(
                f"cache: expected a usable file with free space, got {self.path} ({cause}); "
                f"free space or set {CACHE_VARIABLE} to another place, then resume: what was recorded is intact"
            ) from cause


class _KeyLock:
    """The lock of one key, and how many threads hold it or wait for it."""

    def __init__(self) -> None:
        self.lock, self.users = threading.Lock(), 0
