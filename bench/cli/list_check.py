"""``bench list`` and ``bench check``: what there is, and whether a strategy obeys the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.markup import escape
from rich.table import Table

from bench.cli.console import screen
from bench.conformance.rules import check_strategy
from bench.errors import unknown_name
from bench.protocols import Param
from bench.registry import (
    embedder_names,
    load_strategy,
    load_suite,
    model_names,
    resolve_strategy,
    strategy_names,
    suite_names,
)

__all__ = ["KINDS", "check_command", "list_command"]


def _make_grid(*names: str) -> Table:
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in names:
        grid.add_column(name, overflow="fold")
    return grid


def _list_params(params: Sequence[Param]) -> str:
    return ", ".join(f"{p.name}={'|'.join(p.choices) or p.default_text}" for p in params)


def _list_suites() -> Table:
    grid = _make_grid("suite", "shape", "splits (* needs no download)", "parameters", "source")
    for name in suite_names():
        spec = load_suite(name)
        splits = ", ".join(f"{split}*" if split in spec.offline_splits else split for split in spec.splits)
        grid.add_row(name, spec.shape.value, escape(splits), escape(_list_params(spec.params)), escape(spec.source))
    return grid


def _list_strategies() -> Table:
    grid = _make_grid("strategy", "version", "serves", "parameters", "source")
    for name in strategy_names():
        one = load_strategy(name)
        serves = ", ".join(sorted(one.serves))
        grid.add_row(name, one.name, serves, escape(_list_params(one.params)), escape(one.source))
    return grid


def _list_names(title: str, names: Sequence[str]) -> Table:
    grid = _make_grid(title)
    for name in names:
        grid.add_row(name)
    return grid


KINDS: dict[str, Callable[[], Table]] = {
    "suites": _list_suites,
    "strategies": _list_strategies,
    "models": lambda: _list_names("model", model_names()),
    "embedders": lambda: _list_names("embedder", ["auto", *embedder_names(), "litellm/<model>"]),
}


def list_command(kind: str) -> None:
    """Print what there is of a kind. Raises: UsageError for an unknown kind."""
    if kind not in KINDS:
        raise unknown_name("list", "a kind", kind, KINDS)
    screen().print(KINDS[kind]())


def check_command(name: str) -> int:
    """Print the conformance of one strategy; returns 0 if it obeys every rule, else 1. Raises: UsageError."""
    named = resolve_strategy(name)
    results = check_strategy(named.strategy, dict(named.params.resolved))
    grid = _make_grid("rule", "", "detail")
    for result in results:
        grid.add_row(result.name, "[green]ok[/]" if result.passed else "[red]broken[/]", escape(result.detail))
    console = screen()
    console.print(f"[bold]{escape(named.label)}[/] ({named.strategy.name})")
    console.print(grid)
    broken = sum(not result.passed for result in results)
    console.print(f"{len(results) - broken} of {len(results)} rules obeyed")
    return 1 if broken else 0
