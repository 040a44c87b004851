"""A room with things and a reachable goal, drawn from a seed; and the display names of its ids.

Each place has its own location. In official games several places may share one, and to go from one to another has no
effect: a defect that users report. The things of the goal never start in a place of the target kind. Knows no text.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from adapters.alfworld.generate.material import Material, Place, Plan

__all__ = ["ABILITY", "TOOL", "House", "Spot", "Thing", "build_names", "draw_house"]

ABILITY: Mapping[str, str] = {
    "pick_clean_then_place_in_recep": "Cleanable",
    "pick_heat_then_place_in_recep": "Heatable",
    "pick_cool_then_place_in_recep": "Coolable",
}
TOOL: Mapping[str, str] = {"Cleanable": "SinkBasin", "Heatable": "Microwave", "Coolable": "Fridge"}
_LOOK, _TWO = "look_at_obj_in_light", "pick_two_obj_and_place"
_LAMP = "DeskLamp"
_LAMP_PLACES = frozenset({"CoffeeTable", "CounterTop", "Desk", "DiningTable", "Dresser", "Shelf", "SideTable"})
_MOST_THINGS = 24
_MOST_A_PLACE = 6


@dataclass(frozen=True, slots=True)
class Thing:
    """An object: its id, its kind, and the id of the place it starts in."""

    id: str
    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A place and its location, which no other place has."""

    place: Place
    location: str


@dataclass(frozen=True, slots=True)
class House:
    """A room, its things sorted by id, and the task in it."""

    plan: Plan
    task_type: str
    thing: str
    target: str
    """The kind of place in the goal; for a look task the kind of lamp."""
    spots: tuple[Spot, ...]
    things: tuple[Thing, ...]
    start: str
    """The location where the player starts; no place is there."""

    def kind_of_place(self, place_id: str) -> str:
        return next(spot.place.kind for spot in self.spots if spot.place.id == place_id)


def draw_house(material: Material, task_type: str, rng: random.Random) -> House:
    """Draw a room for the task type, a goal in it, and the places of the things."""
    choice = rng.choice(_list_choices(material, task_type))
    things = _draw_things(material, task_type, choice, rng)
    return House(
        choice.plan, task_type, choice.thing, choice.target, _build_spots(choice.plan), things, "loc|0|0|0|30|start"
    )


def build_names(ids: Sequence[str]) -> Mapping[str, str]:
    """Return the display names: a kind in lower case and a number, as the engine numbers them.

    The engine sorts ids as they are written in PDDL and gives the highest number of a kind to the first of them.
    """
    left = Counter(_name_kind(each) for each in ids)
    out: dict[str, str] = {}
    for each in sorted(ids, key=to_pddl_id):
        kind = _name_kind(each)
        out[each] = f"{kind} {left[kind]}"
        left[kind] -= 1
    return out


def to_pddl_id(identifier: str) -> str:
    """Return an id in the form that PDDL allows; the engine converts it back."""
    signs = (("|", "_bar_"), ("-", "_minus_"), ("+", "_plus_"), (".", "_dot_"))
    for sign, word in signs:
        identifier = identifier.replace(sign, word)
    return identifier


def _name_kind(identifier: str) -> str:
    parts = identifier.lower().split("|")
    return parts[-1] if parts[-1].endswith("basin") else parts[0]


@dataclass(frozen=True, slots=True)
class _Choice:
    plan: Plan
    thing: str
    target: str


@cache
def _list_choices(material: Material, task_type: str) -> Sequence[_Choice]:
    """Return every plan, kind of thing and target for the task type, in a fixed order."""
    ability = ABILITY.get(task_type)
    out: list[_Choice] = []
    for plan in material.plans:
        if plan.room not in material.goals[task_type].rooms:
            continue
        kinds = {place.kind for place in plan.places}
        if ability and TOOL[ability] not in kinds:
            continue
        for thing in plan.kinds:
            homes = sorted(kind for kind in kinds if thing in material.holds[kind])
            if not homes or (ability and thing not in material.abilities[ability]):
                continue
            if task_type == _LOOK:
                if _LAMP in plan.kinds and kinds & _LAMP_PLACES and thing not in (_LAMP, "FloorLamp"):
                    out.append(_Choice(plan, thing, _LAMP))
            elif len(homes) > 1:
                tool = TOOL[ability] if ability else ""
                out += [_Choice(plan, thing, target) for target in homes if target != tool and set(homes) - {target}]
    return out


def _build_spots(plan: Plan) -> tuple[Spot, ...]:
    used: set[str] = set()
    out = []
    for place in plan.places:
        x, z, turn, tilt = place.spot
        while (location := f"loc|{x}|{z}|{turn}|{tilt}") in used:
            x += 1
        used.add(location)
        out.append(Spot(place, location))
    return tuple(out)


def _draw_things(material: Material, task_type: str, choice: _Choice, rng: random.Random) -> tuple[Thing, ...]:
    plan, thing, target = choice.plan, choice.thing, choice.target
    load: Counter[str] = Counter()
    out: list[Thing] = []

    def place_thing(kind: str, allowed: Sequence[Place]) -> None:
        free = [place for place in allowed if load[place.id] < _MOST_A_PLACE] or list(allowed)
        place = rng.choice(free)
        load[place.id] += 1
        out.append(Thing(_build_id(kind, place, len(out)), kind, place.id))

    def homes(kind: str) -> list[Place]:
        return [place for place in plan.places if kind in material.holds[place.kind]]

    count = 2 + rng.randrange(2) if task_type == _TWO else 1 + rng.randrange(2)
    for _ in range(count):
        place_thing(thing, [place for place in homes(thing) if place.kind != target])
    if task_type == _LOOK:
        place_thing(_LAMP, [place for place in plan.places if place.kind in _LAMP_PLACES])
    others = [kind for kind in plan.kinds if kind not in (thing, _LAMP) and homes(kind)]
    rng.shuffle(others)
    for kind in others:
        for _ in range(1 + rng.randrange(2)):
            if len(out) < _MOST_THINGS:
                place_thing(kind, homes(kind))
    return tuple(sorted(out, key=lambda each: to_pddl_id(each.id)))


def _build_id(kind: str, place: Place, index: int) -> str:
    """Return an id like the floor plan's own: where its place is, and a number that no other thing has."""
    _, x, y, z, *_rest = place.id.split("|")
    return f"{kind}|{x}|{y}|{z}|{index:02d}"
