"""The rolling summary of older events, and the newest events as they were. Knows no suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from baselines.shared.budget import find_room
from baselines.shared.condensed import Condensed
from baselines.shared.reach import list_shown
from baselines.shared.summarizer import Summarizer, tell_limit
from bench.agents import render
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Message, Query

__all__ = ["RollingSummary"]

_PROMPT = Path(__file__).with_name("summarize.txt").read_text(encoding="utf-8").strip()


class RollingSummary:
    """A summary of all but the newest events, and those."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._count = kit.budget.count
        room = find_room(kit)
        self._trigger = kit.params.number("trigger") * room
        self.summarizer = Summarizer(kit, "summarize", int(kit.params.number("share") * room))
        self._recent = kit.params.integer("recent")
        self._next_try = 0.0  # tokens shown; after a refusal
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
        return self._past.build_context(self._events, query, self._count)

    def reach(self) -> frozenset[str]:
        """Return the refs of all that is shown, whatever the query."""
        return list_shown(self, self._kit)

    def _fold(self) -> None:
        current = self._events[-1].kind is EventKind.OBSERVATION
        used = self._count(self._past.render(self._events[:-1] if current else self._events))
        old = self._select_older()
        if used < max(self._trigger, self._next_try) or not old or self.summarizer.limit_tokens < 1:
            return
        summary = self._ask_summary(old)
        if not summary or self._count(replace(self._past, text=summary).render([])) >= self._count(
            self._past.render(old)
        ):
            self._next_try = 1.25 * used
            return
        self._next_try = 0.0
        refs = (*self._past.refs, *(event.ref for event in old))
        self._past = replace(self._past, text=summary, refs=refs)
        self._events = self._events[len(old) :]

    def _select_older(self) -> list[Event]:
        """Return the events before the recent ones. A step counts as its action and observation, a turn as itself."""
        *past, newest = self._events
        if newest.kind is EventKind.OBSERVATION:
            return [event for event in past if event.step <= newest.step - self._recent]
        return past[: max(0, len(past) + 1 - self._recent)]

    def _ask_summary(self, old: Sequence[Event]) -> str:
        parts = [f"# Summary so far\n{self._past.text}"] if self._past.text else []
        system = tell_limit(_PROMPT, self.summarizer.limit_tokens)
        request = "\n\n".join([*parts, f"# Next part\n{render(old)}"])
        return self.summarizer.ask((Message("system", system), Message("user", request)))
