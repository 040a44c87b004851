"""Whether the file that is written to is still the one in the run folder: a deleted one takes writes as before."""

from __future__ import annotations

import os
from pathlib import Path

from bench.errors import StoreError

__all__ = ["Place"]


class Place:
    """Where an open file lies. ``path`` may be relative to the folder that the process is in now."""

    def __init__(self, path: Path):
        self._given, self._path = path, path.absolute()
        self._opened = self._path.stat()

    def check(self) -> None:
        """Raises: StoreError if another file, or none, is there now."""
        try:
            there = os.path.samestat(self._opened, self._path.stat())
        except (FileNotFoundError, NotADirectoryError):
            there = False
        if not there:
            raise StoreError(
                f"run folder: expected {self._given} as this run began with it, got another file or none: it was moved "
                "or deleted meanwhile; put it back, then resume: what was recorded is in it"
            )
