"""Who is on the frontier of cost against value, and how certain that is. Knows only points and per-task numbers.

The frontier is the non-dominated set drawn as a staircase: a hull's straight line promises mixtures that nobody can
run, and it drops points that nothing dominates. The hull of the HAL leaderboard is there as an option. Ties are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.stats.interval import Interval

__all__ = ["TOLERANCE", "Cloud", "Point", "hull", "resample", "staircase"]

TOLERANCE = 1e-9
"""A row is dominated if another is no worse on both means and better on one by more than this: by this share of the
cost, or by this much value."""

_Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """One row: mean cost per task and mean value."""

    name: str
    cost: float
    value: float


@dataclass(frozen=True, slots=True)
class Cloud:
    """What resampling says about one row: bars on both means, and how often the row was on the frontier."""

    name: str
    cost: Interval
    value: Interval
    membership: float


def staircase(points: Sequence[Point], *, tolerance: float = TOLERANCE) -> tuple[Point, ...]:
    """Return the points that no other dominates, by rising cost, then falling value, then name."""
    costs = np.array([[point.cost for point in points]])
    values = np.array([[point.value for point in points]])
    optimal = ~_find_dominated(costs, values, tolerance)[0] if points else []
    return tuple(sorted((p for p, keep in zip(points, optimal, strict=True) if keep), key=_order))


def hull(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the upper convex hull without its dominated points, by rising cost ("HAL hull").

    Collinear points between two ends are left out, as there.
    """
    chain: list[Point] = []
    for point in sorted(staircase(points), key=_order):
        if chain and (point.cost, point.value) == (chain[-1].cost, chain[-1].value):
            continue
        while len(chain) > 1 and _is_below(chain[-2], chain[-1], point):
            chain.pop()
        chain.append(point)
    return tuple(chain)


def resample(
    names: Sequence[str],
    costs: _Array,
    values: _Array,
    clusters: Sequence[str],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
    tolerance: float = TOLERANCE,
) -> tuple[Cloud, ...]:
    """Return the bars and membership of every row, all rows resampled together over tasks (or clusters of them).

    ``costs`` and ``values`` have shape (tasks, rows) and no gaps; ``clusters`` names each task's cluster (its own name
    where tasks are independent). Bars are percentile intervals.
    """
    found, member = np.unique(np.asarray(clusters), return_inverse=True)
    sizes = np.bincount(member, minlength=len(found)).astype(np.float64)
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(found), np.full(len(found), 1 / len(found)), size=resamples).astype(np.float64)
    total = (weights @ sizes)[:, None]
    mean_costs, mean_values = (
        weights @ np.stack([np.bincount(member, column, len(found)) for column in table.T], axis=1) / total
        for table in (costs, values)
    )
    on = ~_find_dominated(mean_costs, mean_values, tolerance)
    return tuple(
        Cloud(
            name,
            _percentile_interval(mean_costs[:, index], confidence, len(found)),
            _percentile_interval(mean_values[:, index], confidence, len(found)),
            float(on[:, index].mean()),
        )
        for index, name in enumerate(names)
    )


def _order(point: Point) -> tuple[float, float, str]:
    return (point.cost, -point.value, point.name)


def _is_below(first: Point, middle: Point, last: Point) -> bool:
    """True if ``middle`` does not rise above the line from ``first`` to ``last``."""
    rise = (middle.value - first.value) * (last.cost - first.cost)
    return rise <= (last.value - first.value) * (middle.cost - first.cost) + TOLERANCE


def _find_dominated(costs: _Array, values: _Array, tolerance: float) -> npt.NDArray[np.bool_]:
    """Shape (draws, rows): True where some other row of the same draw dominates."""
    cost_a, cost_b = costs[:, :, None], costs[:, None, :]
    value_a, value_b = values[:, :, None], values[:, None, :]
    slack = tolerance * np.abs(cost_a)
    no_worse = (cost_b <= cost_a + slack) & (value_b >= value_a - tolerance)
    better = (cost_b < cost_a - slack) | (value_b > value_a + tolerance)
    return np.asarray((no_worse & better).any(axis=2))


def _percentile_interval(draws: _Array, confidence: float, units: int) -> Interval:
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(float(low), float(high), confidence, "percentile", units)
