"""The limits of a run on tokens and money: what was spent, gathering included, and whether that is too much."""

from __future__ import annotations

from bench.config import RunConfig
from bench.errors import BudgetStop
from bench.runner.collecting import sum_gathering
from bench.store.database import Spending, Store

__all__ = ["find_excess", "sum_run"]


def sum_run(store: Store) -> Spending:
    """Return what a run has spent so far: its own ledger and those of its collections."""
    own, gathered = store.sum_spending(), sum_gathering(store.folder)
    known = None not in (own.cost_usd, gathered.cost_usd)
    cost = (own.cost_usd or 0.0) + (gathered.cost_usd or 0.0) if known else None
    return Spending(own.calls + gathered.calls, own.tokens + gathered.tokens, cost)


def find_excess(config: RunConfig, tokens: int, cost: float | None) -> BudgetStop | None:
    """Return why a run has to stop that has spent so much, None if it need not."""
    if config.max_tokens and tokens >= config.max_tokens:
        return BudgetStop(f"run: max_tokens {config.max_tokens:,} reached ({tokens:,}); raise it to go on")
    if config.max_usd and cost is None:
        return BudgetStop("run: max_usd is set but a price is unknown; drop max_usd or give the price")
    if config.max_usd and cost is not None and cost >= config.max_usd:
        return BudgetStop(f"run: max_usd {config.max_usd:g} reached (${cost:.2f}); raise it to go on")
    return None
