"""What the shell completes: names of strategies and suites, looked up when a Tab asks for them and never before.

Imports nothing heavy: ``bench --help`` reads this file.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

__all__ = ["complete_kind", "complete_strategies", "complete_strategy", "complete_suite"]


def complete_strategy(incomplete: str) -> list[str]:
    """Return the strategies whose names begin so."""
    from bench.registry import strategy_names

    return [name for name in strategy_names() if name.startswith(incomplete)]


def complete_strategies(incomplete: str) -> list[str]:
    """Return what the last name of a list with commas can become, with those before it."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_strategy(last)]


def complete_suite(incomplete: str) -> list[str]:
    """Return the suites whose names begin so."""
    from bench.registry import suite_names

    return [name for name in suite_names() if name.startswith(incomplete)]


def complete_kind(incomplete: str) -> list[str]:
    """Return what ``bench list`` can list."""
    from bench.cli.list_check import KINDS

    return [kind for kind in KINDS if kind.startswith(incomplete)]
