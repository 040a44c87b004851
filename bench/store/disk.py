"""Errors of the disk and of SQLite: each becomes one line that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.errors import StoreError

__all__ = ["guard_disk"]

_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def guard_disk(folder: Path) -> Iterator[None]:
    """Turn an error of the disk or the database into a StoreError that says what to do."""
    try:
        yield
    except sqlite3.IntegrityError as cause:
        kind = "an incomplete one" if "NOT NULL" in str(cause) else "a duplicate"
        raise StoreError(f"run.sqlite: expected a new record, got {kind} ({cause})") from cause
    except (OverflowError, UnicodeError) as cause:
        raise StoreError(f"run.sqlite: expected a record that can be stored, got one that cannot ({cause})") from cause
    except (sqlite3.Error, OSError, ValueError) as cause:
        # Only errors that SQLite itself reports have a code; its last eight bits are the kind.
        code = getattr(cause, "sqlite_errorcode", -1) & 0xFF
        if code in _DAMAGED or not isinstance(cause, sqlite3.Error | OSError):
            raise StoreError(
                f"run.sqlite: expected a run database, got a damaged or foreign file in {folder} ({cause}); "
                "restore it from a copy or choose another folder with -o"
            ) from cause
        hint = "close the program that has it open" if code in _LOCKED else "free space or choose another with -o"
        raise StoreError(
            f"run folder: expected a writable folder with free space, got {folder} ({cause}); "
            f"{hint}, then resume: what was recorded is intact"
        ) from cause
