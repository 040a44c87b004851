"""The record of an interval, and the seed that makes a resampled one the same everywhere. Knows no method."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

__all__ = ["Interval", "seed_of"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; ``units`` is the number of independent things it rests on."""

    low: float
    high: float
    confidence: float
    method: str
    units: int


def seed_of(*parts: str) -> int:
    """Return a seed in 0..2**32-1 from the names of what is resampled; equal names give equal draws."""
    digest = hashlib.sha256("\x1f".join(parts).encode()).digest()
    return int.from_bytes(digest[:4], "big")
