"""Last mention: for each word of the task or question, the last thing said that names it. Source: an example."""

from __future__ import annotations

import re

from bench.agents import default_agent, render
from bench.protocols import Kit, Strategy
from bench.types import Context, Event, EventKind, Query


class LastMention:
    def __init__(self, kit: Kit):
        self._count = kit.budget.count
        self._heard = 0
        self._last: dict[str, tuple[int, Event]] = {}  # word -> when it was last named, and by what

    def observe(self, event: Event) -> None:
        if event.kind in (EventKind.OBSERVATION, EventKind.TURN):
            self._heard += 1
            for word in _words(f"{event.speaker} {event.text}"):
                self._last[word] = self._heard, event

    def recall(self, query: Query) -> Context:
        asked = _words(f"{query.goal} {query.text}")
        named = {self._last[word] for word in asked if word in self._last}
        found = [event for _, event in sorted(named, key=lambda pair: pair[0]) if event.ref != query.ref]
        shown = list(found)
        while query.budget_tokens is not None and self._count(render(shown)) > query.budget_tokens:
            shown.pop(0)  # the oldest goes first
        return Context(render(shown), tuple(event.ref for event in shown), truncated=len(shown) < len(found))


def _words(text: str) -> set[str]:
    text = text.lower()
    return {*re.findall(r"[a-z]{3,}", text), *re.findall(r"[a-z]+ \d+", text)}  # "mug" and "mug 1"


STRATEGY = Strategy("last-mention-v1", default_agent(LastMention), source="example of the documentation")
