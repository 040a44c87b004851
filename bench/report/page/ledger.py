"""The sums over the ledger of runs: what each strategy spent, by phase and role. A sum over unknowns is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.store.read import reading_run
from bench.types import CallStatus

__all__ = ["FIELDS", "sum_ledger"]

FIELDS = ("calls", "prompt", "cached", "completion", "usd")
"""What is summed; a sum is None where a call did not report it."""
_SPEND_ONLY = tuple(f"'{status.value}'" for status in CallStatus if not status.completed)
_QUERY = f"""
SELECT t.suite, t.split, t.model, t.strategy, c.phase, c.role, c.model AS called,
    c.status IN ({",".join(_SPEND_ONLY)}) AS wasted, COUNT(*) AS calls,
    CASE WHEN COUNT(c.prompt) = COUNT(*) THEN SUM(c.prompt) END AS prompt,
    SUM(c.cached_read) AS cached,
    CASE WHEN COUNT(c.completion) = COUNT(*) THEN SUM(c.completion) END AS completion,
    CASE WHEN COUNT(c.cost_usd) = COUNT(*) THEN SUM(c.cost_usd) END AS usd
FROM calls c JOIN trials t ON t.id = c.trial
GROUP BY t.suite, t.split, t.model, t.strategy, c.phase, c.role, c.model, wasted
ORDER BY t.suite, t.split, t.model, t.strategy, c.phase, c.role, c.model, wasted
"""


def sum_ledger(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Return a record for each strategy, phase, role and model called; failed and superseded calls apart (``wasted``).

    Raises: StoreError.
    """
    found = []
    for folder in folders:
        with reading_run(folder) as db:
            found += [{"run": folder.name, **dict(row), "wasted": bool(row["wasted"])} for row in db.execute(_QUERY)]
    return found
