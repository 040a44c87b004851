"""The history cut to a number of tokens: whole events from one end, the rest dropped. Knows no suite.

Source: the truncation baselines of HORMA, which does not say which end is kept. ``keep=tail`` (the default) drops the
oldest events first, as AgentBoard does for acting; ``keep=head`` keeps the earliest, as LoCoMo's and LongMemEval's own
scripts do.

Source step -> function:

* keep every event -> ``Truncation.observe``
* show as many from one end as fit -> ``recall``, ``_select_fitting``

Differences from the sources:

* An event is shown whole or not at all, so no line is cut in the middle. In a conversation an event is a turn: one at
  the kept end that is longer than the limit leaves nothing.
* The goal is never dropped; AgentBoard loses the initial observation.
* The limit is the smaller of the run's budget and the parameter ``tokens`` (0 = the budget alone).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from baselines.shared.reach import list_shown
from bench.agents import default_agent, render
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Query

__all__ = ["STRATEGY", "Truncation"]


class Truncation:
    """Keeps every event and shows as many from one end as fit."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._count = kit.budget.count
        self._head = kit.params.text("keep") == "head"
        self._tokens = kit.params.integer("tokens")
        self._events: list[Event] = []
        self._fits: dict[tuple[int, str, int], Sequence[Event]] = {}

    def observe(self, event: Event) -> None:
        """Keep the event, unless the prompt shows it anyway (the goal) or it has no text (a mark)."""
        if event.kind not in (EventKind.GOAL, EventKind.SESSION_END):
            self._events.append(event)

    def recall(self, query: Query) -> Context:
        """Return the first or last events that fit, in order. Read-only; ``truncated`` if any was dropped."""
        events = self._list_past(query)
        limits = [limit for limit in (query.budget_tokens, self._tokens or None) if limit is not None]
        shown = self._select_cached(events, query.ref, min(limits)) if limits else events
        return Context(render(shown), tuple(event.ref for event in shown), truncated=len(shown) < len(events))

    def reach(self) -> frozenset[str]:
        """Return the refs of all that is shown, whatever the query."""
        return list_shown(self, self._kit)

    def _list_past(self, query: Query) -> Sequence[Event]:
        """Return all events but the current observation, which is looked for from the end."""
        if query.ref:
            for at in range(len(self._events) - 1, -1, -1):
                if self._events[at].ref == query.ref:
                    return self._events[:at] + self._events[at + 1 :]
        return self._events

    def _select_cached(self, events: Sequence[Event], now: str, limit_tokens: int) -> Sequence[Event]:
        """Return what fits, counted once for all the questions of a conversation."""
        key = (len(self._events), now, limit_tokens)
        if key not in self._fits:
            self._fits = {key: self._select_fitting(events, limit_tokens)}
        return self._fits[key]

    def _select_fitting(self, events: Sequence[Event], limit_tokens: int) -> Sequence[Event]:
        # Counts whole candidate texts: a tokenizer may merge over a line break, so counts of lines do not add up.
        def count_tokens(n: int) -> int:
            return self._count(render(self._take_end(events, n)))

        top = 1  # grows until the text is too long, so that a long past that will not be shown is not read either
        while top < len(events) and count_tokens(top) <= limit_tokens:
            top = min(2 * top, len(events))
        return self._take_end(
            events, bisect_right(range(min(top, len(events)) + 1), limit_tokens, key=count_tokens) - 1
        )

    def _take_end(self, events: Sequence[Event], n: int) -> Sequence[Event]:
        return events[:n] if self._head else events[len(events) - n :]


STRATEGY = Strategy(
    name="truncation-v1",
    build=default_agent(Truncation),
    params=(
        Param("keep", "tail", "which end of the history is kept", choices=("head", "tail")),
        Param(
            "tokens", 400, "most context tokens, if the run's budget is not smaller; 0 = the budget alone", minimum=0
        ),
    ),
    source="truncation of HORMA (direction unstated); tail as AgentBoard, head as LoCoMo and LongMemEval scripts",
)
"""The strategy."""
