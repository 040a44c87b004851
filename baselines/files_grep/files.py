"""Everything that was said or done as text files in memory: one line an event, one file a session, and a log.

Looks up lines by words or by number and says which. Knows no model and no grammar; nothing touches a disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bench.agents import render_event
from bench.types import Event, EventKind

__all__ = ["LOG", "File", "Files", "FoundLines", "Place"]

LOG = "log.txt"
"""Where an episode goes, and whatever of a conversation is no turn."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Place:
    """One line: the file it is in, its number there from 1, and its event's place in time from 0."""

    file: str
    number: int
    at: int


@dataclass(frozen=True, slots=True)
class File:
    """What a listing says about one file."""

    name: str
    date: str
    lines: int


@dataclass(frozen=True, slots=True)
class FoundLines:
    """The lines that a look-up may show, and how many there were."""

    places: tuple[Place, ...]
    total: int


class Files:
    """The files, in the order in which they were begun."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._lines_by_word: dict[str, list[int]] = {}
        self._places: list[Place] = []
        self._files: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self._events)

    def write(self, event: Event) -> None:
        """Add one line to the file of its session."""
        name = f"session-{event.step:02d}.txt" if event.kind is EventKind.TURN else LOG
        lines = self._files.setdefault(name, [])
        lines.append(len(self._events))
        self._places.append(Place(name, len(lines), len(self._events)))
        self._events.append(event)
        for word in dict.fromkeys(_WORD.findall(render_event(event).lower())):
            self._lines_by_word.setdefault(word, []).append(self._places[-1].at)

    def get_event(self, place: Place) -> Event:
        return self._events[place.at]

    def list_files(self) -> tuple[File, ...]:
        return tuple(File(name, self._events[lines[0]].time, len(lines)) for name, lines in self._files.items())

    def list_speakers(self) -> tuple[str, ...]:
        """Everybody who says something, in order of appearance."""
        return tuple(dict.fromkeys(event.speaker for event in self._events if event.speaker))

    def grep(self, words: Sequence[str], most: int, hidden: str = "") -> FoundLines:
        """Return the first ``most`` lines that hold every word at a word's beginning; the event ``hidden`` is none."""
        beginnings = [piece for word in words for piece in _WORD.findall(word.lower())]
        line_sets = [self._find_lines_with(word) for word in beginnings]
        ats = sorted(set.intersection(*line_sets)) if line_sets else []
        hits = [self._places[at] for at in ats if not hidden or self._events[at].ref != hidden]
        return FoundLines(tuple(hits[:most]), len(hits))

    def _find_lines_with(self, beginning: str) -> set[int]:
        # The vocabulary is a few thousand words where the lines are many: looking through it is cheaper.
        return {at for word, ats in self._lines_by_word.items() if word.startswith(beginning) for at in ats}

    def read(self, name: str, first: int, last: int, hidden: str = "") -> FoundLines | None:
        """Return lines ``first`` to ``last`` of a file as far as they exist; None if there is no such file."""
        if name not in self._files:
            return None
        chosen = [self._places[at] for at in self._files[name][max(0, first - 1) : max(0, last)]]
        places = tuple(place for place in chosen if not (hidden and self._events[place.at].ref == hidden))
        return FoundLines(places, len(self._files[name]))
