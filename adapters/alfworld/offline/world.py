"""The believed state of the house, derived from the environment's sentences in a prompt.

A sentence is recognised anywhere (history, summary, note); later ones win; an action without an observation counts as
successful. Nothing else is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from adapters.alfworld.offline.prompt import Line

__all__ = ["Fact", "World", "believe", "read_facts", "read_names"]

_N = r"[a-z]+ \d+"
_FACT = re.compile(
    rf"you arrive at (?:the )?(?P<arrive>{_N})\."
    rf"|(?:on|in) the (?P<on>{_N}), you see (?P<seen>[^.]*)\."
    rf"|the (?P<open>{_N}) is open\. in it, you see (?P<inside>[^.]*)\."
    rf"|the (?P<closed>{_N}) is closed\."
    rf"|you open the (?P<opened>{_N})\."
    rf"|you close the (?P<shut>{_N})\."
    rf"|you (?:pick up|take) the (?P<take>{_N}) from the (?P<source>{_N})\."
    rf"|you (?:move|put) the (?P<put>{_N}) (?:to|in/on|in|on) the (?P<place>{_N})\."
    rf"|you (?P<treat>heat|cool|clean) the (?P<object>{_N}) (?:using|with) the (?P<tool>{_N})\."
    rf"|you are facing (?:the )?(?P<facing>{_N})[.,]"
    rf"|you are carrying: (?P<carrying>[^.]*)\."
    r"|(?P<empty>you are not carrying anything)\."
    r"|(?P<nothing>nothing happens)\b"
)
_ACT = re.compile(
    rf"(?P<go>go to) (?P<r>{_N})|(?P<verb>examine|open|close|use) (?P<x>{_N})"
    rf"|take (?P<take>{_N}) from (?P<source>{_N})|(?:move|put) (?P<put>{_N}) (?:to|in/on|in|on) (?P<place>{_N})"
    rf"|(?P<treat>heat|cool|clean) (?P<object>{_N}) with (?P<tool>{_N})"
)
_NAME = re.compile(_N)


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence of the environment: what kind it is, the thing and the place it names, what is seen there."""

    kind: str
    thing: str = ""
    place: str = ""
    seen: tuple[str, ...] = ()


@lru_cache(maxsize=1 << 16)
def read_names(text: str) -> tuple[str, ...]:
    """Return the numbered things a text lists, in its order."""
    return tuple(_NAME.findall(text))


@lru_cache(maxsize=1 << 16)
def read_facts(text: str) -> tuple[Fact, ...]:
    """Return what the environment's sentences in a lower-case text say, in their order."""
    return tuple(fact for match in _FACT.finditer(text) if (fact := _fact(match)))


def _fact(match: re.Match[str]) -> Fact | None:
    get = match.group
    match match.lastgroup:
        case "arrive":
            # The older grammar names a location number instead of the receptacle.
            return None if get("arrive").startswith("loc ") else Fact("at", place=get("arrive"))
        case "seen":
            return Fact("sees", place=get("on"), seen=read_names(get("seen")))
        case "inside":
            return Fact("sees", "open", get("open"), read_names(get("inside")))
        case "closed" | "opened" | "shut" | "facing" as group:
            kind = {"closed": "closed", "opened": "open", "shut": "closed", "facing": "at"}[group]
            return Fact(kind, place=get(group))
        case "source":
            return Fact("take", get("take"), get("source"))
        case "place":
            return Fact("put", get("put"), get("place"))
        case "tool":
            return Fact(get("treat"), get("object"), get("tool"))
        case "carrying":
            return Fact("hand", next(iter(read_names(get("carrying"))), ""))
        case "empty":
            return Fact("hand")
        case _:
            return Fact("nothing")


@lru_cache(maxsize=1 << 16)
def _read_act(text: str) -> Fact | None:
    """Return what an action would do."""
    match = _ACT.search(text)
    if not match:
        return None
    get = match.group
    if get("go"):
        return Fact("at", place=get("r"))
    if get("verb"):
        return Fact({"open": "open", "close": "closed"}.get(get("verb"), get("verb")), get("x"), get("x"))
    if get("take"):
        return Fact("take", get("take"), get("source"))
    if get("put"):
        return Fact("put", get("put"), get("place"))
    return Fact(get("treat"), get("object"), get("tool"))


@dataclass(slots=True)
class World:
    """The believed state of the house. A receptacle is in ``contents`` once its inside was shown."""

    contents: dict[str, list[str]] = field(default_factory=dict)
    closed: dict[str, bool] = field(default_factory=dict)
    passed: dict[str, int] = field(default_factory=dict)
    """When a receptacle was last seen or gone to, in lines read."""
    at: set[str] = field(default_factory=set)
    """Receptacles within reach; several may share one spot."""
    holding: str = ""
    hand_doubtful: bool = False
    treated: set[tuple[str, str]] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    """Actions that did nothing since something last happened."""
    shares: dict[str, set[str]] = field(default_factory=dict)
    clock: int = 0

    def where(self, kind: str) -> list[tuple[str, str]]:
        """Return (thing, receptacle) for every thing of a kind whose place is known, first seen first."""
        head = kind + " "
        return [(o, r) for r, things in self.contents.items() for o in things if o.startswith(head)]

    def observe(self, text: str, action: str) -> None:
        """Update from a text of the environment; ``action`` is the action before it, if known."""
        for fact in read_facts(text):
            self.clock += 1
            if fact.kind == "nothing":
                self._fail(action)
            else:
                self.failed.clear()
                self._apply(fact)

    def assume(self, action: str) -> None:
        """Update from an action without an observation, as if it had worked."""
        fact = _read_act(action)
        self.clock += 1
        if fact and fact.kind != "use":
            self._apply(Fact("at", place=fact.place) if fact.kind == "examine" else fact)

    def _arrive(self, place: str) -> None:
        self.at = {place} | self.shares.get(place, set())
        self.passed[place] = self.clock

    def _apply(self, fact: Fact) -> None:
        place, thing = fact.place, fact.thing
        if place and place not in self.at:
            self._arrive(place)
        match fact.kind:
            case "sees":
                self.passed[place] = self.clock
                self.contents[place] = list(fact.seen)
                self.closed[place] = False
                if self.holding in fact.seen:
                    self.holding = ""
            case "open" | "closed":
                self.closed[place] = fact.kind == "closed"
            case "take":
                self._lift(thing)
                self.holding, self.hand_doubtful = thing, False
            case "put":
                self._lift(thing)
                self.contents.setdefault(place, []).append(thing)
                self.holding, self.hand_doubtful = "", False
            case "hand":
                self.holding, self.hand_doubtful = thing, False
            case "heat" | "cool" | "clean":
                self.treated.add((fact.kind, thing))
                self.holding = thing

    def _lift(self, thing: str) -> None:
        for things in self.contents.values():
            if thing in things:
                things.remove(thing)

    def _fail(self, action: str) -> None:
        """Update from an action that had no effect."""
        self.failed.add(action)
        fact = _read_act(action)
        if not fact:
            return
        place = fact.place
        match fact.kind:
            case "at":  # already there: this place shares the spot
                spot = self.at | {place}
                for one in spot:
                    self.shares.setdefault(one, set()).update(spot)
                self.at = spot
            case "examine":  # out of reach after all: give the place up
                self.at.discard(place)
                self.contents.setdefault(place, [])
            case "open":
                self.closed[place] = False
            case "take":
                self._lift(fact.thing)
                self.hand_doubtful = True
            case "put":
                if place not in self.closed:
                    self.closed[place] = True
            case "use":
                self._lift(fact.thing)


def believe(lines: Iterable[Line], now: str) -> World:
    """Return the world after reading the remembered lines in order and then the latest observation."""
    world = World()
    pending = ""
    for line in lines:
        if line.label == "action":
            if pending:
                world.assume(pending)
            pending = line.text
        elif line.label != "task":
            world.observe(line.text, pending)
            pending = "" if line.label == "observation" else pending
    if now:
        world.observe(now, pending)
    elif pending:
        world.assume(pending)
    return world
