"""The offline model's rule for household tasks (role ``act``): a competent player that knows only the prompt.

From the goal, the receptacles and the memory it fetches, treats and places things. To find a thing it goes to the most
plausible receptacle that it has not searched as far as the prompt shows. So it does well exactly if the context has
what it needs. It reads no game file and no state.

Known beforehand: the procedure of each of the six task types, which appliance heats, cools and cleans, where things of
a kind usually are, and the sentences of the games. A memory can only show it where it has been and what it saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from adapters.alfworld.offline.prompt import Prompt, read_prompt
from adapters.alfworld.offline.sense import APPLIANCES, kind_of, likely_order
from adapters.alfworld.offline.world import World, believe, read_names
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["FIRST_LINE", "RULES", "ActRule", "Decision", "Goal", "read_goal", "read_house"]

FIRST_LINE = "You are in a household and act by text commands, one per turn."
"""The first line of the frame, which identifies its prompts."""

_TREATMENT = {"heat": "heat", "hot": "heat", "cool": "cool", "cold": "cool", "clean": "clean"}
_GOALS = (
    re.compile(r"(?:put|find) (?P<two>two) (?P<thing>\w+?) (?:and put them )?(?:in/on|in|on) (?P<place>\w+)"),
    re.compile(r"(?P<treat>heat|cool|clean) (?:some|an?|the) (?P<thing>\w+) and put it (?:in/on|in|on) (?P<place>\w+)"),
    re.compile(r"put (?:some|an?|the) (?P<treat>hot|cool|cold|clean) (?P<thing>\w+) (?:in/on|in|on) (?P<place>\w+)"),
    re.compile(r"put (?:some|an?|the) (?P<thing>\w+) (?:in/on|in|on) (?P<place>\w+)"),
    re.compile(
        r"(?:examine|look at) (?:the |some |an? )?(?P<thing>\w+) (?:with|under|using) (?:the |an? )?(?P<lamp>\w+)"
    ),
)
_PUT_WORDING = re.compile(r"\bput\b[^\n]*\bin/on\b")


@dataclass(frozen=True, slots=True)
class Goal:
    """A parsed goal. Exactly one of ``place`` and ``lamp`` is set; ``treat`` is heat, cool, clean or empty."""

    thing: str
    place: str = ""
    lamp: str = ""
    treat: str = ""
    count: int = 1


@lru_cache(maxsize=4096)
def read_goal(task: str) -> Goal | None:
    """Return the goal that a lower-case task sentence states; None if it is none of the six types."""
    for pattern in _GOALS:
        if match := pattern.search(task):
            got = match.groupdict()
            treat = _TREATMENT.get(got.get("treat") or "", "")
            return Goal(got["thing"], got.get("place") or "", got.get("lamp") or "", treat, 2 if got.get("two") else 1)
    return None


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a competent player: the goal, the believed state of the house, and the wording of the game."""

    goal: Goal
    world: World
    rooms: tuple[str, ...]
    put_in: bool

    def actions(self) -> Iterator[str]:
        """Yield the possible actions, best first."""
        if self.world.hand_doubtful:
            yield "inventory"
        in_hand = self.world.holding
        if not in_hand:
            yield from self._fetch()
        elif kind_of(in_hand) != self.goal.thing:
            yield from self._put_down(in_hand)
        elif self.goal.lamp:
            yield from self._light()
        elif self.goal.treat and (self.goal.treat, in_hand) not in self.world.treated:
            yield from self._treat(in_hand)
        else:
            for place in self._targets():
                yield from self._put(in_hand, place)
        yield "look"

    def _order(self, thing: str) -> tuple[str, ...]:
        """Return the receptacles in the order in which to search them for a thing of this kind."""
        return likely_order(thing, self.rooms)

    def _reach(self, place: str) -> Iterator[str]:
        """Yield the next action towards the inside of a receptacle; nothing if it is in reach."""
        world = self.world
        if place not in world.at:
            yield f"go to {place}"
        elif world.closed.get(place):
            yield f"open {place}"
        elif place not in world.closed:
            yield f"examine {place}"

    def _fetch(self) -> Iterator[str]:
        world, goal = self.world, self.goal
        done = self._targets()[:1] if goal.count > 1 else []
        known = [(o, r) for o, r in world.where(goal.thing) if r not in done]
        # What lies here first, then what was already treated, then what was seen first.
        known.sort(key=lambda pair: (pair[1] not in world.at, (goal.treat, pair[0]) not in world.treated))
        for thing, place in known:
            yield from self._reach(place)
            yield f"take {thing} from {place}"
        yield from self._search(goal.thing)

    def _search(self, kind: str) -> Iterator[str]:
        """Yield the way into the most plausible place not known to be searched; then the places longest not seen."""
        world = self.world
        order = self._order(kind)
        for place in order:
            if place in world.at and place not in world.contents:
                yield from self._reach(place)
        for place in order:
            if place not in world.contents and place not in world.passed:
                yield from self._reach(place)
        for place in sorted(order, key=lambda r: (r in world.contents, world.passed.get(r, 0))):
            if place not in world.at:
                yield f"go to {place}"

    def _light(self) -> Iterator[str]:
        for lamp, place in self.world.where(self.goal.lamp):
            if place in self.world.at:
                yield f"use {lamp}"
            yield f"go to {place}"
        yield from self._search(self.goal.lamp)

    def _treat(self, in_hand: str) -> Iterator[str]:
        for kind in APPLIANCES[self.goal.treat]:
            for tool in self._all(kind):
                if tool in self.world.at:
                    yield f"{self.goal.treat} {in_hand} with {tool}"
                    yield f"open {tool}"
                yield f"go to {tool}"

    def _put(self, in_hand: str, place: str) -> Iterator[str]:
        yield from self._reach(place)
        if place in self.world.at:
            forms = (f"put {in_hand} in/on {place}", f"move {in_hand} to {place}")
            yield from forms if self.put_in else reversed(forms)

    def _put_down(self, in_hand: str) -> Iterator[str]:
        """Put down a thing that is not part of the goal: here if possible, else on the likeliest receptacle."""
        for place in [*sorted(self.world.at), *self._order(kind_of(in_hand))]:
            yield from self._put(in_hand, place)

    def _targets(self) -> list[str]:
        """Return the receptacles of the target kind, the one with most things of the goal first."""
        inside = self.world.contents
        head = self.goal.thing + " "
        counts = {r: sum(o.startswith(head) for o in inside.get(r, ())) for r in self._all(self.goal.place)}
        return sorted(counts, key=lambda r: -counts[r])

    def _all(self, kind: str) -> list[str]:
        return [r for r in likely_order(kind, self.rooms) if kind_of(r) == kind]


def read_house(prompt: Prompt) -> tuple[World, tuple[str, ...], bool]:
    """Return the believed state of the house, its places as the opening lists them, and whether things are "put"."""
    places = tuple(dict.fromkeys(read_names(prompt.opening.partition("your task is to:")[0])))
    return believe(prompt.memory, prompt.now), places, bool(_PUT_WORDING.search(prompt.system))


class ActRule:
    """The rule for role ``act``."""

    role = "act"
    header = FIRST_LINE

    def reply(self, messages: Sequence[Message]) -> str:
        """Return a line with the best action that has not just failed; a pure function of the messages."""
        prompt = read_prompt(messages)
        goal = read_goal(prompt.task)
        if goal is None:
            return "Action: look"
        decision = self.build(prompt, goal)
        return "Action: " + next(a for a in decision.actions() if a == "look" or a not in decision.world.failed)

    def build(self, prompt: Prompt, goal: Goal) -> Decision:
        """Return the decision that a prompt asks for."""
        return Decision(goal, *read_house(prompt))


RULES: tuple[OfflineRule, ...] = (ActRule(),)
"""What the offline model knows about this frame."""
