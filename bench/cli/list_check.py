"""``bench list`` and ``bench check``: what there is, and whether a strategy or a suite obeys the rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.markup import escape
from rich.table import Table

from bench.cli.console import screen
from bench.conformance.rules import CheckResult, check_strategy
from bench.conformance.suites import check_suite
from bench.data.root import data_root
from bench.errors import DataError, UsageError, unknown_name
from bench.models.offline.reader import OfflineReader
from bench.papers.listing import list_papers
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
from bench.store.printing import escape_json, make_printable

__all__ = ["KINDS", "STYLES", "Kind", "Record", "check_command", "list_broken", "list_command"]


STYLES = ("rich", "json")


def _make_grid(*names: str) -> Table:
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in names:
        grid.add_column(name, overflow="fold")
    return grid


Record = Mapping[str, object]
"""One line of a list: a value for each column, and for each thing that only JSON says."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What can be listed: its records, and the columns of a table of them, by the name of the value."""

    read: Callable[[], Sequence[Record]]
    columns: Mapping[str, str]


def _describe_params(params: Sequence[Param]) -> list[Record]:
    return [{"name": p.name, "default": p.default_text, "choices": list(p.choices), "doc": p.doc} for p in params]


def _read_suites() -> list[Record]:
    return [
        {
            "suite": name,
            "version": spec.name,
            "shape": spec.shape.value,
            "splits": list(spec.splits),
            "offline_splits": list(spec.offline_splits),
            "default_split": spec.default_split,
            "parameters": _describe_params(spec.params),
            "source": spec.source,
        }
        for name in suite_names()
        for spec in [load_suite(name)]
    ]


def _read_strategies() -> list[Record]:
    return [
        {
            "strategy": name,
            "version": one.name,
            "serves": sorted(shape.value for shape in one.serves),
            "learns": one.learn is not None,
            "parameters": _describe_params(one.params),
            "source": one.source,
        }
        for name in strategy_names()
        for one in [load_strategy(name)]
    ]


def _read_embedders() -> list[Record]:
    return [{"embedder": name} for name in ["auto", *embedder_names(), "litellm/<model>"]]


_SPLITS = "splits (* needs no download)"
KINDS: dict[str, Kind] = {
    "suites": Kind(
        _read_suites,
        {"suite": "suite", "shape": "shape", "splits": _SPLITS, "parameters": "parameters", "source": "source"},
    ),
    "strategies": Kind(
        _read_strategies, {name: name for name in ("strategy", "version", "serves", "parameters", "source")}
    ),
    "models": Kind(lambda: [{"model": name} for name in model_names()], {"model": "model"}),
    "embedders": Kind(_read_embedders, {"embedder": "embedder"}),
    "papers": Kind(
        list_papers,
        {
            "table": "table",
            "title": "what",
            "model": "paper's model",
            "numbers": "numbers",
            "measured": "measured",
            "runnable": "runnable",
            "not_measured": "not measured, and why",
        },
    ),
}


def list_command(kind: str, style: str = "rich") -> None:
    """Print what there is of a kind: a table, or a JSON array with an object for each.

    Raises: UsageError for an unknown kind or style.
    """
    if kind not in KINDS:
        raise unknown_name("list", "a kind", kind, KINDS)
    if style not in STYLES:
        raise unknown_name("list", "a format", style, STYLES)
    records, console = KINDS[kind].read(), screen()
    if style == "json":
        print(escape_json(json.dumps(records, indent=2, ensure_ascii=False)))
        return
    console.print(_make_table(records, KINDS[kind].columns))
    broken = list_broken()
    if broken:
        console.print("\n[yellow]plug-ins left out:[/]")
    for group, plugin, reason in broken:
        name = make_printable(f"{group} {plugin.name} ({plugin.package}): {reason}")
        console.print(f"  {escape(' '.join(name.split()))}", soft_wrap=True)


def _make_table(records: Sequence[Record], columns: Mapping[str, str]) -> Table:
    grid = _make_grid(*columns.values())
    for record in records:
        grid.add_row(*(escape(_format_value(name, record)) for name in columns))
    return grid


def _format_value(name: str, record: Record) -> str:
    value = record[name]
    if not isinstance(value, list):
        return str(value)
    if name == "parameters":
        return ", ".join(f"{p['name']}={'|'.join(p['choices']) or p['default']}" for p in value)
    offline = record.get("offline_splits")
    marked = offline if name == "splits" and isinstance(offline, list) else []
    return ", ".join(f"{one}*" if one in marked else one for one in value)


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
