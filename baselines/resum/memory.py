"""ReSum's memory: a summary of everything up to some event, and the events since. Knows no suite."""

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

__all__ = ["ReSum"]

_PROMPT = Path(__file__).with_name("summarize.txt").read_text(encoding="utf-8").strip()
_MOST_SUMMARIES = 60


class ReSum:
    """A summary of everything up to some event, and the events since."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._count = kit.budget.count
        room = find_room(kit)
        self._trigger = kit.params.number("trigger") * room
        self.summarizer = Summarizer(kit, "summarize", int(kit.params.number("share") * room))
        self._rounds = kit.params.integer("rounds")
        self._next_try = 0.0  # tokens shown; after a refusal
        self._n_summaries = 0
        self._goal = ""
        self._past = Condensed("Summary so far")
        self._since: list[Event] = []

    def observe(self, event: Event) -> None:
        """Keep the event; where the context is full by now, summarise it (one model call)."""
        if event.kind is EventKind.GOAL:
            self._goal = event.text
        elif event.kind is not EventKind.SESSION_END:
            self._since.append(event)
            if event.kind is not EventKind.ACTION:  # an action's observation is still to come
                self._summarize()

    def recall(self, query: Query) -> Context:
        """Return the summary and what happened since, the oldest left out where that does not fit. Read-only."""
        return self._past.build_context(self._since, query, self._count)

    def reach(self) -> frozenset[str]:
        """Return the refs of all that is shown, whatever the query."""
        return list_shown(self, self._kit)

    def _summarize(self) -> None:
        current = self._since[-1].kind is EventKind.OBSERVATION
        past = self._since[:-1] if current else self._since
        used = self._count(self._past.render(past))
        rounds = sum(event.kind is not EventKind.ACTION for event in past)
        # The newest action's outcome is the current observation, which is not summarised: neither is the action.
        old = [event for event in past if event.step < self._since[-1].step] if current else past
        full = (used >= self._trigger or 0 < self._rounds <= rounds) and self._n_summaries < _MOST_SUMMARIES
        if not full or not old or used < self._next_try or self.summarizer.limit_tokens < 1:
            return
        self._n_summaries += 1
        summary = self._ask_summary(old)
        if not summary or self._count(replace(self._past, text=summary).render(past[len(old) :])) >= used:
            self._next_try = 1.25 * used
            return
        self._next_try = 0.0
        refs = (*self._past.refs, *(event.ref for event in old))
        self._past = replace(self._past, text=summary, refs=refs)
        self._since = self._since[len(old) :]

    def _ask_summary(self, old: Sequence[Event]) -> str:
        parts = [f"# Task\n{self._goal or 'Questions about it will be asked later.'}"]
        parts += [f"# Summary so far\n{self._past.text}"] if self._past.text else []
        parts += [f"# Since then\n{render(old)}"]
        system = tell_limit(_PROMPT, self.summarizer.limit_tokens)
        return self.summarizer.ask((Message("system", system), Message("user", "\n\n".join(parts))))
