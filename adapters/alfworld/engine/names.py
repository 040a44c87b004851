"""The display name of an object's id: ``mug_bar__minus_01_dot_2`` is ``mug 2``.

Source: ``Demangler`` of alfworld 0.4.2 without shuffling, rebuilt from its behaviour: ids are numbered in reverse
alphabetical order, a basin is distinct from its sink, an id without coordinates keeps a trailing blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from bench.errors import DataError

__all__ = ["display_names"]

_PARTS = {"_minus_": "-", "_plus_": "+", "_dot_": ".", "_comma_": ","}


def display_names(ids: Iterable[str]) -> Mapping[str, str]:
    """Return id -> display name, for all entities of one game."""
    sorted_ids = sorted(set(ids))
    left = Counter(_name_kind(name.split("_bar_", 1)[0], name) for name in sorted_ids if "_bar_" in name)
    names = {}
    for name in sorted_ids:
        text = name.replace("_bar_", "|")
        for part, sign in _PARTS.items():
            text = text.replace(part, sign)
        kind, bar, _ = text.partition("|")
        if not bar:
            names[name] = f"{text} "
            continue
        kind = _name_kind(kind, name)
        if left[kind] < 1:
            raise DataError(f"pddl_problem: expected a plain word before '_bar_', got the object {name!r}")
        names[name] = f"{kind} {left[kind]}"
        left[kind] -= 1
    return names


def _name_kind(prefix: str, name: str) -> str:
    return f"{prefix}basin" if "basin" in name else prefix
