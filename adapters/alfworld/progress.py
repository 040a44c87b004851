"""The progress of a household task, from the facts of the world alone.

Our own definition (the games have none), named ``goal-conditions-1``. X is the kind of object in the goal and R the
kind of place. Progress is the share of these conditions that hold now, for the best object (for two objects: place):

==============  ====  =====================================================================================
pick            2     an X is held, or lies in an R · an X lies in an R
clean heat cool 3     an X is held, or was treated in this episode · and it is treated · and it lies in an R
pick two        4     two for each X in the same R (at most two), one for an X held while fewer than two lie there
look            2     an X is held · a lamp of the kind is on and the player stands at it
==============  ====  =====================================================================================

The environment takes the running maximum. Progress is 1 only if the game is won, and else at most one condition short
of 1. Conditions of the initial state count for two objects (one X in an R), but not for a treatment: an apple that is
cold at the start counts once it is held. This is not AgentBoard's regex progress; do not compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from adapters.alfworld.world import Fact, World
from bench.errors import DataError

__all__ = ["TASK_TYPES", "Goal", "compute_progress", "find_treated", "read_goal"]

_TREATMENT_FACTS: Mapping[str, str] = {
    "pick_clean_then_place_in_recep": "isclean",
    "pick_heat_then_place_in_recep": "ishot",
    "pick_cool_then_place_in_recep": "iscool",
}
_LOOK, _PICK, _TWO = "look_at_obj_in_light", "pick_and_place_simple", "pick_two_obj_and_place"
TASK_TYPES = (_PICK, _LOOK, *_TREATMENT_FACTS, _TWO)

_OBJECT = re.compile(r"\(objectType\s+\?(\w+)\s+(\w+)Type\)")
_PLACE = re.compile(r"\(receptacleType\s+\?\w+\s+(\w+)Type\)")


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a task: its type, the kind of object, and the kind of place or lamp."""

    kind: str
    thing: str
    target: str


def read_goal(kind: str, problem: str, who: str) -> Goal:
    """Read the goal of a task of type ``kind`` from its PDDL problem. Raises DataError if it is not of that form."""
    _, mark, goal = problem.partition("(:goal")
    things = {(variable == "ot", name.lower()) for variable, name in _OBJECT.findall(goal)}
    places = {name.lower() for name in _PLACE.findall(goal)}
    plain = [name for lamp, name in things if not lamp]
    targets = [name for lamp, name in things if lamp] if kind == _LOOK else sorted(places)
    if not mark or kind not in TASK_TYPES or len(plain) != 1 or len(targets) != 1:
        raise DataError(
            f"{who}: expected a goal of type {kind} with one kind of object and one target, "
            f"got {sorted(plain)} and {targets}; get the games again with `bench data get alfworld`"
        )
    return Goal(kind, plain[0], targets[0])


class _Facts:
    """The facts of one world, by name."""

    def __init__(self, facts: frozenset[Fact]):
        self._by_name: dict[str, set[tuple[str, ...]]] = {}
        for fact in facts:
            self._by_name.setdefault(fact.name, set()).add(fact.args)

    def rows(self, name: str) -> set[tuple[str, ...]]:
        return self._by_name.get(name, set())

    def first_arguments(self, name: str) -> set[str]:
        """Return the first arguments of the facts of that name."""
        return {args[0] for args in self.rows(name)}

    def of_kind(self, name: str, kind: str) -> set[str]:
        return {args[0] for args in self.rows(name) if args[1] == f"{kind}type"}


def find_treated(goal: Goal, world: World) -> frozenset[str]:
    """Return the objects that are treated as the goal asks (clean, hot, cool); empty where it asks for none."""
    return (
        frozenset(_Facts(world.facts).first_arguments(_TREATMENT_FACTS[goal.kind]))
        if goal.kind in _TREATMENT_FACTS
        else frozenset()
    )


def compute_progress(goal: Goal, world: World, treated_at_start: frozenset[str] = frozenset()) -> float:
    """Return the share of the goal's conditions that hold now; 1.0 exactly if the game is won."""
    if world.won:
        return 1.0
    facts = _Facts(world.facts)
    things = facts.of_kind("objecttype", goal.thing)
    held = {args[1] for args in facts.rows("holds")} & things
    if goal.kind == _LOOK:
        count, total = _count_look(goal, facts, bool(held)), 2
    elif goal.kind == _TWO:
        count, total = _count_two(goal, facts, things, bool(held)), 4
    elif goal.kind == _PICK:
        count, total = (1 if held else 0), 2
    else:
        now = find_treated(goal, world) & things
        count, total = (2 if now & held or now - treated_at_start else 1 if held else 0), 3
    return min(count, total - 1) / total


def _count_look(goal: Goal, facts: _Facts, held: bool) -> int:
    here = {args[1] for args in facts.rows("atlocation")}
    near = {args[0] for args in facts.rows("receptacleatlocation") if args[1] in here}
    at_hand = {args[0] for args in facts.rows("inreceptacle") if args[1] in near}
    lit = facts.of_kind("objecttype", goal.target) & facts.first_arguments("istoggled") & at_hand
    return int(held) + int(bool(lit))


def _count_two(goal: Goal, facts: _Facts, things: set[str], held: bool) -> int:
    places = facts.of_kind("receptacletype", goal.target)
    lying = dict.fromkeys(places, 0)
    for thing, place in facts.rows("inreceptacle"):
        if place in lying and thing in things:
            lying[place] += 1
    most = min(2, max(lying.values(), default=0))
    return 2 * most + int(held and most < 2)
