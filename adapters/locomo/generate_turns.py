"""The turns of a synthetic conversation: planned statements as text, with reactions and small talk around them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from adapters.locomo.generate_chat import Chat, capitalise
from adapters.locomo.generate_dates import TimePhrase
from adapters.locomo.generate_plan import PlannedStatement

__all__ = ["Place", "PlacedStatement", "TurnWriter"]

_CUE, _ECHO, _LEAD, _TAIL, _PICTURE = 0.5, 0.2, 0.35, 0.35, 0.06


@dataclass(frozen=True, slots=True)
class Place:
    """A turn of a session, both from 0."""

    session: int
    turn: int


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A planned statement with its turn and, for an event or a plan, its time phrase."""

    planned: PlannedStatement
    place: Place
    when: TimePhrase | None

    @property
    def ref(self) -> str:
        return f"D{self.place.session + 1}:{self.place.turn + 1}"

    @property
    def value(self) -> str:
        return self.when.value if self.when else self.planned.value


class TurnWriter:
    """Writes the turns of one conversation."""

    def __init__(self, rng: random.Random, statements: dict[Place, PlacedStatement], turns: int):
        """``turns`` is the number of turns of a session."""
        self._rng, self._statements, self._turns = rng, statements, turns
        self._chat = Chat(rng)

    def write(self, place: Place, other: str) -> tuple[str, str]:
        """Return the text of a turn and the caption of its picture; empty = no picture. ``other`` is the listener."""
        before = self._statements.get(Place(place.session, place.turn - 1))
        own = self._statements.get(place)
        after = self._statements.get(Place(place.session, place.turn + 1))
        parts = []
        if place.turn == 0:
            parts.append(self._chat.write("hello", other))
        elif before:
            parts.append(self._react(before, other))
        if own:
            parts.append(self._state(own))
        if place.turn == self._turns - 1 and place.turn:
            parts.append(self._chat.write("bye", other))
        elif not own or self._rng.random() < _TAIL:
            parts.append(self._chat.write("filler", other))
        if after and self._rng.random() < _CUE:
            parts.append(self._rng.choice(after.planned.topic.cue))
        return " ".join(parts), self._caption(own)

    def _react(self, before: PlacedStatement, other: str) -> str:
        if before.planned.value and not before.planned.topic.caption and self._rng.random() < _ECHO:
            return self._chat.write("echo", other, before.planned.value)
        return self._chat.write("react", other)

    def _state(self, statement: PlacedStatement) -> str:
        planned = statement.planned
        when = statement.when.text if statement.when else ""
        text = planned.line.replace("{When}", capitalise(when)).replace("{when}", when)
        text = text.replace("{v}", planned.value).replace("{old}", planned.old)
        if self._rng.random() >= _LEAD:
            return capitalise(text)
        lead = self._chat.write("lead")
        keeps_case = lead.endswith(".") or planned.line.startswith("{v}") or text.split()[0] in ("I", "Guess")
        return f"{lead} {capitalise(text) if keeps_case else text[:1].lower() + text[1:]}"

    def _caption(self, statement: PlacedStatement | None) -> str:
        if statement and statement.planned.topic.caption:
            return statement.planned.topic.caption[0].replace("{v}", statement.planned.value)
        return self._chat.write("picture").lower() if not statement and self._rng.random() < _PICTURE else ""
