"""The reach of a memory that shows every query the same: what it would show now."""

from __future__ import annotations

from bench.protocols import Kit, Memory
from bench.types import Query

__all__ = ["list_shown"]


def list_shown(memory: Memory, kit: Kit) -> frozenset[str]:
    """Return the refs that the memory's context cites under the run's budget."""
    return frozenset(memory.recall(Query("", "", budget_tokens=kit.budget.tokens)).refs)
