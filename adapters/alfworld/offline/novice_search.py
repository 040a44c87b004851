"""In which order the novice searches: by what it was taught of places, else as the room lists them."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.alfworld.offline.sense import kind_of
from adapters.alfworld.offline.world import World
from adapters.shared.lessons import Lessons, PlaceCounts, is_kind

__all__ = ["order_places"]

_TOLD_WEIGHT = 2
"""How many looks a sentence about a place is worth."""
_UNKNOWN = 0.08
"""The chance of a place of a kind of which nothing was taught."""
_THINGS = 20
"""Kinds of things in a house, about: how much a place that holds many things says of any one of them."""
_PREFERENCE = 1.5


def order_places(thing: str, rooms: tuple[str, ...], world: World, lessons: Lessons) -> tuple[str, ...]:
    """Return the places, the most promising first.

    A place where an earlier attempt saw the thing comes first, one where it was not comes last. The chance of a kind of
    place is how often a thing of this kind was seen there per look; it falls with each such place searched here.
    """
    found = lessons.found.get(thing, ())
    counts = _find_counts(thing, lessons)
    searched: dict[str, int] = {}
    for place in world.contents:
        searched[kind_of(place)] = searched.get(kind_of(place), 0) + 1

    def key(place: str) -> tuple[int, int, float, int]:
        kind = kind_of(place)
        here = found.index(place) if place in found else len(found)
        chance = _estimate(kind, counts, lessons)
        if kind in lessons.looks or any(is_kind(told, kind) for told in counts):
            chance /= 1 + searched.get(kind, 0)
        return ((thing, place) in lessons.absent, here, -chance * _prefer(place, lessons), rooms.index(place))

    return tuple(sorted(rooms, key=key))


def _find_counts(thing: str, lessons: Lessons) -> Mapping[str, PlaceCounts]:
    if thing in lessons.places:
        return lessons.places[thing]
    return next((counts for told, counts in lessons.places.items() if is_kind(told, thing)), {})


def _estimate(kind: str, counts: Mapping[str, PlaceCounts], lessons: Lessons) -> float:
    """Return the chance that a place of this kind holds the thing: seen per look, drawn towards how full it was."""
    told = sum(one.told for name, one in counts.items() if is_kind(name, kind)) * _TOLD_WEIGHT
    seen = counts[kind].seen if kind in counts else 0
    looked = lessons.looks.get(kind, 0)
    full = lessons.contents.get(kind, 0) / looked / _THINGS if looked else _UNKNOWN
    return (seen + told + min(0.5, full)) / (looked + told + 1)


def _prefer(place: str, lessons: Lessons) -> float:
    """Return how much sooner a place is to be searched than its chance says."""
    kind, weight = kind_of(place), 1.0
    for sooner, later in lessons.preferred:
        if sooner == place or is_kind(sooner, kind):
            weight *= _PREFERENCE
        if later and is_kind(later, kind):
            weight /= _PREFERENCE
    return weight
