"""A cassette: cached replies as a text file that others can replay, so that a published table needs no key to remake.

JSON lines, gzip if the name ends in .gz. The first line holds the format, the number of replies and the digest of the
last; each further line is one reply with its request, sorted by key, and a digest over the line before it and its own
content, so that a line that was changed, removed or moved is found and named. That is a seal against accidents, not a
signature: whoever publishes a cassette should print the digest of its first line. A cassette holds no time, no path and
no API key; the same replies make the same bytes.
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
from bench.models.cache.rows import CachedReply
from bench.secrets import Secrets
from bench.types import Message, Reply, Usage, UsageSource

__all__ = ["FORMAT_VERSION", "Seal", "read_cassette", "write_cassette"]

FORMAT_VERSION = 1
_FORMAT = "memfrontier_cassette"
_LONGEST_LINE = 32 << 20
"""Bytes: a request of eight million tokens, and its reply."""
_MOST_BYTES, _MOST_RATIO = 1 << 30, 200
"""No file unpacks to more than both of: so many bytes, and so many times its own size. Text packs to a tenth or so."""
_MOST_COUNT = 2**53


@dataclass(frozen=True, slots=True)
class Seal:
    """The content of the first line: how many replies follow, and the digest of the last."""

    replies: int
    digest: str


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _chain_digest(before: str, body: dict[str, Any]) -> str:
    return hashlib.sha256(f"{before}\n{_dump(body)}".encode()).hexdigest()[:32]


def _to_json(entry: CachedReply) -> dict[str, Any]:
    key, request, reply, use = entry.key, entry.key.request, entry.reply, entry.reply.usage
    counts = {
        "prompt": use.prompt, "cached_read": use.cached_read, "cache_write": use.cache_write,
        "completion": use.completion, "reasoning": use.reasoning,
    }  # fmt: skip
    usage = {name: count for name, count in counts.items() if count is not None}
    return {
        "key": key.digest, "identity": key.identity, "seed": key.seed, "sample": key.sample,
        "model": request.model, "messages": [[m.role, m.content] for m in request.messages],
        "max_tokens": request.max_tokens, "stop": list(request.stop), "reply": reply.text, "finish": reply.finish,
        "usage": {**usage, "source": use.source.value}, "cost_usd": reply.cost_usd,
        "price_date": reply.price_date, **({"json_object": True} if request.json_object else {}),
    }  # fmt: skip


def write_cassette(entries: Iterable[CachedReply], path: Path, secrets: Secrets) -> Seal:
    """Write replies, which come sorted by key, and return the seal; the file is complete or not there.

    Raises: StoreError if a known secret stands in one of them or the file cannot be written.
    """
    lines, digest = [], ""
    for entry in entries:
        body = _to_json(entry)
        _refuse_secret(body, secrets)
        digest = _chain_digest(digest, body)
        lines.append(zlib.compress(_dump({**body, "digest": digest}).encode(), 1))  # the first line comes last
    seal = Seal(len(lines), digest)
    first = _dump({_FORMAT: FORMAT_VERSION, "replies": seal.replies, "digest": seal.digest})
    partial = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as raw, _open_output(raw, path) as out:
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
def _open_output(raw: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix != ".gz":
        yield raw
        return
    # No name and no time in the header: equal content is equal bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as out:
        yield out  # type: ignore[misc]


def _refuse_secret(body: dict[str, Any], secrets: Secrets) -> None:
    text = _dump(body)
    if secrets.redact(text) != text:
        raise StoreError(
            f"cassette: expected no value of a key variable, got one in reply {body['key'][:12]}; "
            "that reply was cached before the variable was set: change the key, then remove the cache"
        )


def read_cassette(path: Path) -> Iterator[CachedReply]:
    """Yield the replies one by one, each checked. An error may come as late as the last: read all before using any.

    Raises: UsageError with the number of the first line that is not as it was written.
    """
    lines = _read_lines(path)
    seal = _read_seal(path, next(lines, ""))
    number, digest, last_digest = 1, "", ""
    for number, line in enumerate(lines, start=2):
        body = _parse_object(path, number, line)
        stated = body.pop("digest", None)
        try:
            digest = _chain_digest(digest, body)
            same = stated == digest and _dump({**body, "digest": stated}) == line
        except ValueError as cause:  # NaN, half of a surrogate pair
            raise _line_error(path, number, "text and numbers of JSON", f"others ({cause})") from None
        if not same:
            raise _line_error(path, number, "the content it was sealed with", "another")
        entry = _parse_entry(path, number, body)
        if entry.key.digest <= last_digest:
            raise _line_error(path, number, "a key after the one before", "one that is not")
        last_digest = entry.key.digest
        yield entry
    if (number - 1, digest) != (seal.replies, seal.digest):
        raise _line_error(path, number + 1, f"{seal.replies} replies", f"an end after {number - 1}")


def _read_lines(path: Path) -> Iterator[str]:
    """Return the lines without their ends. Raises: UsageError where the file cannot be read on."""
    number = size = 0
    try:
        most = max(_MOST_BYTES, _MOST_RATIO * path.stat().st_size)
        with path.open("rb") as raw:
            is_gzip = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with gzip.GzipFile(fileobj=raw) if is_gzip else raw as plain:
                while line := plain.readline(_LONGEST_LINE + 1):
                    number, size = number + 1, size + len(line)
                    if len(line) > _LONGEST_LINE or size > most:
                        raise _line_error(
                            path, number, f"at most {_LONGEST_LINE:,} bytes a line, {most:,} in all", "more"
                        )
                    yield line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").decode().removesuffix("\n")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise UsageError(f"cassette: expected a file, got nothing at {path}; check the name") from None
    except UnicodeDecodeError:
        raise _line_error(path, number, "UTF-8 text", "other bytes") from None
    except (OSError, EOFError, zlib.error) as cause:
        raise _line_error(path, number + 1, "a file that can be read", f"a damaged one ({cause})") from None


def _read_seal(path: Path, line: str) -> Seal:
    first = _parse_object(path, 1, line)
    if _FORMAT not in first:
        raise _line_error(path, 1, f"the first line of a cassette ({_FORMAT})", "another")
    if first[_FORMAT] != FORMAT_VERSION:
        raise _line_error(path, 1, f"format {FORMAT_VERSION}", f"format {first[_FORMAT]}")
    seal = Seal(first.get("replies", 0), first.get("digest", ""))
    if type(seal.replies) is not int or not isinstance(seal.digest, str):
        raise _line_error(path, 1, "the number of replies and a digest", repr(seal)[:80])
    return seal


def _parse_object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise _line_error(path, number, "a JSON object", repr(line[:40])) from None
    if not isinstance(found, dict):
        raise _line_error(path, number, "a JSON object", type(found).__name__)
    return found


def _parse_entry(path: Path, number: int, body: dict[str, Any]) -> CachedReply:
    """Return the reply of a line. Raises: UsageError if its key is not the digest of its request."""
    try:
        _check_types(body)
        usage = dict(body["usage"])
        source = UsageSource(usage.pop("source"))
        messages = tuple(Message(role, content) for role, content in body["messages"])
        request = Request(
            body["model"], messages, body["max_tokens"], tuple(body["stop"]), bool(body.get("json_object"))
        )
        key = CacheKey(request, request.hash, body["identity"], body["seed"], body["sample"])
        reply = Reply(
            body["reply"], Usage(**usage, source=source), body["cost_usd"], body["price_date"], body["finish"]
        )
    except (KeyError, TypeError, ValueError) as cause:
        raise _line_error(
            path, number, "a reply with its request", f"one without ({type(cause).__name__}: {cause})"
        ) from None
    if key.digest != body["key"]:
        raise _line_error(path, number, "the key of its own request", body["key"][:12])
    return CachedReply(key, reply)


def _check_types(body: dict[str, Any]) -> None:
    """Raises: KeyError for a field that is missing, TypeError for one that a reply or a request cannot have."""
    texts = ["key", "identity", "model", "reply", "finish", "price_date"]
    lists_of_texts = [body["stop"], *body["messages"]] if isinstance(body["messages"], list) else [None]
    counts = [body["sample"], *(count for name, count in dict(body["usage"]).items() if name != "source")]
    if body["max_tokens"] is not None:
        counts.append(body["max_tokens"])
    cost = 0.0 if body["cost_usd"] is None else body["cost_usd"]
    fits = {
        "text": all(isinstance(body[name], str) for name in texts),
        "lists of texts": all(
            isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lists_of_texts
        ),
        "counts": all(type(count) is int and 0 <= count <= _MOST_COUNT for count in counts),
        "a seed": type(body["seed"]) is int and abs(body["seed"]) <= _MOST_COUNT,
        "a cost": type(cost) in (int, float) and 0 <= cost <= _MOST_COUNT,
        "true or false": isinstance(body.get("json_object", True), bool),
    }
    if wrong := [what for what, fit in fits.items() if not fit]:
        raise TypeError(f"something else than {', '.join(wrong)}")


def _line_error(path: Path, number: int, expected: str, got: str) -> UsageError:
    return UsageError(
        f"cassette {path}, line {number}: expected {expected}, got {got}; nothing was imported, get the file again"
    )
