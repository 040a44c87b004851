"""What every kind of the campaign works with: one try, the place it happens in, what came of it."""

from __future__ import annotations

import fcntl
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import bench

__all__ = ["ROOT", "Found", "Place", "Try"]

ROOT = Path(bench.__file__).resolve().parents[1]
"""The checkout whose product is attacked."""


@dataclass(frozen=True, slots=True)
class Try:
    """One try; everything drawn in it comes from its kind, seed and number."""

    kind: str
    seed: int
    number: int

    @property
    def rng(self) -> random.Random:
        return random.Random(f"{self.kind}|{self.seed}|{self.number}")

    @property
    def command(self) -> str:
        """What plays this try alone."""
        return f"python -m tests.faults.campaign --only {self.kind} --seed {self.seed} --number {self.number}"


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a try. ``got`` is empty if the product survived."""

    variety: str
    reproduction: str
    expected: str
    got: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    """What is worth adding up, e.g. calls that were in flight when a process was killed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a try happens: an empty folder of its own, and one for what all tries share."""

    folder: Path
    shared: Path
    tell: Callable[[str, str], None]
    """Says what is being tried (variety, reproduction), for the case that the process does not survive it."""

    def share(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the shared folder of that name, made by whoever needs it first."""
        path = self.shared / name
        with (self.shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (path / ".made").exists():
                shutil.rmtree(path, ignore_errors=True)
                path.mkdir()
                make(path)
                (path / ".made").touch()
        return path
