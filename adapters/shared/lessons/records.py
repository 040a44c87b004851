"""What a teaching text teaches, as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Act", "Lessons", "PlaceCounts", "Recipe", "Trajectory"]


@dataclass(frozen=True, slots=True)
class Act:
    """One action of a trajectory and what came of it; ``result`` None = not shown."""

    action: str
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Actions that somebody took for a task."""

    task: str
    acts: tuple[Act, ...]
    failed: bool = False
    """The text says so."""
    opening: tuple[str, ...] = ()
    """The lines between the task and the first action."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a kind of task is done: ``verbs`` are those of the task, ``steps`` the actions that took effect.

    A step is ``take X``, ``heat X microwave``, ``put X Y``, ``use Y``: X is the thing, Y the other noun of the task.
    """

    verbs: frozenset[str]
    steps: tuple[str, ...]
    shown: bool = False
    """It comes from a trajectory and not from words."""


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """How often a thing was seen at places of a kind: ``seen`` of the times looked there, ``told`` in words."""

    seen: int = 0
    told: int = 0


@dataclass(frozen=True)
class Lessons:
    """Everything a text teaches. Kinds are singular and without a number; names have one."""

    trajectories: tuple[Trajectory, ...] = ()
    prose: tuple[str, ...] = ()
    """The lines that belong to no trajectory."""
    recipes: tuple[Recipe, ...] = ()
    """Best first: shown before told, the latest before earlier ones."""
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Verb to kinds of places where it worked, best first."""
    failed_tools: frozenset[tuple[str, str]] = frozenset()
    places: Mapping[str, Mapping[str, PlaceCounts]] = field(default_factory=dict)
    """Kind of thing to kind of place."""
    looks: Mapping[str, int] = field(default_factory=dict)
    """Kind of place to how many of them were looked into."""
    contents: Mapping[str, int] = field(default_factory=dict)
    """Kind of place to how many things were seen there in all those looks."""
    preferred: tuple[tuple[str, str], ...] = ()
    """Kinds to be searched sooner and later; the latter empty = before all others."""
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind of thing to names of places, from earlier attempts at the same task only."""
    absent: frozenset[tuple[str, str]] = frozenset()
    """(kind of thing, name of a place) where it was not, from earlier attempts at the same task only."""
    lines: int = 0
    understood: int = 0
    """How many of the lines taught something."""
