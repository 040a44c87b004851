"""What a reader with perfect attention gets out of the messages of one call: the goal, and what was done and said.

It reads the opening, then what the memory shows in step order, then the current text. From that it draws a map: rooms
by their titles, the ways that were walked, the commands that were tried in each room. What is not written is not known.
Knows no game; that a room's title is a short line without a full stop is how all these games print it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adapters.jericho.environment import GOAL_LEAD
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
    """What is known. Rooms go by their titles; two rooms of one title are taken for one."""

    goal: str = ""
    here: str = ""
    last: str = ""
    """The newest text."""
    last_action: str = ""
    rooms: dict[str, str] = field(default_factory=dict)
    """Each room's description, the longest that was shown."""
    ways: dict[str, dict[str, str]] = field(default_factory=dict)
    """Room to direction to the room it leads to; empty = it leads nowhere."""
    tried: dict[str, set[str]] = field(default_factory=dict)

    def done(self, command: str) -> bool:
        """Return whether a command was tried in this room."""
        return command in self.tried.get(self.here, set())

    def ever_done(self, command: str) -> bool:
        return any(command in commands for commands in self.tried.values())

    def take(self, action: str, reply: str) -> None:
        """Learn from one action, and from the reply if it is shown."""
        came_from, way = self.here, direction_of(action)
        if action:
            self.last_action = action
            self.tried.setdefault(came_from, set()).add(action)
        if not reply:
            return
        self.last = reply
        title = _title(reply)
        if way and not title:
            self.ways.setdefault(came_from, {})[way] = ""
        if title:
            self.here = title
            self.rooms[title] = max(self.rooms.get(title, ""), reply, key=len)
            if way and came_from:
                self.ways.setdefault(came_from, {})[way] = title
                self.ways.setdefault(title, {}).setdefault(OPPOSITE[way], came_from)


def _title(text: str) -> str:
    """Return the room title in a text; empty if it has none."""
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
    """Return what the messages tell. A pure function of its arguments."""
    text = "\n\n".join(m.content for m in messages if m.role != "system")
    task, memory, now = _sections(text)
    view = View()
    goal, _, opening = task.partition("\n")
    view.goal = goal.partition(GOAL_LEAD)[2].strip()
    view.take("", opening)
    pending = ""
    entries = sorted(_entries(memory), key=lambda entry: entry.step)
    for entry in entries:
        if entry.kind == "action":
            if pending:
                view.take(pending, "")
            pending = entry.text
        elif entry.kind == "observation":
            view.take(pending, entry.text)
            pending = ""
    if now or pending:
        view.take(pending, now)
    return view


def _sections(text: str) -> tuple[str, str, str]:
    """Split a prompt at its headings; the last ``# Now`` counts, as a memory may quote anything."""
    body, _, tail = text.rpartition("# Now\n") if "# Now\n" in text else (text, "", "")
    now = tail.partition("Observation:")[2].rsplit("\n\nAction:", 1)[0].strip()
    task, _, memory = body.partition("# Memory\n")
    if not tail:
        task, memory = (part.rsplit("\n\nAction:", 1)[0] for part in (task, memory))
    return task.replace("# Task\n", "", 1).strip(), memory, now


def _entries(memory: str) -> Iterable[_Entry]:
    """Return the labelled lines of a memory, each with the lines that belong to it."""
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
