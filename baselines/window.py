"""A sliding window: the last k steps of an episode or the last k turns of a conversation. Knows no suite.

Source: the sliding-window rows of HORMA and HiAgent's related work, "last k turns, or last B tokens"; k and B are not
published. Differs in: the window moves by whole steps (an action, its observation and the notes made in that step), so
a pair is never torn apart; the newest step counts as one of the k although its observation, being the current one,
stands elsewhere in the prompt. ``tokens`` > 0 makes it a window of B tokens instead of k steps.
Forgets where it has been, never what it is asked to do: the goal is part of every prompt.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain

from bench.agents import reader, render
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Query, Shape

__all__ = ["STRATEGY", "Window"]


class Window:
    """Keeps every event and shows the newest."""

    def __init__(self, kit: Kit):
        self._count = kit.budget.count
        self._k = kit.params.integer("k")
        self._tokens = kit.params.integer("tokens")
        self._events: list[Event] = []

    def observe(self, event: Event) -> None:
        """Keep the event, unless the prompt shows it anyway (the goal) or it has no text (a mark)."""
        if event.kind not in (EventKind.GOAL, EventKind.MARK):
            self._events.append(event)

    def recall(self, query: Query) -> Context:
        """Return the newest steps or turns that the window and the budget allow, in order. Read-only."""
        groups = self._groups(query)
        if not self._tokens:
            groups = groups[-self._k :]
        limits = [limit for limit in (query.budget_tokens, self._tokens or None) if limit is not None]
        shown = self._fitting(groups, min(limits)) if limits else groups
        events = list(chain.from_iterable(shown))
        dropped = any(groups[: len(groups) - len(shown)])
        return Context(render(events), tuple(event.ref for event in events), truncated=dropped)

    def _groups(self, query: Query) -> list[list[Event]]:
        """Return the events by step (episode) or one by one (conversation), without the current observation."""
        if query.shape is Shape.CONVERSATION:
            return [[event] for event in self._events if event.ref != query.ref]
        by_step: dict[int, list[Event]] = {}
        for event in self._events:
            group = by_step.setdefault(event.step, [])
            if event.ref != query.ref:
                group.append(event)
        return list(by_step.values())

    def _fitting(self, groups: list[list[Event]], limit_tokens: int) -> list[list[Event]]:
        # Counts whole candidate texts: a tokenizer may merge over a line break, so counts of lines do not add up.
        def tokens(n: int) -> int:
            return self._count(render(chain.from_iterable(groups[len(groups) - n :])))

        fits = bisect_right(range(len(groups) + 1), limit_tokens, key=tokens) - 1
        return groups[len(groups) - fits :]


STRATEGY = Strategy(
    name="window-v1",
    build=reader(Window),
    params=(
        Param("k", 5, "how many of the last steps (episode) or turns (conversation) are shown", minimum=1),
        Param("tokens", 0, "show the last steps or turns of this many tokens instead of k; 0 = off", minimum=0),
    ),
    source="sliding window, last k turns or last B tokens (HORMA; k and B unpublished); moves by whole steps",
)
"""The row."""
