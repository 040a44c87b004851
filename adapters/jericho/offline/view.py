"""Goal and map, derived from the messages of one call.

The opening is parsed first, then the present of the memory in step order, then the current text. The map has rooms by
their titles, the ways walked and the commands tried in each room. Knows no game; all of these games print the title of
a room as a short line without a full stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adapters.jericho.environment import GOAL_LEAD
from adapters.shared.sections import split_sections
from adapters.shared.teaching import divide
from bench.types import Message

__all__ = ["DIRECTIONS", "OPPOSITE", "View", "direction_of", "read_view"]

_LINE = re.compile(
    r"(?:\[(?P<step>\d+)\]\s*)?(?P<kind>Task|Action|Observation|Note|Feedback|Summary|Sub-?goal)\s*\d*:\s*(?P<text>.*)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"[A-Z][A-Za-z'-]*(?: [A-Za-z'-]+){0,4}")
OPPOSITE = {
    "north": "south",
    "south": "north",
    "east": "west",
    "west": "east",
    "northeast": "southwest",
    "southwest": "northeast",
    "northwest": "southeast",
    "southeast": "northwest",
    "up": "down",
    "down": "up",
    "in": "out",
    "out": "in",
}
DIRECTIONS = tuple(OPPOSITE)
_SHORT = {"n": "north", "s": "south", "e": "east", "w": "west", "u": "up", "d": "down"} | {
    "ne": "northeast",
    "nw": "northwest",
    "se": "southeast",
    "sw": "southwest",
}


def direction_of(command: str) -> str:
    """Return the direction that a command walks in, in full; empty if it is no such command."""
    word = command.lower().strip().removeprefix("go ")
    word = _SHORT.get(word, word)
    return word if word in OPPOSITE else ""


@dataclass(slots=True)
class View:
    """The parsed messages. Rooms are identified by their titles; two rooms with one title count as one."""

    goal: str = ""
    here: str = ""
    last: str = ""
    """The newest text."""
    last_action: str = ""
    rooms: dict[str, str] = field(default_factory=dict)
    """Each room's longest description."""
    ways: dict[str, dict[str, str]] = field(default_factory=dict)
    """Room -> direction -> the room it leads to; empty = a blocked way."""
    tried: dict[str, set[str]] = field(default_factory=dict)

    def has_tried(self, command: str) -> bool:
        """True if a command was tried in the current room."""
        return command in self.tried.get(self.here, set())

    def has_tried_anywhere(self, command: str) -> bool:
        return any(command in commands for commands in self.tried.values())

    def add(self, action: str, reply: str) -> None:
        """Update the map from one action, and from its reply if the messages have it."""
        came_from, way = self.here, direction_of(action)
        if action:
            self.last_action = action
            self.tried.setdefault(came_from, set()).add(action)
        if not reply:
            return
        self.last = reply
        title = _find_title(reply)
        if way and not title:
            self.ways.setdefault(came_from, {})[way] = ""
        if title:
            self.here = title
            self.rooms[title] = max(self.rooms.get(title, ""), reply, key=len)
            if way and came_from:
                self.ways.setdefault(came_from, {})[way] = title
                self.ways.setdefault(title, {}).setdefault(OPPOSITE[way], came_from)


def _find_title(text: str) -> str:
    """Return the room title in a text; empty if there is none."""
    for line in text.splitlines():
        if _TITLE.fullmatch(line.rstrip()):
            return line.strip()
    return ""


@dataclass(slots=True)
class _Entry:
    step: int
    kind: str
    text: str


def read_view(messages: Sequence[Message]) -> View:
    """Return the view of the messages; a pure function of its arguments."""
    sections = split_sections(messages)
    now = sections.now
    view = View()
    goal, _, opening = sections.task.partition("\n")
    view.goal = goal.partition(GOAL_LEAD)[2].strip()
    view.add("", opening)
    pending = ""
    present = divide(sections.memory, sections.task, bool(now)).present
    entries = sorted(_parse_entries(present), key=lambda entry: entry.step)
    for entry in entries:
        if entry.kind == "action":
            if pending:
                view.add(pending, "")
            pending = entry.text
        elif entry.kind == "observation":
            view.add(pending, entry.text)
            pending = ""
    if now or pending:
        view.add(pending, now)
    return view


def _parse_entries(memory: str) -> Iterable[_Entry]:
    """Return the labelled lines of a memory, each with its continuation lines."""
    entries: list[_Entry] = []
    for raw in memory.splitlines():
        found = _LINE.match(raw.lstrip("*>- "))
        if found:
            step = int(found["step"]) if found["step"] else (entries[-1].step if entries else 0)
            entries.append(_Entry(step, found["kind"].lower(), found["text"].strip()))
        elif entries:
            entries[-1].text += f"\n{raw}"
    for entry in entries:
        entry.text = entry.text.strip()
    return entries
