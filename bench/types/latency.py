"""What one decision took. ``bench.types`` exports it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Latency"]


@dataclass(frozen=True, slots=True)
class Latency:
    """What one decision took, in wall seconds, calls of models included."""

    recall_s: float
    """Reading from memory, wherever in the decision."""
    decision_s: float
    """From the observation to the action, or from the question to the answer."""
