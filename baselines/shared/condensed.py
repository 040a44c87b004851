"""A condensed past with what came after it, as far as both fit: what strategies that summarise show the model.

Knows no model, no prompt and no suite; what the condensed text is called is up to the caller.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.agents import render
from bench.types import Context, Event, Query

__all__ = ["Condensed"]


@dataclass(frozen=True, slots=True)
class Condensed:
    """A text that stands for some events; empty where nothing has been condensed yet."""

    heading: str
    text: str = ""
    refs: tuple[str, ...] = ()
    """The events it stands for."""

    def render(self, events: Sequence[Event]) -> str:
        """Return it with events below."""
        parts = (f"{self.heading}:\n{self.text}" if self.text else "", render(events))
        return "\n".join(part for part in parts if part)

    def build_context(self, events: Sequence[Event], query: Query, count: Callable[[str], int]) -> Context:
        """Return it with the newest of the events that fit, the one that the query shows anyway left out."""
        rest = [event for event in events if event.ref != query.ref]
        budget = query.budget_tokens

        def fits(n: int) -> bool:
            return budget is None or count(self.render(rest[n:])) <= budget

        n = bisect_left(range(len(rest) + 1), True, key=fits)
        if n > len(rest):
            return Context(truncated=True)
        refs = (*self.refs, *(event.ref for event in rest[n:]))
        return Context(self.render(rest[n:]), refs, truncated=n > 0)
