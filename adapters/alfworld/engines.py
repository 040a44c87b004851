"""The ALFWorld engines by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adapters.alfworld.fast import FastEngines
from adapters.alfworld.official import OfficialEngines
from adapters.alfworld.world import Engines
from bench.errors import unknown_name

__all__ = ["ENGINES", "build_engines"]

ENGINES: Mapping[str, Callable[[], Engines]] = {"fast": FastEngines, "official": OfficialEngines}
"""Name -> factory; the first is the default."""


def build_engines(name: str) -> Engines:
    """Return new engines of that name. Raises: UsageError for an unknown name or a package that is not installed."""
    if name not in ENGINES:
        raise unknown_name("alfworld", f"engine={'|'.join(ENGINES)}", name, ENGINES)
    return ENGINES[name]()
