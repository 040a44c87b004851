"""The limits of a run on tokens and money: what it spent, with everything below it, if that is too much, and what is
left. ``limits.py`` holds to them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bench.config import RunConfig
from bench.errors import BudgetStop
from bench.store.database import DATABASE, Spending, Store
from bench.store.ledger_queries import sum_spending

__all__ = [
    "COLLECT",
    "CURVE",
    "find_excess",
    "has_limit",
    "leave_rest",
    "list_collections",
    "sum_others",
    "sum_run",
    "sum_runs",
]

COLLECT = "collect"
"""The folder of a run's collections and rehearsals, below that of the run."""
CURVE = "curve"
"""The folder of the runs that evaluate the parts of a learning curve, below that of the run."""
_CENTS = 1e-9
"""A limit on money that nothing but free calls keeps to."""


def list_collections(folder: Path) -> list[Path]:
    """Return the folders of the collections of a run that have begun."""
    return sorted(path.parent for path in (folder / COLLECT).glob(f"*/{DATABASE}"))


def sum_runs(folders: Iterable[Path]) -> Spending:
    """Return what runs have spent so far, each by itself."""
    return sum(map(sum_spending, folders), Spending())


def _list_runs_below(folder: Path) -> list[Path]:
    """Return the folders of the runs that have begun below that of a run, at any depth."""
    below = sorted(path.parent for part in (COLLECT, CURVE) for path in (folder / part).glob(f"*/{DATABASE}"))
    return [found for one in below for found in (one, *_list_runs_below(one))]


def sum_run(store: Store) -> Spending:
    """Return what a run has spent so far, with its collections and the parts of its curve."""
    return store.sum_spending() + sum_runs(_list_runs_below(store.folder))


def sum_others(folder: Path, where: Path) -> Spending:
    """Return what a run that has begun and all below it have spent, but for the run in ``where`` and what is below."""
    return sum_runs(run for run in (folder, *_list_runs_below(folder)) if where not in (run, *run.parents))


def has_limit(config: RunConfig) -> bool:
    """True if a run has a limit on tokens or money."""
    return bool(config.max_tokens or config.max_usd)


def find_excess(config: RunConfig, spent: Spending) -> BudgetStop | None:
    """Return why a run has to stop that has spent so much, None if it need not."""
    tokens, cost = spent.tokens, spent.cost_usd
    if config.max_tokens and tokens >= config.max_tokens:
        return BudgetStop(f"run: max_tokens {config.max_tokens:,} reached ({tokens:,}); raise it to go on")
    if config.max_usd and cost is None:
        return BudgetStop("run: max_usd is set but a price is unknown; drop max_usd or give the price")
    if config.max_usd and cost is not None and cost >= config.max_usd:
        return BudgetStop(f"run: max_usd {config.max_usd:g} reached (${cost:.2f}); raise it to go on")
    return None


def leave_rest(config: RunConfig, spent: Spending) -> RunConfig:
    """Return the question with what is left of its limits after others have spent so much; never no limit.

    Of a limit on money nothing is left once something of an unknown price was bought.
    """
    cost_usd = config.max_usd if spent.cost_usd is None else spent.cost_usd
    rest = {
        "max_tokens": config.max_tokens and max(1, config.max_tokens - spent.tokens),
        "max_usd": config.max_usd and max(_CENTS, config.max_usd - cost_usd),
    }
    return config.model_copy(update=rest)
