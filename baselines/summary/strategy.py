"""A rolling summary of what is older, and the most recent steps or turns as they were. Knows no suite.

Source: the "summary" rows of memory papers (rolling summary with recent turns); trigger, length and prompt are
published nowhere. When the context fills ``trigger`` of its room, everything but the last ``recent`` steps is folded
into the summary. The room is the run's budget, or ``tokens`` where a run has none. The summariser is the acting
model; it sees the former summary and what is folded, not the task, and may use ``share`` of the room; a longer
summary is cut at a word, an empty one, or one that is no shorter than what it replaces, is refused, and after a
refusal nothing is asked until what is kept has grown by a quarter. The current observation has its fixed place in the
prompt and is not folded. Where the recent steps alone are too long, the oldest of them are not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from baselines.shared.condensed import Condensed
from bench.agents import default_agent, render, within
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Message, Query

__all__ = ["STRATEGY", "RollingSummary"]

_PROMPT = Path(__file__).with_name("summarize.txt").read_text(encoding="utf-8").strip()


class RollingSummary:
    """A summary of all but the newest events, and those."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._count = kit.budget.count
        room = kit.params.integer("tokens") if kit.budget.tokens is None else kit.budget.tokens
        self._trigger = kit.params.number("trigger") * room
        self._limit = int(kit.params.number("share") * room)
        self._recent = kit.params.integer("recent")
        self._quiet_until = 0.0  # tokens shown; after a refusal
        self._past = Condensed("Summary so far")
        self._events: list[Event] = []

    def observe(self, event: Event) -> None:
        """Keep the event; where the context is full by now, fold what is older (one model call)."""
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        self._events.append(event)
        if event.kind is not EventKind.ACTION:  # an action's observation is still to come
            self._fold()

    def recall(self, query: Query) -> Context:
        """Return the summary and the newest events, the oldest left out where that does not fit. Read-only."""
        return self._past.context(self._events, query, self._count)

    def _fold(self) -> None:
        current = self._events[-1].kind is EventKind.OBSERVATION
        used = self._count(self._past.shown(self._events[:-1] if current else self._events))
        old = self._older()
        if used < max(self._trigger, self._quiet_until) or not old or self._limit < 1:
            return
        summary = within(self._ask(old).strip(), self._limit, self._count)
        if not summary or self._count(replace(self._past, text=summary).shown([])) >= self._count(
            self._past.shown(old)
        ):
            self._quiet_until = 1.25 * used
            return
        self._quiet_until = 0.0
        refs = (*self._past.refs, *(event.ref for event in old))
        self._past = replace(self._past, text=summary, refs=refs)
        self._events = self._events[len(old) :]

    def _older(self) -> list[Event]:
        """Return the events before the recent ones. A step counts as its action and observation, a turn as itself."""
        *past, newest = self._events
        if newest.kind is EventKind.OBSERVATION:
            return [event for event in past if event.step <= newest.step - self._recent]
        return past[: max(0, len(past) + 1 - self._recent)]

    def _ask(self, old: Sequence[Event]) -> str:
        parts = [f"# Summary so far\n{self._past.text}"] if self._past.text else []
        system = _PROMPT.replace("{limit}", str(self._limit))
        asked = (Message("system", system), Message("user", "\n\n".join([*parts, f"# Next part\n{render(old)}"])))
        return self._kit.model.chat(asked, role="summarize", max_tokens=self._limit).text


STRATEGY = Strategy(
    name="summary-v1",
    build=default_agent(RollingSummary),
    params=(
        Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
        Param("trigger", 0.9, "share of the room at which what is older is folded", minimum=0),
        Param("share", 0.5, "share of the room that the summary may take", minimum=0),
        Param("recent", 3, "how many of the last steps (episode) or turns (conversation) stay as they were", minimum=1),
    ),
    source="rolling summary with recent turns (no settings published); trigger and length follow the shared budget",
)
"""The row."""
