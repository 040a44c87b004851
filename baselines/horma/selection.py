"""What a navigator has selected: lines of notes and raw turns, as they go into the context.

A raw turn stands as in every strategy's context. A line of a note stands behind ``[note on step 3]`` or ``[note on the
talk of 8 May, 2023]``, the time of the turns that it rests on. Where all of these are shown too and hold every word of
the line but articles and the like, the line is left out: it would say everything twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from baselines.horma.notes import Line
from baselines.horma.paths import ENTITIES, RAW, SUFFIX, is_within
from baselines.horma.raw_logs import RawLogs, RawTurn
from baselines.shared.extractive import strip_ending
from bench.agents import render_event
from bench.types import EventKind

__all__ = ["Selection", "Unit", "make_unit", "render_units"]

_WORD = re.compile(r"[^\W_]+")
_EMPTY = re.compile(
    r"an?|and|are|as|at|be|been|by|for|from|had|has|have|he|her|his|i|in|is|it|its|me|my|of|on|or|our|said|says|she|that"
    r"|the|their|there|they|this|to|told|was|we|were|which|who|with|you|your"
)
"""Words that add nothing to a turn. A denial, an order or a plan does."""


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

    A line of an entity's note stands behind the name of the entity where it does not say that.
    """
    turns = [turn for ref in raw.sort(line.sources) if (turn := raw.get(ref))]
    if not turns:
        return None
    last = turns[-1]
    if path in (last.folder, last.path):
        return Unit(last.folder, last.number, render_event(last.event), line.sources, last.order)
    text = f"[note on {_describe_times(turns)}] {_name_entity(path, line.text)}"
    return Unit(path, number, text, line.sources, last.order)


def _describe_times(turns: Sequence[RawTurn]) -> str:
    """Return when some turns were, in words: ``steps 1 and 3``, ``the talks of 8 May, 2023 to 2 June, 2023``."""
    times = list(dict.fromkeys(turn.time for turn in turns))
    if turns[0].event.kind is EventKind.TURN and turns[0].event.time:
        what = f"the talk{'s' * (len(times) > 1)} of "
    else:
        part = times[0].split()[0]
        what, times = f"{part}{'s' * (len(times) > 1)} ", [time.removeprefix(f"{part} ") for time in times]
    return what + (f"{times[0]} to {times[-1]}" if len(times) > 2 else " and ".join(times))


def _name_entity(path: str, text: str) -> str:
    """Return a line of an entity's note with the entity's name before it, unless it says a word of that name."""
    folder, _, name = path.removesuffix(SUFFIX).rpartition("/")
    words = re.split(r"[_.-]+", name)
    if folder.split("/")[0] != ENTITIES or any(word in text.casefold() for word in words if not word.isdigit()):
        return text
    return f"{' '.join(words).title()}: {text}"


def render_units(units: Iterable[Unit], seen: Iterable[Unit] = ()) -> str:
    """Return units as a context shows them: in the order of time, a raw turn before the notes on it.

    ``seen``: raw turns that the prompt shows elsewhere.
    """
    units = list(units)
    turns = {unit.refs[0]: unit.text for unit in (*seen, *units) if is_within(unit.path, RAW)}
    ordered = sorted(units, key=lambda unit: (unit.order, not is_within(unit.path, RAW), unit.path, unit.number))
    return "\n".join(unit.text for unit in ordered if is_within(unit.path, RAW) or not _repeats(unit, turns))


def _repeats(note: Unit, turns: Mapping[str, str]) -> bool:
    """True if all turns that a line rests on are shown, and hold every word of it that says something."""
    if not all(ref in turns for ref in note.refs):
        return False
    said = _list_roots(" ".join(turns[ref] for ref in note.refs))
    return _list_roots(note.text.partition("] ")[2]) <= said


def _list_roots(text: str) -> set[str]:
    words = (word for word in _WORD.findall(text.lower()) if not _EMPTY.fullmatch(word))
    return {strip_ending(word) for word in words}


class Selection:
    """Units in the order in which they were selected, as many as fit the budget together."""

    def __init__(self, budget_tokens: int | None, count: Callable[[str], int], seen: Sequence[Unit] = ()):
        """``seen``: raw turns that the prompt shows elsewhere."""
        self._budget_tokens, self._count, self._seen = budget_tokens, count, tuple(seen)
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
            tokens = self._count(render_units([*self._units.values(), unit], self._seen))
            if self._budget_tokens is not None and tokens > self._budget_tokens:
                self._passed[key] = unit
                continue
            self._units[key], self.tokens = unit, tokens
            self._passed.pop(key, None)
            added.append(unit)
        return added

    def render(self) -> str:
        """Return the units as the context shows them."""
        return render_units(self.units, self._seen)

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
        return tuple(dict.fromkeys(ref for unit in self.units for ref in unit.refs))
