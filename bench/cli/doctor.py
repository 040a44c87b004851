"""``bench doctor``: what this machine can run, what is missing, and how to get it."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from rich.markup import escape
from rich.table import Table

from bench import __version__
from bench.cli.console import screen
from bench.cli.data import data_specs
from bench.cli.list_check import list_broken
from bench.config import package_versions
from bench.data.root import DATA_VARIABLE, data_root
from bench.plugins import OWN_PACKAGES, describe_foreign, find_plugins, probe_import
from bench.registry import KINDS
from bench.scoring.metric_names import METRIC_GROUP
from bench.store.printing import make_printable

__all__ = ["Finding", "doctor_command", "list_findings"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. ``needed``: without it nothing runs."""

    name: str
    good: bool
    detail: str
    needed: bool = False


def list_findings() -> Iterator[Finding]:
    """Check the interpreter, the database, optional engines, packages and the data."""
    yield Finding("python", sys.version_info >= (3, 11), platform.python_version(), needed=True)
    # 3.24 of 2018: upserts and reliable WAL on read-only media.
    yield Finding("sqlite", sqlite3.sqlite_version_info >= (3, 24), sqlite3.sqlite_version, needed=True)
    yield Finding("cores", True, str(os.cpu_count() or 1))
    versions = package_versions()
    for name in ("alfworld", "textworld"):
        found = versions[name] != "absent"
        yield Finding(name, found, versions[name] if found else "pip install 'memfrontier[alfworld]'")
    minilm = find_spec("sentence_transformers") is not None
    yield Finding("minilm embedder", minilm, "ready" if minilm else "pip install 'memfrontier[embeddings]'")
    for name, extra in (
        ("jericho", "jericho"),
        ("litellm", "litellm"),
        ("xllamacpp", "local"),
        ("torch", "train"),
        ("datasets", "datasets"),
    ):
        found = find_spec(name) is not None
        yield Finding(name, found, "ready" if found else f"pip install 'memfrontier[{extra}]'")
    yield from _check_packages()
    root = data_root()
    yield Finding("data root", root.exists(), f"{root}{'' if root.exists() else f' (not there; set ${DATA_VARIABLE})'}")
    for name, spec in sorted(data_specs().items()):
        problems = spec.check(root)
        detail = f"{len(problems)} files missing or altered; bench data get {name}" if problems else "complete"
        yield Finding(f"data {name}", not problems, detail)


def _check_packages() -> Iterator[Finding]:
    """Look for packages of other people under our names, and at each plug-in: first from outside, in a process of its
    own, since one that ends the process at import would end this one."""
    for package in OWN_PACKAGES:
        if foreign := describe_foreign(package):
            yield Finding(f"package {package}", False, foreign, needed=True)
    groups = (*(kind.group for kind in KINDS), METRIC_GROUP)
    every = [(group, plugin) for group in groups for plugin in find_plugins(group).values()]
    for module in sorted({plugin.target.partition(":")[0] for _, plugin in every}):
        probe_import(module)
    broken = {(group, plugin): reason for group, plugin, reason in list_broken()}
    for group, plugin in every:
        reason = broken.get((group, plugin), "")
        what = make_printable(f"plug-in {group.rpartition('.')[2]} {plugin.name}")
        yield Finding(what, not reason, " ".join(make_printable(reason).split()) or plugin.package)


def doctor_command() -> int:
    """Print the findings; returns 0 unless something that is needed is missing."""
    grid = Table(box=None, pad_edge=False, show_header=False)
    checked = list(list_findings())
    for one in checked:
        mark = "[green]ok[/]" if one.good else "[red]missing[/]" if one.needed else "[yellow]absent[/]"
        grid.add_row(mark, escape(one.name), escape(one.detail))
    console = screen()
    console.print(f"memfrontier {__version__} on {platform.system()} {platform.machine()}")
    console.print(grid)
    return 0 if all(one.good for one in checked if one.needed) else 1
