"""Reciprocal rank fusion: several rankings joined into one. Source: Cormack, Clarke and Buettcher, 2009."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

__all__ = ["fuse_rankings"]


def fuse_rankings(rankings: Sequence[Sequence[int]], constant: int) -> list[int]:
    """Return every item of the rankings, most points first; of equal points the larger number, which is the later item.

    An item's points are the sum of 1 / (``constant`` + its rank) over the rankings that hold it; ranks count from 1.
    """
    points: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            points[item] += 1 / (constant + rank)
    return sorted(points, key=lambda item: (-points[item], -item))
