"""A house as a game file for the engine, with a walkthrough.

The walkthrough goes to the thing, takes it, treats it and brings it to its target, one thing at a time. Generation is a
pure function of task type, seed and wording: equal bytes every time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.alfworld.generate.house import ABILITY, TOOL, House, Thing, build_names, draw_house, to_pddl_id
from adapters.alfworld.generate.material import Material
from adapters.alfworld.grammar import Grammar
from bench.errors import UsageError

__all__ = ["GeneratedGame", "generate"]

_TREATMENT = {"Cleanable": "clean", "Heatable": "heat", "Coolable": "cool"}
_LAMPS = ("DeskLamp", "FloorLamp")
_PLACEHOLDER = "UNKNOWN GOAL"


@dataclass(frozen=True, slots=True)
class GeneratedGame:
    """A game file, its folder name and its walkthrough."""

    folder: str
    data: bytes
    walkthrough: tuple[str, ...]


def generate(material: Material, task_type: str, seed: int, grammar: Grammar = Grammar.MOVE) -> GeneratedGame:
    """Return the game of one seed."""
    rng = random.Random(f"alfworld-v1|procedural|{task_type}|{seed}")
    house = draw_house(material, task_type, rng)
    sentence = rng.choice(material.goals[task_type].sentences).format(
        obj=house.thing.lower(), recep=house.target.lower(), toggle=house.target.lower(), mrecep=""
    )
    walkthrough = tuple(_plan_walkthrough(material, house, grammar))
    fields = {
        "pddl_domain": material.domain,
        "grammar": _adapt_grammar(material.grammar, grammar).replace(_PLACEHOLDER, sentence),
        "pddl_problem": _write_problem(material, house),
        "solvable": True,
        "walkthrough": walkthrough,
    }
    folder = f"{task_type}-{house.thing}-None-{house.target}-{house.plan.number}"
    return GeneratedGame(folder, json.dumps(fields).encode(), walkthrough)


def _adapt_grammar(text: str, grammar: Grammar) -> str:
    if grammar is Grammar.MOVE:
        return text
    changes = (
        ("move {o} to {r}", "put {o} in/on {r}"),
        ("You move the {o.name} to the {r.name}.", "You put the {o.name} in/on the {r.name}."),
    )
    for old, new in changes:
        if old not in text:
            raise UsageError(
                f"alfworld: expected {old!r} in the grammar of package alfworld 0.4.2, got another version"
            )
        text = text.replace(old, new)
    return text


class _Walk:
    """The commands so far, the position of the player, and the open places."""

    def __init__(self, material: Material, house: House):
        self._house, self._openable = house, material.openable
        self._at, self._opened = "", set[str]()
        self.names = {
            **build_names([thing.id for thing in house.things]),
            **build_names([spot.place.id for spot in house.spots]),
        }
        self.commands: list[str] = []

    def add(self, command: str) -> None:
        self.commands.append(command)

    def go(self, place: str, *, inside: bool = True) -> str:
        """Go to a place and, with ``inside``, open it if needed; return its name."""
        name = self.names[place]
        if self._at != place:
            self.add(f"go to {name}")
            self._at = place
        if inside and self._house.kind_of_place(place) in self._openable and place not in self._opened:
            self.add(f"open {name}")
            self._opened.add(place)
        return name

    def take(self, thing: Thing) -> str:
        place = self.go(thing.place)
        self.add(f"take {self.names[thing.id]} from {place}")
        return self.names[thing.id]

    def first(self, kind: str) -> str:
        """Return the id of the first place of a kind."""
        return next(spot.place.id for spot in self._house.spots if spot.place.kind == kind)


def _plan_walkthrough(material: Material, house: House, grammar: Grammar) -> Sequence[str]:
    walk = _Walk(material, house)
    targets = [thing for thing in house.things if thing.kind == house.thing]
    if house.task_type == "look_at_obj_in_light":
        lamp = next(thing for thing in house.things if thing.kind == house.target)
        walk.take(targets[0])
        walk.go(lamp.place)
        walk.add(f"use {walk.names[lamp.id]}")
        return walk.commands
    for thing in targets[: 2 if house.task_type == "pick_two_obj_and_place" else 1]:
        name = walk.take(thing)
        ability = ABILITY.get(house.task_type)
        if ability:
            tool = walk.go(walk.first(TOOL[ability]), inside=False)
            walk.add(f"{_TREATMENT[ability]} {name} with {tool}")
        target = walk.go(walk.first(house.target))
        walk.add(f"move {name} to {target}" if grammar is Grammar.MOVE else f"put {name} in/on {target}")
    return walk.commands


def _write_problem(material: Material, house: House) -> str:
    kinds = sorted({thing.kind for thing in house.things} | {"ButterKnife", "Knife"})
    place_kinds = sorted({spot.place.kind for spot in house.spots} | {"SinkBasin", "Sink", "Microwave", "Fridge"})
    objects = ["agent1 - agent"]
    objects += [f"{kind}Type - otype" for kind in kinds]
    objects += [f"{kind}Type - rtype" for kind in place_kinds]
    objects += [f"{to_pddl_id(thing.id)} - object" for thing in house.things]
    objects += [f"{to_pddl_id(spot.place.id)} - receptacle" for spot in house.spots]
    objects += [f"{to_pddl_id(location)} - location" for location in (*(s.location for s in house.spots), house.start)]
    facts = [f"(atLocation agent1 {to_pddl_id(house.start)})"]
    facts += [
        f"(canContain {place}Type {kind}Type)"
        for place in place_kinds
        for kind in kinds
        if kind in material.holds.get(place, frozenset()) and kind not in _LAMPS
    ]
    for spot in house.spots:
        facts += _write_place_facts(material, to_pddl_id(spot.place.id), spot.place.kind, to_pddl_id(spot.location))
    where = {spot.place.id: spot.location for spot in house.spots}
    for thing in house.things:
        facts += _write_thing_facts(material, thing, to_pddl_id(where[thing.place]))
    goal = material.goals[house.task_type].pddl.format(
        obj=house.thing, recep=house.target, toggle=house.target, mrecep=""
    )
    lines = "\n    ".join
    return (
        f"(define (problem house_{house.plan.number})\n  (:domain alfred)\n"
        f"  (:objects\n    {lines(objects)}\n  )\n  (:init\n    {lines(facts)}\n  )\n{goal}"
    )


def _write_place_facts(material: Material, place: str, kind: str, location: str) -> list[str]:
    facts = [f"(receptacleType {place} {kind}Type)", f"(receptacleAtLocation {place} {location})"]
    return facts + [f"(openable {place})"] * (kind in material.openable)


def _write_thing_facts(material: Material, thing: Thing, location: str) -> list[str]:
    name = to_pddl_id(thing.id)
    facts = [
        f"(objectType {name} {thing.kind}Type)",
        f"(inReceptacle {name} {to_pddl_id(thing.place)})",
        f"(objectAtLocation {name} {location})",
        f"({'toggleable' if thing.kind in _LAMPS else 'pickupable'} {name})",
    ]
    able = (("Cleanable", "cleanable"), ("Heatable", "heatable"), ("Coolable", "coolable"), ("Sliceable", "sliceable"))
    facts += [f"({word} {name})" for ability, word in able if thing.kind in material.abilities[ability]]
    return facts + [f"(isReceptacleObject {name})"] * (thing.kind in material.vessels)
