"""Synthetic evidence: the past steps that the expert's next action depends on, derived from the simulator.

ALFWorld has no evidence of its own. Here it is the smallest set of steps whose observations told the facts that the
next action of ``expert`` depends on: of each fact the last step that told it. What was never told needs searching, and
then the evidence are the places that were searched in vain. A failed ``go to`` counts where it is what tells that a
place can be used from where the player stands (a fifth of the places share their spot with another).

An action follows the plan if it leaves fewer actions to the goal than there were, with what was known before it; while
something has to be found, also if it shows the content of a place that was not searched yet.

Source: none; HORMA (arXiv 2606.11680) does not publish its evidence for ALFWorld. Deviations from an ideal definition:

* An observation tells of a thing or place by naming it; nothing is inferred from what it leaves out.
* The order in which an expert would search is not part of it: any unsearched place will do.
* What the expert did not plan but would have served as well (another thing of the kind, another place) is judged by the
  actions that remain, but is not evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.alfworld.expert import Key, Known, Move, find_move
from adapters.alfworld.progress import Goal
from adapters.alfworld.scene import Scene
from adapters.alfworld.world import NOTHING, World
from bench.protocols import NeededFact

__all__ = ["VERSION", "Recollection"]

VERSION = "synthetic-1"
"""In the fingerprint; to be raised with every change of what counts as evidence."""
_NAME = re.compile(r"[a-z]+ \d+")
_SHOWS = re.compile(r"(?:go to|open|examine) ([a-z]+ \d+)")
_TREATS = re.compile(r"(?:heat|clean|cool) ([a-z]+ \d+) with [a-z]+ \d+")
_STATE = re.compile(r"(?:The ([a-z]+ \d+) is (?:open|closed)|You (?:open|close) the ([a-z]+ \d+))")


@dataclass(frozen=True, slots=True)
class _Told:
    """When a fact was told last, and the names that told it."""

    step: int
    names: tuple[str, ...]


class Recollection:
    """What the observations of one episode have told, and what the next action depends on."""

    def __init__(self, goal: Goal, world: World):
        self._goal, self._scene = goal, Scene(world, goal)
        self._told: dict[Key, _Told] = {}
        self._places: dict[str, str] = {}
        self._step = 0
        self._note("", world.feedback)
        self._move = self._plan()
        self.followed = False
        """True if the last action was one that the facts call for."""

    def find_needed(self) -> list[NeededFact]:
        """Return the facts that the next action depends on, those told last at the end."""
        found = {self._told[key] for key in self._list_keys(self._move) if key in self._told}
        return [NeededFact(told.step, told.names) for told in sorted(found, key=lambda one: (one.step, one.names))]

    @property
    def next_command(self) -> str:
        """The expert's next action."""
        return self._move.command

    def take(self, command: str, world: World) -> None:
        """Take note of one action as it was carried out, and of what came of it."""
        before, known, move = self._scene, self._know(), self._move
        self._step += 1
        self._scene = Scene(world, self._goal)
        if self._scene.here != before.here:
            self._told = {key: told for key, told in self._told.items() if key[0] != "shared"}
        self._note(command, world.feedback)
        self.followed = self._judge(command, before, known, move)
        self._move = self._plan()

    def skip(self) -> None:
        """Take note of an action that never reached the game."""
        self._step, self.followed = self._step + 1, False

    def _plan(self) -> Move:
        return find_move(self._scene, self._know())

    def _list_keys(self, move: Move) -> Sequence[Key]:
        shared = ("shared", move.place)
        return (*move.facts, shared) if self._scene.is_here(move.place) else move.facts

    def _know(self) -> Known:
        scene = self._scene
        places = {thing: place for thing, place in self._places.items() if place in scene.places_of.get(thing, ())}
        treated = {key[1] for key in self._told if key[0] == "treated"}
        return Known(places, treated, {key[1] for key in self._told if key[0] == "searched"})

    def _note(self, command: str, text: str) -> None:
        scene = self._scene
        if text.strip() == NOTHING:
            place = command.removeprefix("go to ")
            if command.startswith("go to ") and scene.is_here(place):
                self._tell(("shared", place), place)
            return
        names = dict.fromkeys(_NAME.findall(text))
        for name in names:
            if scene.is_here(name):
                self._tell(("here", scene.here), name)
            elif name == scene.held:
                self._tell(("holds", name), name)
            elif at := [place for place in sorted(scene.places_of.get(name, ())) if scene.is_here(place)]:
                place = next((one for one in at if one in names), at[0])
                self._places[name] = place
                self._tell(("at", name, place), name, place)
        for found in _STATE.finditer(text):
            place = found[1] or found[2]
            self._tell(("state", place), place)
        self._note_command(command)

    def _note_command(self, command: str) -> None:
        """Take note of what an action that took effect shows by itself."""
        if (treats := _TREATS.fullmatch(command)) and treats[1] == self._scene.held:
            self._tell(("treated", treats[1]), treats[1])
        shows = _SHOWS.fullmatch(command)
        if shows and shows[1] in self._scene.spot_of and not self._scene.is_closed(shows[1]):
            self._tell(("searched", shows[1]), shows[1])

    def _tell(self, key: Key, *names: str) -> None:
        self._told[key] = _Told(self._step, names)

    def _judge(self, command: str, before: Scene, known: Known, move: Move) -> bool:
        """True if an action follows the plan; see the head of this file."""
        if self._scene.won:
            return True
        now = self._know()
        seen = {*known.places, before.held}
        left = find_move(self._scene, replace(now, places={k: v for k, v in now.places.items() if k in seen})).left
        if left < move.left:
            return True
        if before.is_here(move.place) and command == f"go to {move.place}":
            return ("here", before.here) not in self._told or self._told["here", before.here].names != (move.place,)
        return move.searches and self._shows_more(command, before, known)

    def _shows_more(self, command: str, before: Scene, known: Known) -> bool:
        """True if an action took the player to, or into, a place that was not searched yet."""
        shows = _SHOWS.fullmatch(command)
        if shows is None or shows[1] in known.searched:
            return False
        was_there, is_there = before.is_here(shows[1]), self._scene.is_here(shows[1])
        opened = before.is_closed(shows[1]) and not self._scene.is_closed(shows[1])
        return is_there and (not was_there or opened or not self._scene.is_closed(shows[1]))
