"""Which ALFWorld engines there are, by name. Knows nothing of what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adapters.alfworld.fast import FastEngines
from adapters.alfworld.official import OfficialEngines
from adapters.alfworld.world import Engines
from bench.errors import unknown_name

__all__ = ["ENGINES", "engines_named"]

ENGINES: Mapping[str, Callable[[], Engines]] = {"fast": FastEngines, "official": OfficialEngines}
"""Name to factory; the first is the default."""


def engines_named(name: str) -> Engines:
    """Return a fresh supply of engines. Raises UsageError for a name nobody has, or a missing extra."""
    if name not in ENGINES:
        raise unknown_name("alfworld", f"engine={'|'.join(ENGINES)}", name, ENGINES)
    return ENGINES[name]()
