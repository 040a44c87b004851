"""First and last: the first and the last few events of a task. The example of docs/submit.md."""

from __future__ import annotations

from bench.agents import default_agent, render
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Query


class FirstAndLast:
    """Shows ``k`` events from each end."""

    def __init__(self, kit: Kit):
        self._k = kit.params.integer("k")
        self._seen: list[Event] = []

    def observe(self, event: Event) -> None:
        if event.kind in (EventKind.ACTION, EventKind.OBSERVATION):
            self._seen.append(event)

    def recall(self, query: Query) -> Context:
        earlier = [event for event in self._seen if event.ref != query.ref]
        k = min(self._k, (len(earlier) + 1) // 2)
        shown = [*earlier[:k], *earlier[max(k, len(earlier) - k) :]]
        return Context(render(shown), tuple(event.ref for event in shown))


STRATEGY = Strategy(
    "first-and-last-v1",
    default_agent(FirstAndLast),
    params=(Param("k", 4, "events shown from each end", minimum=1),),
    keeps_budget=False,
    source="example of docs/submit.md",
)
