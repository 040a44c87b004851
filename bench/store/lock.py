"""One process per run folder: a lock on a file that the operating system drops when its holder dies."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from bench.errors import StoreError

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]
    import msvcrt

__all__ = ["FolderLock"]


class FolderLock:
    """Hold ``run.lock`` in a folder until released. Raises: StoreError if another process holds it."""

    def __init__(self, folder: Path):
        path = folder / "run.lock"
        try:
            self._file: IO[str] | None = path.open("a+", encoding="utf-8")
        except OSError as cause:
            raise StoreError(
                f"run folder: expected a writable folder, got {folder} ({cause.strerror}); choose another with -o"
            ) from cause
        try:
            _lock(self._file)
        except OSError:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreError(
                f"run folder: expected no other run on {folder}, got one (process {holder}); wait for it or stop it"
            ) from None
        try:
            self._file.truncate(0)
            self._file.write(str(os.getpid()))
            self._file.flush()
        except OSError as cause:
            with suppress(OSError):  # it tries to write again
                self._file.close()
            raise StoreError(
                f"run folder: expected a writable folder with free space, got {folder} ({cause.strerror}); free space "
                "or choose another with -o"
            ) from cause

    def release(self) -> None:
        """Release the lock; calling it twice does nothing more."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _lock(file: IO[str]) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
