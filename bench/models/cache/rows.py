"""One cached reply as rows of ``replies.sql``: written, read and described. Knows the columns and no file, no lock.

Every function takes an open connection; the store holds the lock and turns errors of the disk into a StoreError.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from bench.models.cache.key import CacheKey, Request
from bench.types import Message, Reply, Usage, UsageSource

__all__ = [
    "CachedReply",
    "IdentityTotals",
    "describe_nearest",
    "find_row",
    "insert_reply",
    "list_digests",
    "read_entry",
    "read_reply",
    "sum_by_identity",
]

_COLUMNS = (
    "key", "identity", "sent", "seed", "sample", "model", "messages", "max_tokens", "stop", "reply", "finish", "prompt",
    "cached_read", "cache_write", "completion", "reasoning", "usage_source", "cost_usd", "price_date",
)  # fmt: skip
_JOINED = "FROM replies r JOIN identities i ON i.id = r.identity"


@dataclass(frozen=True, slots=True)
class CachedReply:
    """One reply of the cache with its key."""

    key: CacheKey
    reply: Reply


@dataclass(frozen=True, slots=True)
class IdentityTotals:
    """What the cache holds of one model. Sums count what was reported; ``unpriced`` replies have no known cost."""

    identity: str
    replies: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    unpriced: int


def insert_reply(db: sqlite3.Connection, entry: CachedReply) -> int:
    """Insert a reply unless its key is there. Return the number of new replies: 1 or 0."""
    key, request, reply, use = entry.key, entry.key.request, entry.reply, entry.reply.usage
    digest = bytes.fromhex(key.digest)
    if db.execute("SELECT 1 FROM replies WHERE key = ?", (digest,)).fetchone():
        return 0
    db.execute("INSERT OR IGNORE INTO identities (text) VALUES (?)", (key.identity,))
    identity = db.execute("SELECT id FROM identities WHERE text = ?", (key.identity,)).fetchone()[0]
    messages = [[message.role, _store_text(db, message.content)] for message in request.messages]
    values = (
        digest, identity, bytes.fromhex(key.request_hash), key.seed, key.sample, request.model, json.dumps(messages),
        request.max_tokens, _write_stop(request), reply.text, reply.finish, use.prompt, use.cached_read,
        use.cache_write, use.completion, use.reasoning, use.source.value, reply.cost_usd, reply.price_date,
    )  # fmt: skip
    marks = ",".join("?" * len(_COLUMNS))
    db.execute(f"INSERT INTO replies ({','.join(_COLUMNS)}) VALUES ({marks})", values)
    return 1


def _write_stop(request: Request) -> str:
    """Return the stop words, and the JSON mode where it was asked for, as the column ``stop`` holds them."""
    return json.dumps({"stop": request.stop, "json_object": True} if request.json_object else request.stop)


def _read_stop(stored: str) -> tuple[tuple[str, ...], bool]:
    found = json.loads(stored)
    return (tuple(found["stop"]), True) if isinstance(found, dict) else (tuple(found), False)


def _store_text(db: sqlite3.Connection, content: str) -> int:
    """Return the id of a message's text, storing it the first time."""
    data = content.encode()
    digest = hashlib.sha256(data).digest()[:16]
    found = db.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
    if found is None:
        cursor = db.execute("INSERT INTO texts (digest, data) VALUES (?, ?)", (digest, zlib.compress(data)))
        return int(cursor.lastrowid or 0)
    return int(found[0])


def find_row(db: sqlite3.Connection, digest: str) -> sqlite3.Row | None:
    """Return the row of a key's digest with the identity as ``text``, None if there is none."""
    row: sqlite3.Row | None = db.execute(
        f"SELECT r.*, i.text {_JOINED} WHERE key = ?", (bytes.fromhex(digest),)
    ).fetchone()
    return row


def list_digests(db: sqlite3.Connection) -> list[str]:
    """Return the digests of all keys, in no particular order."""
    return [row[0].hex() for row in db.execute("SELECT key FROM replies")]


def read_reply(row: sqlite3.Row) -> Reply:
    usage = Usage(
        row["prompt"], row["cached_read"], row["cache_write"], row["completion"], row["reasoning"],
        UsageSource(row["usage_source"]),
    )  # fmt: skip
    return Reply(row["reply"], usage, row["cost_usd"], row["price_date"], row["finish"])


def read_entry(db: sqlite3.Connection, row: sqlite3.Row) -> CachedReply:
    """Return a row of ``find_row`` with its request."""
    messages = tuple(_read_messages(db, row["messages"]))
    request = Request(row["model"], messages, row["max_tokens"], *_read_stop(row["stop"]))
    key = CacheKey(request, row["sent"].hex(), row["text"], row["seed"], row["sample"])
    return CachedReply(key, read_reply(row))


def _read_messages(db: sqlite3.Connection, stored: str) -> Iterator[Message]:
    for role, number in json.loads(stored):
        (data,) = db.execute("SELECT data FROM texts WHERE id = ?", (number,)).fetchone()
        yield Message(role, zlib.decompress(data).decode())


def describe_nearest(db: sqlite3.Connection, key: CacheKey) -> str:
    """Return what the cache has that comes closest to a missing key, so that the difference can be seen."""
    same = f"SELECT text, seed, sample {_JOINED} WHERE sent = ? LIMIT 1"
    if row := db.execute(same, (bytes.fromhex(key.request_hash),)).fetchone():
        if row["text"] != key.identity:
            return f"which has the same request for [{row['text']}] but not for [{key.identity}]"
        return (
            f"which has the same request for seed {row['seed']}, sample {row['sample']} "
            f"but not for seed {key.seed}, sample {key.sample}"
        )
    if count := db.execute(f"SELECT COUNT(*) {_JOINED} WHERE text = ?", (key.identity,)).fetchone()[0]:
        return f"which has {count:,} replies of [{key.identity}] but to other prompts"
    others = [row[0] for row in db.execute("SELECT text FROM identities ORDER BY text LIMIT 3")]
    return f"which has replies of [{'], ['.join(others)}] but not of [{key.identity}]" if others else "it is empty"


def sum_by_identity(db: sqlite3.Connection) -> tuple[IdentityTotals, ...]:
    """Return the totals of each model, sorted by identity."""
    query = (
        "SELECT text, COUNT(*), SUM(COALESCE(prompt, 0)), SUM(COALESCE(completion, 0)), SUM(COALESCE(cost_usd, 0)), "
        f"SUM(cost_usd IS NULL) {_JOINED} GROUP BY text ORDER BY text"
    )
    return tuple(IdentityTotals(*row) for row in db.execute(query))
