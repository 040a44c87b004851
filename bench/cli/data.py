"""``bench data``: where benchmark data lies, whether it is complete, how to get it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from bench.data.download import fetch
from bench.data.root import data_root
from bench.errors import UsageError, unknown_name
from bench.protocols import DataSource, DataSpec
from bench.registry import load_suite, suite_names
from bench.store.printing import say

__all__ = ["data_command", "data_specs"]

_MOST_LINES = 20


def data_specs() -> dict[str, DataSpec]:
    """Return what each suite needs on disk, by suite name, and what several share, by the name of its folder."""
    suites = {name: load_suite(name) for name in suite_names()}
    own = {name: suite.data for name, suite in suites.items() if suite.data is not None}
    return own | {spec.folder: spec for suite in suites.values() for spec in suite.shared_data}


def data_command(action: str, name: str | None) -> int:
    """Do one action for one name or all. Returns 0, or 1 if something is missing or altered. Raises: UsageError."""
    if action not in _ACTIONS:
        raise unknown_name("data", "an action", action, _ACTIONS)
    specs = data_specs()
    if name is not None:
        if name not in specs:
            raise unknown_name("data", "a suite with data, or data of several suites", name, specs)
        specs = {name: specs[name]}
    elif action == "get":
        raise UsageError(f"data get: expected a name, got none; known: {', '.join(sorted(specs))}")
    root = data_root()
    return max([_ACTIONS[action](suite, spec, root) for suite, spec in sorted(specs.items())], default=0)


def _print_path(name: str, spec: DataSpec, root: Path) -> int:
    path = root / spec.folder
    print(f"{name}: {path}{'' if path.exists() else ' (not there)'}")
    return 0


def _check(name: str, spec: DataSpec, root: Path) -> int:
    problems = spec.check(root)
    if not problems:
        print(f"{name}: complete ({root / spec.folder})")
        return 0
    print(
        f"{name}: {len(problems)} files missing or altered under {root}; `bench data get {name}` fetches them, "
        "and keeps those of your own as NAME.replaced"
    )
    for problem in problems[:_MOST_LINES]:
        print(f"  {problem.path}: {problem.problem}")
    if len(problems) > _MOST_LINES:
        print(f"  … {len(problems) - _MOST_LINES} more")
    return 1


def _get(name: str, spec: DataSpec, root: Path) -> int:
    say(f"{name}: licence {spec.licence}")
    wanting = {problem.path for problem in spec.check(root)}
    for source in spec.sources:
        if _is_whole(source, root, wanting):
            say(f"{name}: {source.to} is there already")
        else:
            fetch(source, root, say)
    return _check(name, spec, root)


def _is_whole(source: DataSource, root: Path, wanting: Collection[str]) -> bool:
    """True if nothing of a source is missing or altered; of an archive, if nothing of the whole data is."""
    target = root / source.to
    if source.inside:
        return not wanting and target.is_dir()
    return target.is_file() and source.to not in wanting


_ACTIONS: dict[str, Callable[[str, DataSpec, Path], int]] = {"check": _check, "get": _get, "where": _print_path}
