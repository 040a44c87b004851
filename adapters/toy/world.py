"""The toy world: a house with a closed box in each room, and one thing to find and bring to a target room.

A short solution needs memory: which boxes are open, what was in them, whether the thing is in hand.
Progress: 0.5 for having held the thing, 1.0 for success (running maximum).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from bench.types import Frame, Observation, Opening

__all__ = ["House", "ToyWorld", "build_house"]

ROOMS = (
    "attic", "bathroom", "cellar", "dining room", "garage", "guest room", "hall", "kitchen", "library", "nursery",
    "pantry", "studio",
)  # fmt: skip
THINGS = (
    "brass key", "blue cup", "candle", "chess set", "compass", "flute", "ink pot", "lantern", "map", "red scarf",
    "silver coin", "watch",
)  # fmt: skip
FRAME = Frame(
    id="toy-v1/world",
    instructions=(Path(__file__).parent / "frame" / "world.txt").read_text(encoding="utf-8").strip(),
    answer_format=(Path(__file__).parent / "frame" / "world_answer.txt").read_text(encoding="utf-8").strip(),
)


@dataclass(frozen=True, slots=True)
class House:
    """The initial state. ``boxes`` are (room, thing) pairs, sorted by room."""

    boxes: tuple[tuple[str, str], ...]
    thing: str
    target: str
    start: str


def build_house(seed: int, rooms: int) -> House:
    """Return the house of a seed and a number of rooms (3 to 12); equal on every machine."""
    rng = random.Random(f"toy-v1/{seed}/{rooms}")
    names = sorted(rng.sample(ROOMS, rooms))
    things = rng.sample(THINGS, rooms)
    start, target = rng.sample(names, 2)
    hidden = rng.choice([index for index, name in enumerate(names) if name not in (start, target)])
    return House(tuple(zip(names, things, strict=True)), things[hidden], target, start)


class ToyWorld:
    """One episode in a house."""

    def __init__(self, house: House):
        self._house = house
        self._boxes = dict(house.boxes)
        self._floor_things: dict[str, list[str]] = {name: [] for name in self._boxes}
        self._here, self._held, self._progress = house.start, "", 0.0
        self._opened: set[str] = set()

    def reset(self) -> Opening:
        house = self._house
        text = (
            f"You are in the {house.start}. The house has these rooms: {', '.join(self._boxes)}. "
            f"Your task is to: bring the {house.thing} to the {house.target}."
        )
        return Opening(text, FRAME)

    def step(self, action: str) -> Observation:
        """Carry out one command; an unknown or impossible one changes nothing and is invalid."""
        text = " ".join(action.lower().split())
        verb, _, rest = text.partition(" ")
        reply = ""
        if text.startswith("go to "):
            reply = self._go(text.removeprefix("go to ").removeprefix("the "))
        elif text in ("open box", "open the box"):
            reply = self._open()
        elif verb == "take":
            reply = self._take(rest.removeprefix("the "))
        elif verb == "drop":
            reply = self._drop(rest.removeprefix("the "))
        known = verb in ("go", "open", "take", "drop")
        won = self._house.thing in self._floor_things[self._house.target]
        self._progress = max(self._progress, 1.0 if won else 0.5 if self._held == self._house.thing else 0.0)
        return Observation(
            reply or "That does not work.",
            done=won,
            won=won,
            progress=self._progress,
            valid=bool(reply),
            executed=text,
            invalid_reason="" if reply else "precondition" if known else "unparsable",
        )

    def close(self) -> None:
        pass

    def _go(self, room: str) -> str:
        if room not in self._boxes or room == self._here:
            return ""
        self._here = room
        return f"You are in the {room}. {self._box()}{self._floor()}"

    def _box(self) -> str:
        if self._here not in self._opened:
            return "There is a closed box."
        inside = self._boxes[self._here]
        return f"The open box holds the {inside}." if inside else "The open box is empty."

    def _floor(self) -> str:
        floor = self._floor_things[self._here]
        return f" On the floor lies the {' and the '.join(floor)}." if floor else ""

    def _open(self) -> str:
        if self._here in self._opened:
            return ""
        self._opened.add(self._here)
        return f"You open the box in the {self._here}. {self._box()}"

    def _take(self, thing: str) -> str:
        if self._held or not thing:
            return ""
        if self._here in self._opened and self._boxes[self._here] == thing:
            self._boxes[self._here] = ""
        elif thing in self._floor_things[self._here]:
            self._floor_things[self._here].remove(thing)
        else:
            return ""
        self._held = thing
        return f"You take the {thing}."

    def _drop(self, thing: str) -> str:
        if not thing or self._held != thing:
            return ""
        self._held = ""
        self._floor_things[self._here] = sorted([*self._floor_things[self._here], thing])
        return f"You drop the {thing} in the {self._here}."
