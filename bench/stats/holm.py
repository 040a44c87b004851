"""Holm's step-down adjustment for a family of tests. Knows only p-values."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holm"]


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return adjusted p-values in the order given; None stays None and does not count in the family.

    Source: Holm 1979: p_(i) (m - i + 1), cumulative maximum, at most 1.
    """
    tested = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    worst = 0.0
    for rank, (p, index) in enumerate(tested):
        worst = max(worst, min(1.0, p * (len(tested) - rank)))
        adjusted[index] = worst
    return tuple(adjusted)
