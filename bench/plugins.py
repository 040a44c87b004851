"""Plug-ins: what installed packages add by entry points, imported so that a broken one costs only itself.

A plug-in that raises, calls ``sys.exit`` or does not return from its import is a ``UsageError`` where it is asked for,
and is left out everywhere else. One that ends the process (``os._exit``, a crash in C) cannot be held off in this
process: ``probe_import``, which ``bench doctor`` uses, names it from outside. Knows no suite and no strategy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.errors import BenchError, UsageError, unknown_name

__all__ = [
    "OWN_PACKAGES",
    "Plugin",
    "PluginKind",
    "describe_foreign",
    "find_plugins",
    "import_target",
    "load_target",
    "probe_import",
]

OWN_PACKAGES = ("bench", "adapters", "baselines")
"""The packages of this distribution; other distributions have such names too (``adapters`` of PyPI)."""
_MARK = b"memfrontier"
"""Stands in the ``__init__.py`` of each of them."""
_IMPORT_S = 30.0
"""The most seconds of an import; a package that loads torch from a slow disk takes ten."""
_given_up: dict[str, str] = {}
"""Modules that are not imported again in this process, with the reason: nobody waits for one twice."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point: its name, what it names (``module:NAME``), and the distribution that brings it."""

    name: str
    target: str
    package: str


@cache
def find_plugins(group: str) -> Mapping[str, Plugin]:
    """Return the plug-ins of a group (``memfrontier.suites``) by name, sorted; none is imported."""
    try:
        points: Iterable[EntryPoint] = entry_points(group=group)
    except Exception:  # metadata that cannot be read: look at each distribution alone, and leave that one out
        points = [point for one in distributions() for point in _read_points(one, group)]
    found = (Plugin(point.name, point.value, _name_package(point)) for point in points)
    return {one.name: one for one in sorted(found, key=lambda one: (one.name, one.package))}


def _read_points(distribution: Any, group: str) -> list[EntryPoint]:
    try:
        return [point for point in distribution.entry_points if point.group == group]
    except Exception:
        return []


def _name_package(point: EntryPoint) -> str:
    try:
        return f"{point.dist.name} {point.dist.version}" if point.dist else "?"
    except Exception:  # its metadata cannot be read
        return "?"


@dataclass(frozen=True, slots=True)
class PluginKind:
    """What can be plugged in: how it is called in a message, the group of its entry points, what is built in."""

    what: str
    """With its article: ``a suite``."""
    group: str
    builtin: Mapping[str, str]
    """The targets of names that no plug-in can take: a published name always means the same code."""
    fits: Callable[[object], bool]
    """True for an object of this kind."""
    check_more: Callable[[Plugin], None] = lambda _: None
    """Raises: UsageError for a plug-in that loads and yet cannot be used."""

    def load(self, target: str) -> Any:
        """Return what a target names. Raises: UsageError if that cannot be had or is of another kind."""
        return load_target(target, self.what, self.fits)

    def find(self, name: str) -> str:
        """Return the target of a name. Raises: UsageError with the nearest names."""
        added = find_plugins(self.group)
        if name not in self.builtin and name not in added:
            raise unknown_name(self.what.split()[-1], self.what, name, {**added, **self.builtin})
        if name not in self.builtin:
            self.load(added[name].target)
            self.check_more(added[name])
        return self.builtin.get(name) or added[name].target

    def make(self, name: str, *given: object) -> Any:
        """Return what a plug-in's function makes. Raises: UsageError if it raises."""
        target = self.find(name)
        try:
            return self.load(target)(*given)
        except BenchError:
            raise
        except Exception as cause:
            raise UsageError(
                f"{target}: expected {self.what} from it, got {type(cause).__name__}: {cause}; fix or uninstall it"
            ) from cause

    def list_usable(self) -> list[str]:
        """Return the names that are built in and those of plug-ins that can be used, sorted."""
        broken = {plugin.name for plugin, _ in self.list_broken()}
        return sorted({*self.builtin, *(find_plugins(self.group).keys() - broken)})

    def list_broken(self) -> Iterator[tuple[Plugin, str]]:
        """Yield each plug-in that cannot be used, with the reason."""
        for plugin in find_plugins(self.group).values():
            try:
                self._check(plugin)
            except UsageError as reason:
                yield plugin, str(reason)

    def _check(self, plugin: Plugin) -> None:
        if not plugin.name.isprintable() or set(plugin.name) & set(" :,="):
            raise UsageError(
                f"plug-in: expected a name without blanks and any of : , =, got {plugin.name!r}; rename it"
            )
        if plugin.name in self.builtin:
            raise UsageError(
                f"{plugin.target}: expected a new name, got that of a built-in, {plugin.name!r}; rename it"
            )
        self.load(plugin.target)
        self.check_more(plugin)


def load_target(target: str, what: str, fits: Callable[[object], bool]) -> Any:
    """Return what a target names. Raises: UsageError if that cannot be had or does not fit."""
    found = import_target(target)
    if not fits(found):
        raise UsageError(f"{target}: expected {what}, got {type(found).__name__}; fix or uninstall it")
    return found


def import_target(target: str) -> Any:
    """Return what ``module:NAME`` names. Raises: UsageError if it cannot be had, with the reason."""
    module, _, name = target.partition(":")
    top = module.partition(".")[0]
    if top not in OWN_PACKAGES:
        found = _import_foreign(module)
        if isinstance(found, str):
            raise UsageError(f"{target}: expected a name to import, got an error ({found}); fix or uninstall it")
        return _get(found, target, name)
    try:
        return _get(import_module(module), target, name)
    except (Exception, SystemExit) as cause:
        if foreign := describe_foreign(top):
            raise UsageError(foreign) from cause
        if isinstance(cause, ImportError):
            raise UsageError(
                f"{target}: expected a name to import, got an error ({cause}); install what is missing"
            ) from cause
        raise


def _get(module: ModuleType, target: str, name: str) -> Any:
    try:
        return getattr(module, name)
    except AttributeError as cause:
        raise UsageError(f"{target}: expected a name to import, got an error ({cause}); fix or uninstall it") from cause


def _import_foreign(name: str) -> ModuleType | str:
    """Return a module, or why there is none. It is waited for in a thread, which is left behind if it hangs."""
    if name in _given_up:
        return _given_up[name]
    done, found = threading.Event(), list[ModuleType | str]()

    def work() -> None:
        try:
            found.append(import_module(name))
        except BaseException as cause:  # sys.exit too
            found.append(str(cause) if isinstance(cause, ImportError) else f"{type(cause).__name__}: {cause}")
        done.set()

    threading.Thread(target=work, name=f"import {name}", daemon=True).start()
    if not done.wait(_IMPORT_S):
        return _given_up.setdefault(name, f"its import takes more than {_IMPORT_S:g} s")
    return found[0]


def probe_import(target: str) -> None:
    """Import a target's module in a process of its own; if that fails, it is not imported in this one either."""
    module = target.partition(":")[0]
    code = "import sys\nfrom importlib import import_module\nimport_module(sys.argv[1])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONIOENCODING": "utf-8"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, module],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_IMPORT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        _given_up[module] = f"its import takes more than {_IMPORT_S:g} s"
        return
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        _given_up[module] = lines[-1] if lines else f"its import ends the process, exit code {done.returncode}"


def describe_foreign(package: str) -> str:
    """Return one line if another distribution's package of that name stands before ours, or was written over it."""
    home = Path(__file__).resolve().parent.parent
    try:
        spec = find_spec(package)
        places = [Path(place).resolve() for place in (spec.submodule_search_locations or ())] if spec else []
        if places[:1] == [home / package] and _MARK in (home / package / "__init__.py").read_bytes():
            return ""
        got = str(places[0] if places else spec.origin if spec else "none")
    except (OSError, ValueError, ImportError) as cause:
        got = str(cause)
    return (
        f"{package}: expected memfrontier's own package in {home}, got another one of that name ({got}); uninstall "
        "that one and reinstall memfrontier, or give memfrontier an environment of its own"
    )
