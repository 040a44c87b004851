"""The files of package alfworld for generated tasks: floor plans, possible places, goal forms, domain and grammar.

The only file of this folder that knows the package. Its files are read by path, because importing the package itself
creates a folder in the user's home. Its texts are not those of the official games: the grammar's goal sentence is a
placeholder ("UNKNOWN GOAL"), which the generator fills, and the domain's line about sinks is commented out, which
changes nothing here, since floor plans name the basins, and the next line covers those.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from bench.errors import UsageError

__all__ = ["GoalForm", "Material", "Place", "Plan", "load_material"]

INSTALL = "pip install 'memfrontier[alfworld]'"


@dataclass(frozen=True, slots=True)
class Place:
    """A receptacle of a floor plan: its id there, its kind, and the spot to stand at (grid steps and angles)."""

    id: str
    kind: str
    spot: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """One floor plan: places sorted by id, and the kinds of things that belong to it, sorted."""

    number: int
    room: str
    places: tuple[Place, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoalForm:
    """The goal sentences of a task type (with ``{obj} {recep} {toggle}``), its goal in PDDL, and its rooms."""

    sentences: tuple[str, ...]
    pddl: str
    rooms: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that a generated task needs."""

    domain: str
    grammar: str
    plans: tuple[Plan, ...]
    holds: Mapping[str, frozenset[str]]
    """Kinds that may lie in a kind of place."""
    abilities: Mapping[str, frozenset[str]]
    """Kinds by what can be done with them: Heatable, Coolable, Cleanable, Sliceable."""
    openable: frozenset[str]
    vessels: frozenset[str]
    goals: Mapping[str, GoalForm]


@cache
def load_material() -> Material:
    """Read the package's files. Raises UsageError if it is not installed."""
    spec = importlib.util.find_spec("alfworld")
    if spec is None or not spec.submodule_search_locations:
        raise UsageError(f"alfworld: expected package alfworld for split procedural, got none; {INSTALL}")
    root = Path(spec.submodule_search_locations[0])
    constants = _module(root / "gen" / "constants.py")
    library = _module(root / "gen" / "goal_library.py")
    holds = {kind: frozenset(inside) for kind, inside in constants.VAL_RECEPTACLE_OBJECTS.items()}
    return Material(
        domain=(root / "data" / "alfred.pddl").read_text(encoding="utf-8"),
        grammar=(root / "data" / "alfred.twl2").read_text(encoding="utf-8"),
        plans=tuple(
            _plan(root / "gen" / "layouts", number, room, frozenset(holds))
            for room, numbers in sorted(constants.SCENE_TYPE.items())
            for number in numbers
        ),
        holds=holds,
        abilities={name: frozenset(kinds) for name, kinds in constants.VAL_ACTION_OBJECTS.items()},
        openable=frozenset(constants.OPENABLE_CLASS_LIST),
        vessels=frozenset(constants.MOVABLE_RECEPTACLES),
        goals={
            name: GoalForm(
                tuple(library.gdict[name]["templates"]),
                library.gdict[name]["pddl"].replace("#", "-"),
                tuple(sorted(constants.GOALS_VALID[name])),
            )
            for name in sorted(constants.GOALS)
        },
    )


def _module(path: Path) -> ModuleType:
    """Run one file of the package as a module of its own, so that nothing else of the package is imported."""
    spec = importlib.util.spec_from_file_location(f"_memfrontier_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UsageError(f"{path}: expected a file of package alfworld 0.4.2, got none; {INSTALL}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _plan(layouts: Path, number: int, room: str, receptacles: frozenset[str]) -> Plan:
    spots: Mapping[str, Sequence[float]] = json.loads(
        (layouts / f"FloorPlan{number}-openable.json").read_text(encoding="utf-8")
    )
    kinds: Sequence[str] = json.loads((layouts / f"FloorPlan{number}-objects.json").read_text(encoding="utf-8"))
    places = []
    for name, (x, z, turn, tilt) in sorted(spots.items()):
        parts = name.split("|")
        kind = parts[-1] if parts[-1].endswith("Basin") else parts[0]
        if kind in receptacles:
            places.append(Place(name, kind, (round(x * 4), round(z * 4), round(turn) // 90, round(tilt))))
    return Plan(number, room, tuple(places), tuple(sorted(set(kinds))))
