"""Damaged files of every kind: a command that reads one gives the right result or one line about it, never a
traceback, and no sound record that stood next to the damage is lost.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.faults.campaign.command import call, describe_badness
from tests.faults.campaign.damage import damage_file
from tests.faults.campaign.sound import LOCOMO, LONGMEMEVAL, copy_sound
from tests.faults.campaign.tries import Found, Place, Try

__all__ = ["TARGETS", "Target", "play"]

_EXPECTED = "the right result, or a message of one line; no traceback, no sound record lost"
_LEARNED = "learned/artifacts"
_REMOTE = ("-m", "openai/x", "--base-url", "http://127.0.0.1:9/v1", "--limit", "1")
_RUN = ("--workers", "1", "-o", "new")


@dataclass(frozen=True, slots=True)
class Target:
    """A file, and commands that read it. ``sealed``: a change is found, so that exit 0 means the right result."""

    name: str
    file: str
    """A pattern; the seed picks one of its files."""
    commands: tuple[tuple[str, ...], ...]
    sealed: bool = False
    rows: str = ""
    """What must still be there afterwards: a query."""


_CALLS = "SELECT trial, request_hash, reply FROM calls"
TARGETS = (
    Target("run database", "run/run.sqlite", (
        ("table", "run"), ("table", "run", "--format", "json"), ("table", "run", "--by", "group", "--timing"),
        ("show", "run"), ("show", "run", "full-history@house-000", "--context"), ("export", "run"),
        ("show", "run", "full-history@talk-00"), ("frontier", "run", "-o", "out.svg"), ("errors", "run"),
        ("compare", "run", "full-history", "no-memory"), ("cache", "export", "x.jsonl", "--run", "run"),
    ), rows=_CALLS),
    Target("run database, resumed", "run/run.sqlite", (("run", "run", "--workers", "1"),), rows=_CALLS),
    Target("run.toml", "run/run.toml", (("run", "run"), ("table", "run"), ("forecast", "run"))),
    Target("question", "question.toml", (("run", "question.toml", *_RUN), ("forecast", "question.toml"))),
    Target("cache", "cache/replies.sqlite", (
        ("cache", "stats"), ("cache", "export", "x.jsonl"),
        ("run", "toy:houses=2", "-s", "full-history", "--cache", "read-write", *_RUN),
    ), rows="SELECT key, reply FROM replies"),
    Target("cassette", "table.jsonl.gz", (("cache", "import", "table.jsonl.gz"),), sealed=True),
    Target("artifact", f"{_LEARNED}/*/*/*", (
        ("show", f"{_LEARNED}/toy_houses=8/exprag"),
        ("run", "toy:houses=8", "-s", "exprag", "--artifact", _LEARNED, "--embedder", "hash",
         "--learn-policy", "grouped-by-spec", *_RUN),
        ("learn", "--from", _LEARNED, "--control", "placebo", "-o", "placebo"),
    )),
    Target("endpoint", "endpoint.toml", (
        ("run", "toy", "-s", "full-history", *_REMOTE, "--endpoint", "endpoint.toml", *_RUN),
    )),
    Target("LoCoMo", str(LOCOMO), (("run", "locomo:ask=3", "-s", "full-history", *_RUN), ("data", "check", "locomo"))),
    Target("LongMemEval", str(LONGMEMEVAL), (
        ("run", "longmemeval:path=longmemeval/mine.json", "-s", "full-history", *_RUN),
    )),
)  # fmt: skip


def play(one: Try, place: Place) -> Found:
    """Damage one file in one way and give it to one of the commands that read it."""
    target, rng = TARGETS[one.number % len(TARGETS)], one.rng
    words = rng.choice(target.commands)
    folder = copy_sound(place)
    if target.sealed:
        shutil.rmtree(folder / "cache")
    said = _damage(target, folder, rng)
    about = f"{said}; bench {' '.join(words)}"
    place.tell(target.name, about)
    before = _read_rows(target, folder)
    done = call(folder, *words)
    got = describe_badness(done)
    if not got and (lost := before - _read_rows(target, folder)):
        got = f"exit {done.code}, {sum(lost.values())} of {sum(before.values())} rows lost"
    if not got and done.code == 0 and target.sealed and not _gives_the_same(place, folder, words, done.out):
        got = f"exit 0 with another result than that of the sound file: {done.out.strip()[-150:]}"
    return Found(target.name, about, _EXPECTED, got)


def _damage(target: Target, folder: Path, rng: random.Random) -> str:
    files = sorted(path for path in folder.glob(target.file) if path.is_file() and path.stat().st_size)
    path = rng.choice(files)
    name = path.relative_to(folder)
    return f"{name}: {damage_file(path, rng)}"


def _read_rows(target: Target, folder: Path) -> Counter[str]:
    """Return the rows that can be read, one by one: what is behind a damaged page is lost already."""
    found: Counter[str] = Counter()
    if target.rows:
        with suppress(sqlite3.Error, OSError):
            db = sqlite3.connect(f"{(folder / target.file).as_uri()}?mode=ro", uri=True)
            db.text_factory = bytes
            try:
                found.update(map(repr, db.execute(target.rows)))
            finally:
                db.close()
    return found


def _gives_the_same(place: Place, folder: Path, words: Sequence[str], out: str) -> bool:
    """True if the sound files give the same output."""
    shutil.rmtree(folder)
    copy_sound(place)
    shutil.rmtree(folder / "cache")
    return call(folder, *words).out == out
