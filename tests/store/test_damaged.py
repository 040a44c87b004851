"""Databases that are empty, foreign, newer, locked or damaged: one line that says so, and nothing written to them."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from bench.config import RunConfig
from bench.errors import StoreError
from bench.models.cache.store import ReplyCache
from bench.runner.batch import run
from bench.store import database
from bench.store.database import DATABASE, Store
from bench.store.dataframe import read_items
from bench.store.ledger_queries import read_meta, read_reply_uses, sum_spending
from bench.store.read import read_trials
from bench.store.reading_counts import count_readings

READERS: dict[str, Callable[[Path], object]] = {
    "items": lambda folder: read_items([folder]),
    "trials": read_trials,
    "spending": sum_spending,
    "uses": lambda folder: list(read_reply_uses(folder)),
    "readings": count_readings,
    "meta": lambda folder: read_meta(folder, "schema"),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "run"
    run(RunConfig(suites=("toy",), strategies=("window", "no-memory"), limit=2, workers=1), folder)
    db = sqlite3.connect(folder / DATABASE)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    made = tmp_path / "run"
    made.mkdir()
    shutil.copy(played / DATABASE, made)
    shutil.copy(played / "run.toml", made)
    return made


def change(folder: Path, *statements: str) -> None:
    db = sqlite3.connect(folder / DATABASE)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def complain(read: Callable[[Path], object], folder: Path) -> str:
    """Return the message of a StoreError, empty if it could be read; anything else is raised."""
    try:
        read(folder)
    except StoreError as error:
        return str(error)
    return ""


RECORDS = {
    "scores are no JSON": "UPDATE items SET scores = '{not'",
    "scores are nested too deeply": f"UPDATE items SET scores = '{'[' * 100_000}'",
    "scores are a list": "UPDATE items SET scores = '[1]'",
    "a score is a word": 'UPDATE items SET scores = \'{"success": "won"}\'',
    "the fingerprint is no object": "UPDATE trials SET fingerprint = '[1]'",
    "the status is unknown": "UPDATE trials SET status = 'quux'",
    "a context is no zlib": "UPDATE steps SET context = x'0102'",
    "a column is gone": "ALTER TABLE items DROP COLUMN scores",
    "a table is gone": "DROP TABLE steps",
    "bytes stand for text": "UPDATE calls SET reply = x'ff', usage_source = x'ff'",
}


@pytest.mark.parametrize("statement", RECORDS.values(), ids=RECORDS.keys())
def test_record_that_cannot_be_read_is_a_store_error(folder: Path, statement: str) -> None:
    change(folder, statement)
    said = list(filter(None, (complain(read, folder) for read in READERS.values())))
    assert said
    assert [line for line in said if "; " not in line or "\n" in line or len(line) > 600] == []


def test_every_byte_of_noise_is_read_or_refused(folder: Path) -> None:
    """Not one of 60 damaged copies raises anything but a StoreError."""
    path, sound, draw = folder / DATABASE, (folder / DATABASE).read_bytes(), Random(14)
    for _ in range(60):
        content = bytearray(sound)
        start = draw.randrange(len(content))
        length = draw.choice([1, 16, 512, 4096, len(content)])
        if draw.random() < 0.3:
            del content[start:]
        else:
            part = slice(start, start + length)
            content[part] = draw.randbytes(len(content[part]))
        path.write_bytes(content)
        assert [line for line in (complain(read, folder) for read in READERS.values()) if "\n" in line] == []


@pytest.mark.parametrize("content", [b"", b"hello, no database " * 100, b"SQLite format 3\x00"])
def test_file_that_is_no_database_is_refused_by_every_reader(folder: Path, content: bytes) -> None:
    (folder / DATABASE).write_bytes(content)
    for read in READERS.values():
        with pytest.raises(StoreError, match=r"run\.sqlite: expected a run database, got "):
            read(folder)


def test_foreign_database_is_not_written_to(tmp_path: Path) -> None:
    change(tmp_path, "CREATE TABLE trials (a)", "CREATE TABLE theirs (b)")
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(StoreError, match=r"run\.sqlite: expected a run database, got another one, .*; choose another"):
        Store(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == before
    with pytest.raises(StoreError, match=r"run\.sqlite: expected "):
        read_items([tmp_path])


@pytest.mark.parametrize("after", range(1, 8))
def test_database_whose_making_was_cut_short_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """A kill between two statements leaves all tables or none: a half would be taken for another program's."""
    monkeypatch.setattr("bench.store.database.files", lambda _: _CutShort(after))
    with pytest.raises(StoreError):
        Store(tmp_path)
    monkeypatch.undo()
    with Store(tmp_path) as store:
        assert store.trials() == ()


class _CutShort:
    """The schema up to some line, and then a statement that cannot be run."""

    def __init__(self, lines: int):
        self._lines = lines

    def joinpath(self, name: str) -> _CutShort:
        assert name == "schema.sql"
        return self

    def read_text(self, *, encoding: str) -> str:
        text = (Path(database.__file__).parent / "schema.sql").read_text(encoding=encoding)
        whole = [f"{statement};" for statement in text.split(";")[:-1]]
        return "".join(whole[: self._lines]) + "\nNOT SQL;"


def test_newer_database_is_named_with_its_schema(folder: Path) -> None:
    change(folder, "UPDATE meta SET value = '99' WHERE key = 'schema'")
    for read in READERS.values():
        with pytest.raises(
            StoreError, match=r"expected schema 1 or 2, got 99 in .*; read it with the version of bench"
        ):
            read(folder)
    with pytest.raises(StoreError, match="expected schema 2, got 99; it can be read, not continued"):
        Store(folder)


def test_database_that_another_program_holds_is_said_to_be_locked(folder: Path) -> None:
    holder = sqlite3.connect(folder / DATABASE, isolation_level=None)
    with Store(folder) as store:
        store._db.execute("PRAGMA busy_timeout = 0")
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"database is locked.*; close the program that has it open, then resume"):
            store.set_meta("a", "b")
        holder.execute("ROLLBACK")
    holder.close()


def test_folder_in_the_place_of_the_database_is_refused(folder: Path) -> None:
    (folder / DATABASE).unlink()
    (folder / DATABASE).mkdir()
    with pytest.raises(StoreError):
        Store(folder)
    with pytest.raises(StoreError, match=r"expected run\.sqlite in it"):
        read_items([folder])


CACHES: dict[str, tuple[str, ...] | bytes] = {
    "no database": b"hello " * 100,
    "of another program": ("CREATE TABLE theirs (a)",),
    "with one name alike": ("CREATE TABLE replies (a)",),
    "newer": ("CREATE TABLE meta (key, value)", "INSERT INTO meta VALUES ('schema', '77')", "CREATE TABLE replies (a)"),
}


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("content", CACHES.values(), ids=CACHES.keys())
def test_cache_that_is_none_is_refused_and_stays_as_it_was(
    tmp_path: Path, content: tuple[str, ...] | bytes, writable: bool
) -> None:
    path = tmp_path / "replies.sqlite"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        db = sqlite3.connect(path)
        for statement in content:
            db.execute(statement)
        db.commit()
        db.close()
    with pytest.raises(StoreError, match=r"^cache: expected .*; .*BENCH_CACHE"):
        ReplyCache(path, writable=writable)
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    if not isinstance(content, bytes):
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == {statement.split()[2] for statement in content if statement.startswith("CREATE")}
    db.close()


@pytest.mark.skipif(os.name != "posix", reason="needs limits on the size of files")
def test_full_disk_at_the_start_is_one_line(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(StoreError, match=r"^run folder: expected a writable folder"):
            Store(tmp_path / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
