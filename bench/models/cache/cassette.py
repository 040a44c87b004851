"""A cassette: kept replies as a text file that others can replay, so that a published table can be made without a key.

JSON lines, gzip if the name ends in .gz. The first line says the format, how many replies follow and the digest of the
last; each further line is one reply with its request, sorted by key, and a digest over the line before it and its own
content, so that a line that was changed, left out or moved is found and named. That is a seal against accidents, not a
signature: whoever publishes a cassette should print the digest of its first line. No clock, no address of a file and no
key stands in one; the same replies make the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench.errors import StoreError, UsageError
from bench.models.cache.key import CacheKey, Request
from bench.models.cache.store import Kept
from bench.secrets import Secrets
from bench.types import Message, Reply, Usage, UsageSource

__all__ = ["FORMAT_VERSION", "Seal", "read_cassette", "write_cassette"]

FORMAT_VERSION = 1
_FORMAT = "memfrontier_cassette"
_USAGE = ("prompt", "cached_read", "cache_write", "completion", "reasoning")


@dataclass(frozen=True, slots=True)
class Seal:
    """What the first line says."""

    replies: int
    digest: str


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _chained(before: str, body: dict[str, Any]) -> str:
    return hashlib.sha256(f"{before}\n{_dump(body)}".encode()).hexdigest()[:32]


def _body(entry: Kept) -> dict[str, Any]:
    asked, request, reply = entry.asked, entry.asked.request, entry.reply
    usage = {name: value for name in _USAGE if (value := getattr(reply.usage, name)) is not None}
    return {
        "key": asked.key, "identity": asked.identity, "seed": asked.seed, "sample": asked.sample,
        "model": request.model, "messages": [[m.role, m.content] for m in request.messages],
        "max_tokens": request.max_tokens, "stop": list(request.stop), "reply": reply.text, "finish": reply.finish,
        "usage": {**usage, "source": reply.usage.source.value}, "cost_usd": reply.cost_usd,
        "price_date": reply.price_date,
    }  # fmt: skip


def write_cassette(entries: Iterable[Kept], path: Path, secrets: Secrets) -> Seal:
    """Write replies, which come sorted by key, and return the seal; the file is whole or not there.

    Raises: StoreError if a known secret stands in one of them or the file cannot be written.
    """
    lines, digest = [], ""
    for entry in entries:
        body = _body(entry)
        _refuse_secret(body, secrets)
        digest = _chained(digest, body)
        lines.append(zlib.compress(_dump({**body, "digest": digest}).encode(), 1))  # the first line comes last
    seal = Seal(len(lines), digest)
    first = _dump({_FORMAT: FORMAT_VERSION, "replies": seal.replies, "digest": seal.digest})
    partial = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as raw, _packed(raw, path) as out:
            out.write(f"{first}\n".encode())
            out.writelines(zlib.decompress(line) + b"\n" for line in lines)
        os.replace(partial, path)  # noqa: PTH105
    except OSError as cause:
        with suppress(OSError):
            partial.unlink()
        raise StoreError(
            f"cassette: expected a place to write, got {path} ({cause.strerror}); choose another"
        ) from None
    return seal


@contextmanager
def _packed(raw: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix != ".gz":
        yield raw
        return
    # No name and no time in the header: equal content is equal bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as out:
        yield out  # type: ignore[misc]


def _refuse_secret(body: dict[str, Any], secrets: Secrets) -> None:
    text = _dump(body)
    if secrets.hide(text) != text:
        raise StoreError(
            f"cassette: expected no value of a key variable, got one in reply {body['key'][:12]}; "
            "that reply was kept before the variable was set: change the key, then remove the cache"
        )


def read_cassette(path: Path) -> Iterator[Kept]:
    """Return the replies one by one, each checked. Nothing is sure until the last: go through once before using any.

    Raises: UsageError with the number of the first line that is not as it was written.
    """
    lines = _lines(path)
    seal = _seal(path, next(lines, ""))
    number, digest, last_key = 1, "", ""
    for number, line in enumerate(lines, start=2):
        body = _object(path, number, line)
        told = body.pop("digest", None)
        digest = _chained(digest, body)
        if told != digest or _dump({**body, "digest": told}) != line:
            raise _bad(path, number, "the content it was sealed with", "another")
        entry = _entry(path, number, body)
        if entry.asked.key <= last_key:
            raise _bad(path, number, "a key after the one before", "one that is not")
        last_key = entry.asked.key
        yield entry
    if (number - 1, digest) != (seal.replies, seal.digest):
        raise _bad(path, number + 1, f"{seal.replies} replies", f"an end after {number - 1}")


def _lines(path: Path) -> Iterator[str]:
    """Return the lines without their ends. Raises: UsageError where the file cannot be read on."""
    number = 0
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with gzip.GzipFile(fileobj=raw) if packed else raw as plain:
                for number, line in enumerate(plain, start=1):  # noqa: B007
                    yield line.decode().removesuffix("\n")
    except (FileNotFoundError, IsADirectoryError):
        raise UsageError(f"cassette: expected a file, got nothing at {path}; check the name") from None
    except UnicodeDecodeError:
        raise _bad(path, number, "UTF-8 text", "other bytes") from None
    except (OSError, EOFError, zlib.error) as cause:
        raise _bad(path, number + 1, "a whole gzip file", f"a damaged one ({cause})") from None


def _seal(path: Path, line: str) -> Seal:
    first = _object(path, 1, line)
    if _FORMAT not in first:
        raise _bad(path, 1, f"the first line of a cassette ({_FORMAT})", "another")
    if first[_FORMAT] != FORMAT_VERSION:
        raise _bad(path, 1, f"format {FORMAT_VERSION}", f"format {first[_FORMAT]}")
    return Seal(int(first.get("replies", 0)), str(first.get("digest", "")))


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        raise _bad(path, number, "a JSON object", repr(line[:40])) from None
    if not isinstance(found, dict):
        raise _bad(path, number, "a JSON object", type(found).__name__)
    return found


def _entry(path: Path, number: int, body: dict[str, Any]) -> Kept:
    """Build a row; its key must follow from what stands beside it."""
    try:
        usage = dict(body["usage"])
        source = UsageSource(usage.pop("source"))
        messages = tuple(Message(role, content) for role, content in body["messages"])
        request = Request(body["model"], messages, body["max_tokens"], tuple(body["stop"]))
        asked = CacheKey(request, request.hash, body["identity"], body["seed"], body["sample"])
        reply = Reply(
            body["reply"], Usage(**usage, source=source), body["cost_usd"], body["price_date"], body["finish"]
        )
    except (KeyError, TypeError, ValueError) as cause:
        raise _bad(path, number, "a reply with its request", f"one without ({type(cause).__name__}: {cause})") from None
    if asked.key != body["key"]:
        raise _bad(path, number, "the key of its own request", body["key"][:12])
    return Kept(asked, reply)


def _bad(path: Path, number: int, expected: str, got: str) -> UsageError:
    return UsageError(
        f"cassette {path}, line {number}: expected {expected}, got {got}; nothing was imported, get the file again"
    )
