"""Replies shared between strategies, runs and processes: one SQLite file, written once for each key and never changed.

``read-write`` takes what is there and keeps what is new; ``read`` never lets a call through: the first reply that is
missing ends the run and says which. Rows hold the request too, so that a cassette can be made of them
(``bench.models.cache.cassette``). Knows no run, no suite and no model.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import platformdirs

from bench.errors import StoreError
from bench.models.cache.key import CacheKey, Replies, Request
from bench.types import Message, Reply, Usage, UsageSource

__all__ = [
    "CACHE_VARIABLE",
    "Holding",
    "Kept",
    "MissingReplyError",
    "ReplayOnlyModel",
    "ReplyCache",
    "cache_path",
    "open_replies",
]

CACHE_VARIABLE = "BENCH_CACHE"
SCHEMA_VERSION = "1"
_FILE = "replies.sqlite"
_BUSY_S = 60.0
"""How long a write waits for another process; a reply takes well under a millisecond, an import of many longer."""

_COLUMNS = (
    "key", "identity", "sent", "seed", "sample", "model", "messages", "max_tokens", "stop", "reply", "finish", "prompt",
    "cached_read", "cache_write", "completion", "reasoning", "usage_source", "cost_usd", "price_date",
)  # fmt: skip


class MissingReplyError(StoreError):
    """A run that may not call a model needs a reply that nobody has kept: it ends at once, and can be resumed."""


class ReplayOnlyModel:
    """The model of a run that only replays: it has a name, and needs neither key nor network."""

    def __init__(self, name: str):
        self.name = name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        raise MissingReplyError(f"{self.name}: expected no call with --cache read, got one (role {role})")


@dataclass(frozen=True, slots=True)
class Kept:
    """One row of the cache: what was asked, what was said."""

    asked: CacheKey
    reply: Reply


@dataclass(frozen=True, slots=True)
class Holding:
    """What the cache holds of one model. Sums count what was told; ``unpriced`` replies have no known cost."""

    identity: str
    replies: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    unpriced: int


def cache_path() -> Path:
    """Return where replies are kept: ``$BENCH_CACHE`` (a folder, or a file that ends in .sqlite), else the platform's
    cache folder. It need not exist."""
    given = os.environ.get(CACHE_VARIABLE)
    if not given:
        return Path(platformdirs.user_cache_dir("memfrontier")) / _FILE
    path = Path(given).expanduser().resolve()
    return path if path.suffix == ".sqlite" else path / _FILE


def open_replies(mode: str) -> Replies | None:
    """Return the cache in a mode, None if it is off. Raises: StoreError if it cannot be used, before any work."""
    return None if mode == "off" else ReplyCache(cache_path(), writable=mode == "read-write")


class ReplyCache:
    """The open cache. Safe to share between threads; any number of processes may have it open."""

    def __init__(self, path: Path, *, writable: bool):
        self.path, self._writable = path, writable
        self._lock = threading.Lock()
        self._turns: dict[str, _Turn] = {}
        with self._disk():
            self._db = self._opened()

    def _opened(self) -> sqlite3.Connection:
        if not self._writable:
            return self._read_only()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
        db.row_factory = sqlite3.Row
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;")
        db.executescript(files("bench.models.cache").joinpath("replies.sql").read_text())
        db.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (SCHEMA_VERSION,))
        return self._checked(db)

    def _read_only(self) -> sqlite3.Connection:
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
            return self._checked(db)
        raise cause

    def _checked(self, db: sqlite3.Connection) -> sqlite3.Connection:
        version = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()[0]
        if version != SCHEMA_VERSION:
            db.close()
            raise StoreError(
                f"cache: expected schema {SCHEMA_VERSION}, got {version} in {self.path}; "
                f"set {CACHE_VARIABLE} to another place"
            )
        return db

    def get(self, asked: CacheKey) -> Reply | None:
        """Return the kept reply. Raises: MissingReplyError if it is not there and no model may be called."""
        with self._lock, self._disk():
            row = self._db.execute("SELECT * FROM replies WHERE key = ?", (bytes.fromhex(asked.key),)).fetchone()
            if row is None and not self._writable:
                raise MissingReplyError(
                    f"cache: expected a kept reply, got none for {asked.request.model} in {self.path}, "
                    f"{self._nearest(asked)}; run with --cache read-write, or import the cassette that has it"
                )
        return None if row is None else _reply(row)

    def put(self, asked: CacheKey, reply: Reply) -> None:
        """Keep a reply, unless one is there already or this cache is only read."""
        if self._writable:
            self.add([Kept(asked, reply)])

    def add(self, entries: Iterable[Kept]) -> int:
        """Keep many replies in one transaction; all or, if anything raises, none. Returns how many were new."""
        new = 0
        with self._lock, self._disk():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for entry in entries:
                    new += self._insert(entry)
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        return new

    def _insert(self, entry: Kept) -> int:
        asked, request, reply, use = entry.asked, entry.asked.request, entry.reply, entry.reply.usage
        key = bytes.fromhex(asked.key)
        if self._db.execute("SELECT 1 FROM replies WHERE key = ?", (key,)).fetchone():
            return 0
        self._db.execute("INSERT OR IGNORE INTO identities (text) VALUES (?)", (asked.identity,))
        identity = self._db.execute("SELECT id FROM identities WHERE text = ?", (asked.identity,)).fetchone()[0]
        messages = [[message.role, self._text(message.content)] for message in request.messages]
        values = (
            key, identity, bytes.fromhex(asked.sent), asked.seed, asked.sample, request.model, json.dumps(messages),
            request.max_tokens, json.dumps(request.stop), reply.text, reply.finish, use.prompt, use.cached_read,
            use.cache_write, use.completion, use.reasoning, use.source.value, reply.cost_usd, reply.price_date,
        )  # fmt: skip
        marks = ",".join("?" * len(_COLUMNS))
        self._db.execute(f"INSERT INTO replies ({','.join(_COLUMNS)}) VALUES ({marks})", values)
        return 1

    def _text(self, content: str) -> int:
        """Return the id of a message's text, storing it the first time."""
        data = content.encode()
        digest = hashlib.sha256(data).digest()[:16]
        found = self._db.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
        if found is None:
            cursor = self._db.execute("INSERT INTO texts (digest, data) VALUES (?, ?)", (digest, zlib.compress(data)))
            return int(cursor.lastrowid or 0)
        return int(found[0])

    def _nearest(self, asked: CacheKey) -> str:
        """Say what the cache has that comes closest, so that the difference can be seen."""
        same = "SELECT text, seed, sample FROM replies r JOIN identities i ON i.id = r.identity WHERE sent = ? LIMIT 1"
        if row := self._db.execute(same, (bytes.fromhex(asked.sent),)).fetchone():
            if row["text"] != asked.identity:
                return f"which has the same request for [{row['text']}] but not for [{asked.identity}]"
            return (
                f"which has the same request for seed {row['seed']}, sample {row['sample']} "
                f"but not for seed {asked.seed}, sample {asked.sample}"
            )
        count = "SELECT COUNT(*) FROM replies r JOIN identities i ON i.id = r.identity WHERE text = ?"
        if known := self._db.execute(count, (asked.identity,)).fetchone()[0]:
            return f"which has {known:,} replies of [{asked.identity}] but to other prompts"
        others = [row[0] for row in self._db.execute("SELECT text FROM identities ORDER BY text LIMIT 3")]
        return (
            f"which has replies of [{'], ['.join(others)}] but not of [{asked.identity}]" if others else "it is empty"
        )

    @contextmanager
    def alone(self, asked: CacheKey) -> Iterator[None]:
        """Let equal requests of this process in one by one; without a model to call there is nothing to wait for."""
        if not self._writable:
            yield
            return
        key = asked.key
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            turn.waiting += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._lock:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._turns[key]

    def entries(self, keys: Iterable[str] | None = None) -> Iterator[Kept]:
        """Return rows in the order of their keys: all of them, or those of ``keys`` that are there."""
        query = "SELECT r.*, i.text FROM replies r JOIN identities i ON i.id = r.identity"
        if keys is None:
            with self._lock, self._disk():
                keys = [row[0].hex() for row in self._db.execute("SELECT key FROM replies")]
        for key in sorted(set(keys)):
            with self._lock, self._disk():
                row = self._db.execute(f"{query} WHERE key = ?", (bytes.fromhex(key),)).fetchone()
                messages = () if row is None else self._messages(row["messages"])
            if row is not None:
                request = Request(row["model"], messages, row["max_tokens"], tuple(json.loads(row["stop"])))
                yield Kept(CacheKey(request, row["sent"].hex(), row["text"], row["seed"], row["sample"]), _reply(row))

    def count(self, keys: Iterable[str]) -> int:
        """Return how many of these keys are there."""
        query = "SELECT COUNT(*) FROM replies WHERE key = ?"
        with self._lock, self._disk():
            return sum(self._db.execute(query, (bytes.fromhex(key),)).fetchone()[0] for key in keys)

    def _messages(self, stored: str) -> tuple[Message, ...]:
        texts = "SELECT data FROM texts WHERE id = ?"
        return tuple(
            Message(role, zlib.decompress(self._db.execute(texts, (number,)).fetchone()[0]).decode())
            for role, number in json.loads(stored)
        )

    def holdings(self) -> tuple[Holding, ...]:
        """Return what is kept of each model, by identity."""
        query = (
            "SELECT text, COUNT(*), SUM(COALESCE(prompt, 0)), SUM(COALESCE(completion, 0)), SUM(COALESCE(cost_usd, 0)),"
            " SUM(cost_usd IS NULL) FROM replies r JOIN identities i ON i.id = r.identity GROUP BY text ORDER BY text"
        )
        with self._lock, self._disk():
            return tuple(Holding(*row) for row in self._db.execute(query))

    def close(self) -> None:
        with self._lock:
            with suppress(sqlite3.Error):  # another process reads: the last one to close folds the log in
                if self._writable:
                    self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """Turn what a disk can do to us into a StoreError that says so."""
        try:
            yield
        except (sqlite3.Error, OSError) as cause:
            if getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise StoreError(
                    f"cache: expected a database of replies, got a damaged file at {self.path} ({cause}); "
                    f"restore or remove it, or set {CACHE_VARIABLE} to another place"
                ) from cause
            raise StoreError(
                f"cache: expected a usable file with free space, got {self.path} ({cause}); "
                f"free space or set {CACHE_VARIABLE} to another place, then resume: what was recorded is intact"
            ) from cause


class _Turn:
    """The queue of one key."""

    def __init__(self) -> None:
        self.lock, self.waiting = threading.Lock(), 0


def _reply(row: sqlite3.Row) -> Reply:
    usage = Usage(
        row["prompt"], row["cached_read"], row["cache_write"], row["completion"], row["reasoning"],
        UsageSource(row["usage_source"]),
    )  # fmt: skip
    return Reply(row["reply"], usage, row["cost_usd"], row["price_date"], row["finish"])
