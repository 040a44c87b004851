"""What a navigator has selected: lines of notes and raw turns, as they go into the context."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from baselines.horma.notes import Line
from baselines.horma.paths import ENTITIES, RAW, SUFFIX, is_within
from baselines.horma.raw_logs import RawLogs
from bench.agents import render_event

__all__ = ["Selection", "Unit", "make_unit", "render_units"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One line of a page as the context shows it: whole, or not at all."""

    path: str
    """A note, or the folder of a raw turn."""
    number: int
    """The line there, from 1."""
    text: str
    refs: tuple[str, ...]
    """The raw turns that it rests on, or that it is, in the order of time."""
    order: int
    """The place of its last turn in time."""


def make_unit(raw: RawLogs, path: str, number: int, line: Line) -> Unit | None:
    """Return a line of a page as a unit; None for one that rests on no turn, which the index alone has.

    A raw turn stands as it came; a line of a note behind the date or the step of its last turn, and behind the name of
    its entity where it does not say that.
    """
    turns = [turn for ref in raw.sort(line.sources) if (turn := raw.get(ref))]
    if not turns:
        return None
    last = turns[-1]
    if path in (last.folder, last.path):
        return Unit(last.folder, last.number, render_event(last.event), line.sources, last.order)
    time = last.event.time or str(last.event.step)
    return Unit(path, number, f"[{time}] {_name_entity(path, line.text)}", line.sources, last.order)


def _name_entity(path: str, text: str) -> str:
    """Return a line of an entity's note with the entity's name before it, unless it says a word of that name."""
    folder, _, name = path.removesuffix(SUFFIX).rpartition("/")
    words = re.split(r"[_.-]+", name)
    if folder.split("/")[0] != ENTITIES or any(word in text.casefold() for word in words if not word.isdigit()):
        return text
    return f"{' '.join(words).title()}: {text}"


def render_units(units: Iterable[Unit]) -> str:
    """Return units as a context shows them: in the order of time, a raw turn before the notes on it."""
    ordered = sorted(units, key=lambda unit: (unit.order, not is_within(unit.path, RAW), unit.path, unit.number))
    return "\n".join(unit.text for unit in ordered)


class Selection:
    """Units in the order in which they were selected, as many as fit the budget together."""

    def __init__(self, budget_tokens: int | None, count: Callable[[str], int]):
        self._budget_tokens, self._count = budget_tokens, count
        self._units: dict[tuple[str, int], Unit] = {}
        self._passed: dict[tuple[str, int], Unit] = {}
        self.tokens = 0

    def add(self, units: Iterable[Unit]) -> list[Unit]:
        """Add units that are new and fit, each whole; return those that were added. One that does not fit is passed."""
        added = []
        for unit in units:
            key = (unit.path, unit.number)
            if key in self._units:
                continue
            tokens = self._count(render_units([*self._units.values(), unit]))
            if self._budget_tokens is not None and tokens > self._budget_tokens:
                self._passed[key] = unit
                continue
            self._units[key], self.tokens = unit, tokens
            self._passed.pop(key, None)
            added.append(unit)
        return added

    @property
    def units(self) -> tuple[Unit, ...]:
        return tuple(self._units.values())

    @property
    def passed(self) -> tuple[Unit, ...]:
        """Units that were selected and did not fit."""
        return tuple(self._passed.values())

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs of the units in the order of selection, each once."""
        return _list_refs(self.units)


def _list_refs(units: Sequence[Unit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ref for unit in units for ref in unit.refs))
