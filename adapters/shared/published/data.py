"""The files that hold the papers' prompts: where they come from, whether they are there and unaltered.

``files.csv`` pins each file by the commit in its address and by a SHA-256: of the file, or, where that could not be
had, of the texts in it that are used. Knows no suite and no protocol.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from adapters.shared.published.constants import read_constants
from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = ["DATA", "FOLDER", "GET", "Fault", "check", "list_files", "read_file"]

FOLDER = "prompts"
"""Relative to the data root."""
GET = "bench data get prompts"


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is ``missing`` or ``altered``."""

    path: str
    """Relative to the data root."""
    problem: str


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file: its path below the folder, its digest and its address."""

    path: str
    sha256: str
    url: str
    texts: tuple[str, ...] = ()
    """The names of the constants that the digest is of, joined by a null; empty = it is of the file."""

    def compute_digest(self, content: bytes) -> str:
        """Return the digest of a file that was found, to be compared with the pinned one."""
        if not self.texts:
            return hashlib.sha256(content).hexdigest()
        try:
            constants = read_constants(content.decode("utf-8"))
        except (SyntaxError, ValueError):
            return "none"
        found = [str(constants.get(name, [""])[0]) for name in self.texts]
        return hashlib.sha256("\0".join(found).encode()).hexdigest()


@cache
def list_files() -> dict[str, PinnedFile]:
    """Return every file by its path below ``prompts/``."""
    with (Path(__file__).parent / "files.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    return {
        row["file"]: PinnedFile(row["file"], row["sha256"], row["url"], tuple(row["texts"].split())) for row in rows
    }


@cache
def read_file(data_root: Path, path: str) -> str:
    """Return the text of one file. Raises: DataError if it is missing or altered."""
    where, pinned = data_root / FOLDER / path, list_files()[path]
    try:
        content = where.read_bytes()
    except OSError as cause:
        raise DataError(
            f"prompts: expected the file {where}, got none ({cause.strerror}); fetch it with: {GET}"
        ) from None
    if (found := pinned.compute_digest(content)) != pinned.sha256:
        raise DataError(
            f"prompts: expected {where} with SHA-256 {pinned.sha256[:12]}…, got {found[:12]}…; get it again with: {GET}"
        )
    return content.decode("utf-8")


def check(data_root: Path) -> Sequence[Fault]:
    """Return every file that is missing or altered, sorted by path."""
    faults = []
    for path, pinned in sorted(list_files().items()):
        where = data_root / FOLDER / path
        if not where.is_file():
            faults.append(Fault(f"{FOLDER}/{path}", "missing"))
        elif pinned.compute_digest(where.read_bytes()) != pinned.sha256:
            faults.append(Fault(f"{FOLDER}/{path}", "altered"))
    return faults


DATA = DataSpec(
    folder=FOLDER,
    sources=tuple(
        DataSource(file.url, f"{FOLDER}/{file.path}", sha256="" if file.texts else file.sha256)
        for file in list_files().values()
    ),
    check=check,
    licence=(
        "ReAct, A-MEM, LongMemEval: MIT; ExpeL, AgentBoard, Mem0: Apache-2.0; LoCoMo: CC BY-NC 4.0; "
        "HiAgent: none stated; "
        "read as data, not part of this project"
    ),
)
