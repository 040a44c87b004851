"""The toy world: a house of rooms, a closed box in each, and one thing to find and to bring somewhere.

It takes memory to solve it in few steps: which boxes were opened, what was in them, whether one carries the thing.
Progress: 0.5 for having held the thing, 1.0 for having brought it (running maximum).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from bench.types import Frame, Observation, Opening

__all__ = ["House", "ToyWorld", "house_of"]

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
    instructions=(Path(__file__).parent / "frame" / "world.txt").read_text().strip(),
    label="Action:",
    stimulus_label="Observation:",
    max_tokens=30,
)


@dataclass(frozen=True, slots=True)
class House:
    """Where everything is at the start. ``boxes`` are (room, thing) pairs, sorted by room."""

    boxes: tuple[tuple[str, str], ...]
    thing: str
    target: str
    start: str


def house_of(seed: int, rooms: int) -> House:
    """Return the house of a seed; the same on every machine. ``rooms`` is 3 to 12."""
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
        self._lying: dict[str, list[str]] = {name: [] for name in self._boxes}
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
        did = ""
        if text.startswith("go to "):
            did = self._go(text.removeprefix("go to ").removeprefix("the "))
        elif text in ("open box", "open the box"):
            did = self._open()
        elif verb == "take":
            did = self._take(rest.removeprefix("the "))
        elif verb == "drop":
            did = self._drop(rest.removeprefix("the "))
        known = verb in ("go", "open", "take", "drop")
        won = self._house.thing in self._lying[self._house.target]
        self._progress = max(self._progress, 1.0 if won else 0.5 if self._held == self._house.thing else 0.0)
        return Observation(
            did or "That does not work.",
            done=won,
            won=won,
            progress=self._progress,
            valid=bool(did),
            executed=text,
            invalid_reason="" if did else "precondition" if known else "unparsable",
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
        lying = self._lying[self._here]
        return f" On the floor lies the {' and the '.join(lying)}." if lying else ""

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
        elif thing in self._lying[self._here]:
            self._lying[self._here].remove(thing)
        else:
            return ""
        self._held = thing
        return f"You take the {thing}."

    def _drop(self, thing: str) -> str:
        if not thing or self._held != thing:
            return ""
        self._held = ""
        self._lying[self._here] = sorted([*self._lying[self._here], thing])
        return f"You drop the {thing} in the {self._here}."
