"""Reflexion's memory: the whole attempt, and the newest texts about the attempts before it. Knows no suite."""

from __future__ import annotations

from baselines.shared.history import FullHistory
from bench.agents import render_experience
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Query

__all__ = ["ReflexionMemory"]


class ReflexionMemory:
    """Keeps every event of the attempt, and shows the last ``memory`` reflections above them."""

    def __init__(self, kit: Kit):
        self._shown = kit.params.integer("memory")
        self._reflections: list[Event] = []
        self._history = FullHistory(kit)
        self._last_step = ("", "")  # the last action and what came of it
        self._action = ""
        self.repeats = 0
        """How often the last action with its observation came in a row."""

    def observe(self, event: Event) -> None:
        """Keep the event; feedback comes above the history, the goal and marks nowhere."""
        if event.kind is EventKind.FEEDBACK:
            self._reflections.append(event)
        else:
            self._history.observe(event)
        if event.kind is EventKind.ACTION:
            self._action = event.text
        elif event.kind is EventKind.OBSERVATION:
            step = (self._action, event.text)
            self.repeats = self.repeats + 1 if step == self._last_step else 1
            self._last_step = step

    def recall(self, query: Query) -> Context:
        """Return the reflections and the attempt so far. Read-only; may be over budget, which is then an error."""
        said = self._reflections[-self._shown :]
        past = self._history.recall(query)
        text = render_experience((), past.text, attempts=[event.text for event in said])
        return Context(text, (*(event.ref for event in said), *past.refs))
