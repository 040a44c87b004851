"""A condensed past with what came after it, as far as both fit: what strategies that summarise show the model.

Knows no model, no prompt and no suite; what the condensed text is called is up to the caller.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from baselines.shared.turns import split_turns
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
        """Return it with the newest turns that fit, without the event that the query shows anyway."""
        turns = split_turns(event for event in events if event.ref != query.ref)
        budget = query.budget_tokens

        def select(n: int) -> list[Event]:
            return [event for turn in turns[n:] for event in turn]

        def fits(n: int) -> bool:
            return budget is None or count(self.render(select(n))) <= budget

        n = bisect_left(range(len(turns) + 1), True, key=fits)
        if n > len(turns):
            return Context(truncated=True)
        refs = (*self.refs, *(event.ref for event in select(n)))
        return Context(self.render(select(n)), refs, truncated=n > 0)
