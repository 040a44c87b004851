"""Ways in which a file is damaged: bytes, texts, values of the wrong type, rows of a database."""

from __future__ import annotations

import copy
import gzip
import json
import random
import sqlite3
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomli_w

__all__ = ["damage_file"]

_PLAIN = (
    None,
    True,
    -1,
    0,
    10**30,
    2**62,
    1.5,
    1e300,
    "",
    "x",
    "\u202e\x1b[2J",
    "9" * 4000,
    [],
    {},
    [[]],
    [None],
    {"a": 1},
)
_NUMBERS = ("1e400", "-1e400", "nan", "inf", "1" + "0" * 5000, "0x10", "1979-05-27", "--1", "")
_CELLS = (
    2**62, -1, 1e300, float("inf"), "", "x", "{", "[]", "{}", "null", '{"success": "x"}', b"\xff\xfe", "9" * 100_000,
    "\x1b[2J", "[1e400]", '{"success": NaN}', "[" * 20_000,
)  # fmt: skip


def damage_file(path: Path, rng: random.Random) -> str:
    """Damage a file in one way and return what was done."""
    return rng.choice(_choose_ways(path))(path, rng)


def _choose_ways(path: Path) -> list[Callable[[Path, random.Random], str]]:
    if path.suffix == ".sqlite":
        return [*_BYTES, _spoil_log, *[_change_cell] * 7, *[_change_schema] * 3]
    if path.suffix == ".gz":
        return [*_BYTES, *[_change_packed] * 5, _put_bomb]
    texts = [_spoil_text] * 3
    if path.suffix == ".json":
        return [*_BYTES, *texts, *[_change_json] * 12]
    return [*_BYTES, *texts, *[_change_toml] * 8] if path.suffix == ".toml" else [*_BYTES, *texts]


def _flip(path: Path, rng: random.Random) -> str:
    data, count = bytearray(path.read_bytes()), rng.choice((1, 4, 40))
    for _ in range(count):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    return f"{count} bits flipped"


def _truncate(path: Path, rng: random.Random) -> str:
    size = rng.choice((0, 1, 16, path.stat().st_size // 2, path.stat().st_size - 1))
    path.write_bytes(path.read_bytes()[:size])
    return f"cut to {size} bytes"


def _overwrite(path: Path, rng: random.Random) -> str:
    data, size = bytearray(path.read_bytes()), rng.choice((16, 512, 4096))
    at, what = rng.randrange(len(data)), rng.choice(("zeroes", "ones", "noise"))
    new = {"zeroes": bytes(size), "ones": b"\xff" * size, "noise": rng.randbytes(size)}[what]
    data[at : at + size] = new
    path.write_bytes(data)
    return f"{size} bytes of {what} at {at}"


def _append(path: Path, rng: random.Random) -> str:
    extra = rng.choice((b"\0", b"}\n", rng.randbytes(100), path.read_bytes()))
    path.write_bytes(path.read_bytes() + extra)
    return f"{len(extra)} bytes more at its end"


def _replace(path: Path, rng: random.Random) -> str:
    what = rng.choice(("a folder", "nothing", "another file", "a foreign database", "a link to nowhere", "zeroes"))
    path.unlink()
    if what == "a folder":
        path.mkdir()
    elif what == "another file":
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + rng.randbytes(64))
    elif what == "a foreign database":
        db = sqlite3.connect(path)
        db.executescript("CREATE TABLE trials (id INTEGER); CREATE TABLE meta (key TEXT, value TEXT)")
        db.close()
    elif what == "a link to nowhere":
        path.symlink_to("nowhere")
    elif what == "zeroes":
        path.write_bytes(bytes(4096))
    return f"{what} in its place"


_BYTES = (_flip, _truncate, _overwrite, _append, _replace)


def _spoil_log(path: Path, rng: random.Random) -> str:
    path.with_name(f"{path.name}-wal").write_bytes(rng.randbytes(rng.choice((32, 8192))))
    return "noise as its write-ahead log"


def _change_cell(path: Path, rng: random.Random) -> str:
    def change(db: sqlite3.Connection, table: str, column: str) -> str:
        value = rng.choice(_CELLS)
        where = "1" if rng.random() < 0.3 else f"{column} = (SELECT MAX({column}) FROM {table})"
        cast = "CAST(? AS TEXT)" if isinstance(value, bytes) and rng.random() < 0.7 else "?"
        db.execute(f"UPDATE OR IGNORE {table} SET {column} = {cast} WHERE {where}", (value,))
        return f"{table}.{column} = {str(value)[:30]!r}" + (" as text" if cast != "?" else "")

    return _change_database(path, rng, change)


def _change_schema(path: Path, rng: random.Random) -> str:
    def change(db: sqlite3.Connection, table: str, column: str) -> str:
        statement = rng.choice((
            f"DROP TABLE {table}", f"DELETE FROM {table}", f"ALTER TABLE {table} RENAME TO other",
            f"ALTER TABLE {table} RENAME COLUMN {column} TO other", f"ALTER TABLE {table} DROP COLUMN {column}",
            "UPDATE meta SET value = '999' WHERE key = 'schema'", f"ALTER TABLE {table} ADD COLUMN more TEXT",
        ))  # fmt: skip
        db.execute(statement)
        return statement

    return _change_database(path, rng, change)


def _change_database(path: Path, rng: random.Random, change: Callable[[sqlite3.Connection, str, str], str]) -> str:
    """Apply a change to some table and column that takes it."""
    db = sqlite3.connect(path)
    try:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        filled = [name for name in tables if db.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]]
        while True:
            table = rng.choice(filled)
            try:
                with db:
                    return change(db, table, rng.choice([row[1] for row in db.execute(f"PRAGMA table_info({table})")]))
            except sqlite3.Error:
                continue  # a number of a row takes no text, a key cannot be dropped
    finally:
        db.close()


def _spoil_text(path: Path, rng: random.Random) -> str:
    data = path.read_bytes()
    name, change = rng.choice((
        ("a BOM", lambda: b"\xef\xbb\xbf" + data), ("UTF-16", lambda: data.decode(errors="replace").encode("utf-16")),
        ("Windows line ends", lambda: data.replace(b"\n", b"\r\n")), ("NUL inside", lambda: _insert(data, b"\0", rng)),
        ("a byte that is no UTF-8", lambda: _insert(data, b"\xe9", rng)), ("twice", lambda: data + data),
        ("deep brackets", lambda: _insert(data, b"[" * 50_000, rng)),
        ("half a surrogate", lambda: _insert(data, b"\\ud800", rng)),
        ("deep value", lambda: b"a = " + b"[" * 50_000 + b"]" * 50_000 + b"\n" + data),
        ("a line left out", lambda: _leave_out(data, rng)),
    ))  # fmt: skip
    path.write_bytes(change())
    return name


def _insert(data: bytes, extra: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + extra + data[at:]


def _leave_out(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _change_json(path: Path, rng: random.Random) -> str:
    found, said = _change_value(json.loads(path.read_text()), rng)
    text = json.dumps(found, indent=1)
    if rng.random() < 0.15:  # numbers that JSON has not, and that readers take
        number = rng.choice(("NaN", "Infinity", "-1e400", "1" + "0" * 5000))
        text, said = text.replace("null", number), f"{said} (null as {number[:20]})"
    path.write_text(text)
    return said


def _change_toml(path: Path, rng: random.Random) -> str:
    if rng.random() < 0.4:
        lines = path.read_text().splitlines()
        at = rng.choice([number for number, line in enumerate(lines) if " = " in line])
        name, number = lines[at].partition(" = ")[0], rng.choice(_NUMBERS)
        lines[at] = f"{name} = {number}"
        path.write_text("\n".join(lines) + "\n")
        return f"{name} = {number[:20]}"
    found, said = _change_value(
        tomllib.loads(path.read_text()), rng, (one for one in _PLAIN if one not in (None, [None]))
    )
    path.write_text(tomli_w.dumps(found))
    return said


def _change_packed(path: Path, rng: random.Random) -> str:
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    at = rng.randrange(len(lines))
    if rng.random() < 0.5:
        found, said = _change_value(json.loads(lines[at]), rng)
        lines[at] = json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    else:
        lines[at], said = (
            rng.choice(("[]", "1", "", "[" * 50_000, '{"memfrontier_cassette": "x"}', lines[0])),
            "another",
        )
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    return f"line {at + 1}: {said}"


def _put_bomb(path: Path, _rng: random.Random) -> str:
    with gzip.open(path, "wb", compresslevel=1) as out:
        for _ in range(1 << 10):
            out.write(b" " * (1 << 20))
    return "1 GB of blanks, packed"


def _change_value(found: Any, rng: random.Random, values: Any = _PLAIN) -> tuple[Any, str]:
    """Return a copy with one value somewhere inside left out or replaced."""
    changed = copy.deepcopy(found)
    places = list(_list_places(changed, ""))
    parent, key, path = rng.choice(places)
    if rng.random() < 0.2:
        del parent[key]
        return changed, f"{path} left out"
    parent[key] = rng.choice(list(values))
    return changed, f"{path} = {str(parent[key])[:30]!r}"


def _list_places(node: Any, path: str) -> Any:
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in pairs:
        yield node, key, f"{path}/{key}"
        yield from _list_places(value, f"{path}/{key}")
