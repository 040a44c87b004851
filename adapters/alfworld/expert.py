"""The next action of an expert who knows what was told in this episode, and how many actions then remain.

Our own planner over the six task types; the games' walkthroughs know where everything is, this one does not. It plans
on the true state, but with those things alone whose place was told: what nobody has seen has to be searched for. A plan
is a few stages, so that all of them can be listed: for each known thing of the goal's kind, each place of the goal's
kind and each tool. The shortest wins; ties go by name.

``Move.facts`` are the facts that its next action depends on:

=======  =================================================================================
stage    facts
=======  =================================================================================
fetch    where the thing was last seen
treat    that it is held
deliver  that it is held, was treated if it has to be, and where the first of two was put
light    that the thing is held, and where the lamp was last seen
drop     that something of no use is held
search   each place that was searched in vain, and that the thing is held, if it is
=======  =================================================================================

and of an action at the player's place, that the player is there and whether the place is open. Knows no text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from adapters.alfworld.scene import Scene

__all__ = ["Key", "Known", "Move", "find_move"]

Key = tuple[str, ...]
"""A fact: ``("at", "mug 1", "desk 2")``, ``("holds", "mug 1")``, ``("treated", "mug 1")``, ``("here", "loc 3")``,
``("state", "fridge 1")`` for open or closed, ``("searched", "drawer 2")``; ``evidence`` adds
``("shared", "desk 2")``: it can be used from where the player stands."""
_UNSEEN = 6
"""The actions that to find and fetch something unseen is taken to need."""
_INTO = frozenset(("fetch", "deliver"))
"""Stages for which a place has to be open."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was told so far, of what still holds."""

    places: Mapping[str, str] = field(default_factory=dict)
    """Where each thing was last seen."""
    treated: Collection[str] = ()
    searched: Collection[str] = ()
    """Places whose content was shown."""


@dataclass(frozen=True, slots=True)
class Move:
    """The next action, what it depends on, and how many actions remain, with it."""

    command: str
    facts: tuple[Key, ...]
    left: int
    place: str = ""
    """Where it is carried out, or leads."""
    searches: bool = False
    """Something has still to be found."""


@dataclass(frozen=True, slots=True)
class _Stage:
    """What is done with a thing at a place, once there, and the facts that call for it."""

    verb: str
    thing: str
    place: str
    facts: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    stages: tuple[_Stage, ...]
    missing: int = 0
    """Things that have to be found."""


def find_move(scene: Scene, known: Known) -> Move:
    """Return the expert's next action, in the wording of the newer games (``move`` for ``put``)."""
    costs = [(_count_actions(scene, plan), plan.missing, _name(plan), plan) for plan in _list_plans(scene, known)]
    left, _, _, plan = min(costs, key=lambda one: one[:3])
    if plan.stages:
        return _take_stage(scene, plan.stages[0], left, searches=plan.missing > 0)
    return _search(scene, known, left)


def _name(plan: _Plan) -> tuple[tuple[str, str], ...]:
    return tuple((stage.thing, stage.place) for stage in plan.stages)


def _count_actions(scene: Scene, plan: _Plan) -> int:
    spot, opened, actions = scene.here, set[str](), 0
    for stage in plan.stages:
        if stage.place:
            actions += scene.spot_of.get(stage.place) != spot
            spot = scene.spot_of.get(stage.place, spot)
        if stage.verb in _INTO and scene.is_closed(stage.place) and stage.place not in opened:
            opened.add(stage.place)
            actions += 1
        actions += 1
    return actions + _UNSEEN * plan.missing


def _list_plans(scene: Scene, known: Known) -> list[_Plan]:
    """Return every plan for what is known; at least one."""
    useless = bool(scene.held) and scene.held not in scene.wanted
    head = (_Stage("drop", scene.held, "", (("holds", scene.held),)),) if useless else ()
    if scene.goal.kind.startswith("pick_two"):
        plans = [_plan_two(scene, known, target, head) for target in scene.targets]
    else:
        plans = [_Plan((*head, *stages), missing) for stages, missing in _plan_one(scene, known)]
    # A plan that has nothing to do yet is a search, for which the hands need not be free.
    return [plan if len(plan.stages) > len(head) else _Plan((), plan.missing) for plan in plans] or [_Plan((), 1)]


def _plan_one(scene: Scene, known: Known) -> Iterator[tuple[tuple[_Stage, ...], int]]:
    """Yield the stages for one thing of the goal's kind, and what they leave to be found."""
    looks = scene.goal.kind.startswith("look")
    for thing in _list_usable(scene, known):
        fetch = _fetch(scene, known, thing)
        if looks:
            lamps = sorted(scene.lamps & set(known.places))
            yield from (((*fetch, _light(thing, lamp, known)), 0) for lamp in lamps)
            if not lamps and fetch:
                yield fetch, 1
            continue
        treated = not scene.treatment or thing in known.treated
        for tool in scene.tools if not treated else ("",):
            treat = () if treated else (_Stage("treat", thing, tool, (("holds", thing),)),)
            for target in scene.targets:
                yield (*fetch, *treat, _deliver(scene, thing, target, ())), 0


def _plan_two(scene: Scene, known: Known, target: str, head: tuple[_Stage, ...]) -> _Plan:
    """Return the plan that brings two things into one place."""
    lying = sorted(thing for thing in scene.wanted if known.places.get(thing) == target)[:2]
    usable = [thing for thing in _list_usable(scene, known) if thing not in lying]
    chosen = sorted(usable, key=lambda one: (one != scene.held, _is_far(scene, known, one), one))[: 2 - len(lying)]
    stages = list(head)
    done = tuple(("at", thing, target) for thing in lying)
    for thing in chosen:
        stages += (*_fetch(scene, known, thing), _deliver(scene, thing, target, done))
    return _Plan(tuple(stages), 2 - len(lying) - len(chosen))


def _list_usable(scene: Scene, known: Known) -> list[str]:
    """Return the things of the goal's kind that can be used: the one that is held, else all that were seen."""
    if scene.held in scene.wanted and not scene.goal.kind.startswith("pick_two"):
        return [scene.held]
    return sorted(thing for thing in scene.wanted if thing in known.places or thing == scene.held)


def _is_far(scene: Scene, known: Known, thing: str) -> bool:
    return not scene.is_here(known.places.get(thing, ""))


def _fetch(scene: Scene, known: Known, thing: str) -> tuple[_Stage, ...]:
    if thing == scene.held:
        return ()
    place = known.places[thing]
    return (_Stage("fetch", thing, place, (("at", thing, place),)),)


def _deliver(scene: Scene, thing: str, target: str, done: tuple[Key, ...]) -> _Stage:
    treated = (("treated", thing),) if scene.treatment else ()
    return _Stage("deliver", thing, target, (("holds", thing), *treated, *done))


def _light(thing: str, lamp: str, known: Known) -> _Stage:
    place = known.places[lamp]
    return _Stage("light", lamp, place, (("holds", thing), ("at", lamp, place)))


def _take_stage(scene: Scene, stage: _Stage, left: int, *, searches: bool) -> Move:
    """Return the first action of a stage: to go there, to open, or what is done there."""
    place = stage.place
    if not place:
        place = next((one for one in sorted(scene.spot_of) if scene.is_here(one) and not scene.is_closed(one)), "")
        return Move(f"move {stage.thing} to {place}", stage.facts, left, place, searches)
    if not scene.is_here(place):
        return Move(f"go to {place}", stage.facts, left, place, searches)
    facts = (*stage.facts, *_describe_place(scene, place))
    if stage.verb in _INTO and scene.is_closed(place):
        return Move(f"open {place}", facts, left, place, searches)
    commands = {
        "fetch": f"take {stage.thing} from {place}",
        "treat": f"{scene.treatment} {stage.thing} with {place}",
        "deliver": f"move {stage.thing} to {place}",
        "light": f"use {stage.thing}",
    }
    return Move(commands[stage.verb], facts, left, place, searches)


def _describe_place(scene: Scene, place: str) -> tuple[Key, ...]:
    here = (("here", scene.here),)
    return (*here, ("state", place)) if place in scene.openable else here


def _search(scene: Scene, known: Known, left: int) -> Move:
    """Return the action that shows the content of a further place: of one at hand, else of the first by name."""
    unseen = sorted(set(scene.spot_of) - set(known.searched))
    held = (("holds", scene.held),) if scene.held in scene.wanted else ()
    at_hand = [place for place in unseen if scene.is_here(place)]
    if at_hand:
        place = at_hand[0]
        verb = "open" if scene.is_closed(place) else "examine"
        return Move(f"{verb} {place}", (*held, *_describe_place(scene, place)), left, place, True)
    facts = (*held, *(("searched", place) for place in sorted(known.searched)))
    place = unseen[0] if unseen else ""
    return Move(f"go to {place}" if place else "look", facts, left, place, True)
