"""``bench export``: runs as files for other tools; what a target holds is in ``bench/export``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.export.targets import Request, load_writer

__all__ = ["export_command"]


def export_command(folders: Sequence[Path], to: str, columns: Sequence[str], out: Path | None, timing: bool) -> None:
    """Write runs as the target ``to``. Raises: UsageError, StoreError."""
    load_writer(to)(Request(tuple(folders), tuple(columns), timing, out))
