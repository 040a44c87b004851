"""``bench list`` and ``bench check``: what there is, and whether a strategy or a suite obeys the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.markup import escape
from rich.table import Table

from bench.cli.console import screen
from bench.conformance.rules import CheckResult, check_strategy
from bench.conformance.suites import check_suite
from bench.data.root import data_root
from bench.errors import DataError, UsageError, unknown_name
from bench.models.offline.reader import OfflineReader
from bench.plugins import Plugin
from bench.protocols import Param, SuiteOptions
from bench.registry import KINDS as PLUGIN_KINDS
from bench.registry import (
    embedder_names,
    load_strategy,
    load_suite,
    model_names,
    offline_rules,
    resolve_strategy,
    resolve_suite,
    strategy_names,
    suite_names,
)
from bench.scoring.metric_names import METRIC_GROUP, read_plugins
from bench.store.printing import make_printable

__all__ = ["KINDS", "check_command", "list_broken", "list_command"]


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
        grid.add_row(
            escape(name), spec.shape.value, escape(splits), escape(_list_params(spec.params)), escape(spec.source)
        )
    return grid


def _list_strategies() -> Table:
    grid = _make_grid("strategy", "version", "serves", "parameters", "source")
    for name in strategy_names():
        one = load_strategy(name)
        serves = ", ".join(sorted(one.serves))
        grid.add_row(
            escape(name), escape(one.name), escape(serves), escape(_list_params(one.params)), escape(one.source)
        )
    return grid


def _list_names(title: str, names: Sequence[str]) -> Table:
    grid = _make_grid(title)
    for name in names:
        grid.add_row(escape(name))
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
    console = screen()
    console.print(KINDS[kind]())
    broken = list_broken()
    if broken:
        console.print("\n[yellow]plug-ins left out:[/]")
    for group, plugin, reason in broken:
        name = make_printable(f"{group} {plugin.name} ({plugin.package}): {reason}")
        console.print(f"  {escape(' '.join(name.split()))}", soft_wrap=True)


def list_broken() -> list[tuple[str, Plugin, str]]:
    """Return the plug-ins that cannot be used: their group, what they are, and the reason."""
    found = [(kind.group, plugin, reason) for kind in PLUGIN_KINDS for plugin, reason in kind.list_broken()]
    return found + [(METRIC_GROUP, plugin, reason) for plugin, reason in read_plugins()[1]]


def check_command(strategy: str, suite: str = "", split: str = "") -> int:
    """Print the conformance of one strategy or one suite; returns 0 if it obeys every rule, else 1.

    Raises: UsageError, also for a suite whose data is missing.
    """
    if bool(strategy) == bool(suite) or (split and not suite):
        got = "both" if strategy and suite else "neither" if not split else "--split alone"
        raise UsageError(f"check: expected a strategy, or --suite NAME, got {got}; see `bench list strategies`")
    if suite:
        return _check_suite(suite, split)
    named = resolve_strategy(strategy)
    results = check_strategy(named.strategy, dict(named.params.resolved))
    return _print_results(f"[bold]{escape(named.label)}[/] ({escape(named.strategy.name)})", results)


def _check_suite(name: str, split: str) -> int:
    spec = resolve_suite(name).spec
    named = resolve_suite(name, split or (*spec.offline_splits, spec.default_split)[0])
    options = SuiteOptions(named.split, named.params, data_root())
    suite = spec.build(options)
    try:
        suite.tasks()
    except DataError as error:
        raise UsageError(str(error)) from error
    finally:
        suite.close()
    results = check_suite(spec, options, OfflineReader(offline_rules()))
    return _print_results(f"[bold]{escape(named.label)}[/] ({escape(spec.name)}), split {escape(named.split)}", results)


def _print_results(title: str, results: Sequence[CheckResult]) -> int:
    grid = _make_grid("rule", "", "detail")
    for result in results:
        grid.add_row(escape(result.name), "[green]ok[/]" if result.passed else "[red]broken[/]", escape(result.detail))
    console = screen()
    console.print(title)
    console.print(grid)
    broken = sum(not result.passed for result in results)
    console.print(f"{len(results) - broken} of {len(results)} rules obeyed")
    return 1 if broken else 0
