"""Recovery and regression: the tasks that a row wins and a row without memory loses, and the other way round.

Source: SkillSandbox (2026), table 2, rescued and broken tasks as shares of all; McNemar's exact test of the two counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.report.items import Block
from bench.report.paired_tests import pair
from bench.report.row import ALL, Row
from bench.stats.mcnemar import mcnemar

__all__ = ["NO_MEMORY", "add_recovery"]

NO_MEMORY = "no-memory"
"""The row that the others are compared with."""


def add_recovery(rows: Sequence[Row], block: Block) -> tuple[Row, ...]:
    """Return the rows with ``recovered``, ``regressed`` and the p-value of the two; unchanged where there is no row
    without memory, or a score that is not 0 or 1 (repeats that disagree included)."""
    if NO_MEMORY not in block.strategies or "success" not in block.items.columns:
        return tuple(rows)
    return tuple(row if row.strategy == NO_MEMORY else _compare(row, block) for row in rows)


def _compare(row: Row, block: Block) -> Row:
    sides = [block.of(name) for name in (row.strategy, NO_MEMORY)]
    if row.group != ALL:
        sides = [side[side["group"] == row.group] for side in sides]
    pairs = pair(sides[0], sides[1], "success")
    if not pairs.tasks or not pairs.binary or row.clusters is not None:
        return row
    n, differences = len(pairs.tasks), pairs.differences
    won, lost = differences.count(1.0), differences.count(-1.0)
    found = {"recovered": won / n, "regressed": lost / n, "recovery_p": mcnemar(won, lost, n - won - lost).p}
    return replace(row, values={**row.values, **found})
