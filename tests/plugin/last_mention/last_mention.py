"""Last mention: for each word of the task or question, the last event that names it. Source: an example."""

from __future__ import annotations

import re

from bench.agents import default_agent, render
from bench.protocols import Kit, Strategy
from bench.types import Context, Event, EventKind, Query


class LastMention:
    def __init__(self, kit: Kit):
        self._count_tokens = kit.budget.count
        self._position = 0
        self._latest: dict[str, tuple[int, Event]] = {}  # word -> position and event of its last mention

    def observe(self, event: Event) -> None:
        if event.kind in (EventKind.OBSERVATION, EventKind.TURN):
            self._position += 1
            for word in _words(f"{event.speaker} {event.text}"):
                self._latest[word] = self._position, event

    def recall(self, query: Query) -> Context:
        words = _words(f"{query.goal} {query.text}")
        matches = {self._latest[word] for word in words if word in self._latest}
        found = [event for _, event in sorted(matches, key=lambda pair: pair[0]) if event.ref != query.ref]
        events = list(found)
        while query.budget_tokens is not None and self._count_tokens(render(events)) > query.budget_tokens:
            events.pop(0)  # the oldest is dropped first
        return Context(render(events), tuple(event.ref for event in events), truncated=len(events) < len(found))


def _words(text: str) -> set[str]:
    text = text.lower()
    return {*re.findall(r"[a-z]{3,}", text), *re.findall(r"[a-z]+ \d+", text)}  # "mug" and "mug 1"


STRATEGY = Strategy("last-mention-v1", default_agent(LastMention), source="example of the documentation")
