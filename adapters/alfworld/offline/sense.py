"""Where things of a kind are usually found: an ordered table of receptacle kinds.

Written from general knowledge of households, without any game file. Knows no room, no task and no game.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["APPLIANCES", "kind_of", "likely_order"]

APPLIANCES = {"heat": ("microwave",), "cool": ("fridge",), "clean": ("sinkbasin", "sink", "bathtubbasin")}
"""The receptacles for each treatment, best first."""

# Groups of receptacle kinds, most likely group first; "|" parts the groups. Within a group the first cabinet, drawer
# and so on are looked into before the second ones, because a household spreads its things.
_FOOD = (
    "countertop diningtable | fridge sinkbasin | garbagecan microwave toaster sidetable | stoveburner shelf |"
    " cabinet drawer"
)
_CROCKERY = (
    "countertop diningtable sinkbasin coffeemachine | desk sidetable coffeetable dresser | shelf fridge microwave |"
    " cabinet drawer"
)
_PANS = "stoveburner countertop | sinkbasin diningtable | fridge sidetable | cabinet shelf drawer"
_CUTLERY = "countertop diningtable sinkbasin | drawer sidetable | cabinet"
_SPICES = "countertop diningtable | shelf sidetable stoveburner | cabinet drawer"
_BOTTLES = "countertop sinkbasin | shelf toilet diningtable sidetable garbagecan | fridge cabinet drawer cart"
_BATHROOM = (
    "countertop sinkbasin toilet bathtubbasin | shelf cart garbagecan toiletpaperhanger towelholder handtowelholder |"
    " sidetable dresser | cabinet drawer"
)
_OFFICE = (
    "desk sidetable coffeetable dresser diningtable | bed sofa armchair tvstand countertop | shelf safe | drawer |"
    " ottoman garbagecan cabinet"
)
_SOFT = "sofa bed armchair | ottoman sidetable dresser desk | shelf cabinet drawer"
_LAMPS = "desk sidetable dresser | shelf coffeetable diningtable tvstand | countertop bed sofa"

_GROUPS = {
    _FOOD: "apple bread egg lettuce potato tomato",
    _CROCKERY: "bowl plate cup mug",
    _PANS: "pan pot kettle",
    _CUTLERY: "spoon fork knife butterknife spatula ladle dishsponge",
    _SPICES: "saltshaker peppershaker",
    _BOTTLES: "glassbottle winebottle soapbottle spraybottle papertowelroll",
    _BATHROOM: "soapbar cloth handtowel towel toiletpaper toiletpaperroll candle plunger scrubbrush tissuebox",
    _SOFT: "pillow teddybear blanket basketball baseballbat tennisracket boots laptop",
    _LAMPS: "desklamp floorlamp lamp",
}
_TABLE = {thing: places for places, things in _GROUPS.items() for thing in things.split()}
_CLOSED_KINDS = ("fridge", "microwave", "cabinet", "drawer", "safe", "laundryhamper")
"""Kinds with a door or a lid: looking in costs one more step, so unlisted ones come last."""


def kind_of(name: str) -> str:
    """Return the kind of a numbered thing: ``soapbar`` for ``soapbar 2``."""
    return name.rsplit(" ", 1)[0]


def _number_of(name: str) -> int:
    tail = name.rsplit(" ", 1)[-1]
    return int(tail) if tail.isdigit() else 0


@lru_cache(maxsize=4096)
def likely_order(thing: str, receptacles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the receptacles, the most plausible places for a thing of this kind first."""
    groups = [group.split() for group in _TABLE.get(thing, _OFFICE).split("|")]
    rank = {kind: (tier, place) for tier, group in enumerate(groups) for place, kind in enumerate(group)}

    def key(name: str) -> tuple[int, int, int, str]:
        kind = kind_of(name)
        tier, place = rank.get(kind, (len(groups) + (kind in _CLOSED_KINDS), 0))
        return (tier, _number_of(name), place, name)

    return tuple(sorted(receptacles, key=key))
