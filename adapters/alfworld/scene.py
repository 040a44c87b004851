"""One state of a house as a planner reads it: where the player and each thing are, what is open and held. No text."""

from __future__ import annotations

from collections import defaultdict

from adapters.alfworld.progress import Goal
from adapters.alfworld.world import World

__all__ = ["Scene"]

_TREATMENTS = {
    "pick_clean_then_place_in_recep": ("clean", ("sinkbasintype", "sinktype")),
    "pick_heat_then_place_in_recep": ("heat", ("microwavetype",)),
    "pick_cool_then_place_in_recep": ("cool", ("fridgetype",)),
}
"""How a thing is treated, and the kinds of places that do it, by task type."""


class Scene:
    """The facts of one world, indexed for one goal. Names are display names."""

    def __init__(self, world: World, goal: Goal):
        self.won, self.goal = world.won, goal
        self.places_of: dict[str, set[str]] = defaultdict(set)
        """The places that a thing lies in."""
        self.spot_of: dict[str, str] = {}
        """The location of each place; several may share one."""
        self.here = ""
        """The location of the player."""
        self.held = ""
        self.openable: set[str] = set()
        self._opened: set[str] = set()
        things, places = dict[str, str](), dict[str, str]()
        for fact in world.facts:
            name, args = fact.name, fact.args
            if name == "inreceptacle":
                self.places_of[args[0]].add(args[1])
            elif name == "receptacleatlocation":
                self.spot_of[args[0]] = args[1]
            elif name == "atlocation":
                self.here = args[1]
            elif name == "holds":
                self.held = args[1]
            elif name == "openable":
                self.openable.add(args[0])
            elif name == "opened":
                self._opened.add(args[0])
            elif name == "objecttype":
                things[args[0]] = args[1]
            elif name == "receptacletype":
                places[args[0]] = args[1]
        self.wanted = {thing for thing, kind in things.items() if kind == f"{goal.thing}type"}
        """The things of the goal's kind."""
        self.lamps = {thing for thing, kind in things.items() if kind == f"{goal.target}type"}
        self.targets = sorted(place for place, kind in places.items() if kind == f"{goal.target}type")
        self.treatment, tools = _TREATMENTS.get(goal.kind, ("", ()))
        """``clean``, ``heat`` or ``cool``; empty if the goal asks for none of them."""
        self.tools = sorted(place for place, kind in places.items() if kind in tools)

    def is_closed(self, place: str) -> bool:
        return place in self.openable and place not in self._opened

    def is_here(self, place: str) -> bool:
        return self.spot_of.get(place) == self.here
