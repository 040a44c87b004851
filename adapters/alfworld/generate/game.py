"""A drawn house as a game file that the engine plays, with a walkthrough from a plan of our own.

The plan is constructive: go where the thing lies, take it, treat it, bring it. It knows where everything is, and
holds one thing at a time. Generation is a pure function of task type, seed and wording: equal bytes every time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.alfworld.generate.house import ABILITY, TOOL, House, Thing, draw_house, names, written
from adapters.alfworld.generate.material import Material
from adapters.alfworld.grammar import Grammar
from bench.errors import UsageError

__all__ = ["GeneratedGame", "generate"]

_TREATMENT = {"Cleanable": "clean", "Heatable": "heat", "Coolable": "cool"}
_FIXED = ("DeskLamp", "FloorLamp")
_PLACEHOLDER = "UNKNOWN GOAL"


@dataclass(frozen=True, slots=True)
class GeneratedGame:
    """A game, and where it belongs."""

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
    walkthrough = tuple(_walkthrough(material, house, grammar))
    fields = {
        "pddl_domain": material.domain,
        "grammar": _grammar(material.grammar, grammar).replace(_PLACEHOLDER, sentence),
        "pddl_problem": _problem(material, house),
        "solvable": True,
        "walkthrough": walkthrough,
    }
    folder = f"{task_type}-{house.thing}-None-{house.target}-{house.plan.number}"
    return GeneratedGame(folder, json.dumps(fields).encode(), walkthrough)


def _grammar(text: str, grammar: Grammar) -> str:
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
    """Commands so far, where the player stands, and what is open."""

    def __init__(self, material: Material, house: House):
        self._house, self._openable = house, material.openable
        self._at, self._opened = "", set[str]()
        self.spoken = {
            **names([thing.id for thing in house.things]),
            **names([spot.place.id for spot in house.spots]),
        }
        self.commands: list[str] = []

    def say(self, command: str) -> None:
        self.commands.append(command)

    def go(self, place: str, *, inside: bool = True) -> str:
        """Stand at a place, with it open if it has to be reached into; return its name."""
        name = self.spoken[place]
        if self._at != place:
            self.say(f"go to {name}")
            self._at = place
        if inside and self._house.kind_of_place(place) in self._openable and place not in self._opened:
            self.say(f"open {name}")
            self._opened.add(place)
        return name

    def take(self, thing: Thing) -> str:
        place = self.go(thing.place)
        self.say(f"take {self.spoken[thing.id]} from {place}")
        return self.spoken[thing.id]

    def first(self, kind: str) -> str:
        """Return the id of the first place of a kind."""
        return next(spot.place.id for spot in self._house.spots if spot.place.kind == kind)


def _walkthrough(material: Material, house: House, grammar: Grammar) -> Sequence[str]:
    walk = _Walk(material, house)
    wanted = [thing for thing in house.things if thing.kind == house.thing]
    if house.task_type == "look_at_obj_in_light":
        lamp = next(thing for thing in house.things if thing.kind == house.target)
        walk.take(wanted[0])
        walk.go(lamp.place)
        walk.say(f"use {walk.spoken[lamp.id]}")
        return walk.commands
    for thing in wanted[: 2 if house.task_type == "pick_two_obj_and_place" else 1]:
        name = walk.take(thing)
        ability = ABILITY.get(house.task_type)
        if ability:
            tool = walk.go(walk.first(TOOL[ability]), inside=False)
            walk.say(f"{_TREATMENT[ability]} {name} with {tool}")
        target = walk.go(walk.first(house.target))
        walk.say(f"move {name} to {target}" if grammar is Grammar.MOVE else f"put {name} in/on {target}")
    return walk.commands


def _problem(material: Material, house: House) -> str:
    kinds = sorted({thing.kind for thing in house.things} | {"ButterKnife", "Knife"})
    place_kinds = sorted({spot.place.kind for spot in house.spots} | {"SinkBasin", "Sink", "Microwave", "Fridge"})
    objects = ["agent1 - agent"]
    objects += [f"{kind}Type - otype" for kind in kinds]
    objects += [f"{kind}Type - rtype" for kind in place_kinds]
    objects += [f"{written(thing.id)} - object" for thing in house.things]
    objects += [f"{written(spot.place.id)} - receptacle" for spot in house.spots]
    objects += [f"{written(location)} - location" for location in (*(s.location for s in house.spots), house.start)]
    facts = [f"(atLocation agent1 {written(house.start)})"]
    facts += [
        f"(canContain {place}Type {kind}Type)"
        for place in place_kinds
        for kind in kinds
        if kind in material.holds.get(place, frozenset()) and kind not in _FIXED
    ]
    for spot in house.spots:
        facts += _place_facts(material, written(spot.place.id), spot.place.kind, written(spot.location))
    where = {spot.place.id: spot.location for spot in house.spots}
    for thing in house.things:
        facts += _thing_facts(material, thing, written(where[thing.place]))
    goal = material.goals[house.task_type].pddl.format(
        obj=house.thing, recep=house.target, toggle=house.target, mrecep=""
    )
    lines = "\n    ".join
    return (
        f"(define (problem house_{house.plan.number})\n  (:domain alfred)\n"
        f"  (:objects\n    {lines(objects)}\n  )\n  (:init\n    {lines(facts)}\n  )\n{goal}"
    )


def _place_facts(material: Material, place: str, kind: str, location: str) -> list[str]:
    facts = [f"(receptacleType {place} {kind}Type)", f"(receptacleAtLocation {place} {location})"]
    return facts + [f"(openable {place})"] * (kind in material.openable)


def _thing_facts(material: Material, thing: Thing, location: str) -> list[str]:
    name = written(thing.id)
    facts = [
        f"(objectType {name} {thing.kind}Type)",
        f"(inReceptacle {name} {written(thing.place)})",
        f"(objectAtLocation {name} {location})",
        f"({'toggleable' if thing.kind in _FIXED else 'pickupable'} {name})",
    ]
    able = (("Cleanable", "cleanable"), ("Heatable", "heatable"), ("Coolable", "coolable"), ("Sliceable", "sliceable"))
    facts += [f"({word} {name})" for ability, word in able if thing.kind in material.abilities[ability]]
    return facts + [f"(isReceptacleObject {name})"] * (thing.kind in material.vessels)
