"""A sliding window: the last k steps of an episode or the last k turns of a conversation. Knows no suite.

Source: the sliding-window baselines of HORMA and of HiAgent's related work: last k turns, or last B tokens. k and B are
not published.

Source step -> function:

* keep every event by step or turn -> ``Window.observe``
* show the newest k, or the newest of ``tokens`` tokens -> ``recall``, ``_list_newest``

Differences from the sources:

* The window moves by whole steps (an action, its observation and the notes of that step), so no pair is torn apart.
* The newest step counts as one of the k, although its observation is the current one and stands elsewhere in the
  prompt.
* ``tokens`` > 0 makes it a window of B tokens instead of k steps.
* The goal is part of every prompt and never forgotten.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain

from baselines.shared.reach import list_shown
from bench.agents import default_agent, render
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Query

__all__ = ["STRATEGY", "Window"]


class Window:
    """Keeps every event, by step, and shows the newest; a recall looks at no more than it shows."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._count = kit.budget.count
        self._k = kit.params.integer("k")
        self._tokens = kit.params.integer("tokens")
        self._groups: list[list[Event]] = []

    def observe(self, event: Event) -> None:
        """Keep the event, unless the prompt shows it anyway (the goal) or it has no text (a mark)."""
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        last = self._groups[-1][-1] if self._groups else None
        if last is None or event.kind is EventKind.TURN or last.kind is EventKind.TURN or event.step != last.step:
            self._groups.append([])
        self._groups[-1].append(event)

    def recall(self, query: Query) -> Context:
        """Return the newest steps or turns that the window and the budget allow, in order. Read-only."""
        reach = len(self._groups) if self._tokens else min(self._k, len(self._groups))
        limits = [limit for limit in (query.budget_tokens, self._tokens or None) if limit is not None]
        n = self._count_fitting(query, reach, min(limits)) if limits else reach
        events = self._list_newest(query, n)
        # Two groups further, because the newest may hold nothing but the current observation.
        dropped = len(self._list_newest(query, min(n + 2, reach))) > len(events)
        return Context(render(events), tuple(event.ref for event in events), truncated=dropped)

    def reach(self) -> frozenset[str]:
        """Return the refs of all that is shown, whatever the query."""
        return list_shown(self, self._kit)

    def _list_newest(self, query: Query, n: int) -> list[Event]:
        """Return the events of the newest n groups, without the current observation."""
        groups = self._groups[len(self._groups) - n :]
        return [event for event in chain.from_iterable(groups) if event.ref != query.ref]

    def _count_fitting(self, query: Query, reach: int, limit_tokens: int) -> int:
        """Return how many of the newest groups fit, at most ``reach``."""

        # Counts whole candidate texts: a tokenizer may merge over a line break, so counts of lines do not add up.
        def count_tokens(n: int) -> int:
            return self._count(render(self._list_newest(query, n)))

        top = 1
        while top < reach and count_tokens(top) <= limit_tokens:
            top = min(2 * top, reach)
        return bisect_right(range(top + 1), limit_tokens, key=count_tokens) - 1


STRATEGY = Strategy(
    name="window-v1",
    build=default_agent(Window),
    params=(
        Param("k", 5, "how many of the last steps (episode) or turns (conversation) are shown", minimum=1),
        Param("tokens", 0, "show the last steps or turns of this many tokens instead of k; 0 = off", minimum=0),
    ),
    source="sliding window, last k turns or last B tokens (HORMA; k and B unpublished); moves by whole steps",
)
"""The strategy."""
