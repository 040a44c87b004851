"""The turns on which the right answer rests, as the data set names them, and nothing else. Knows no suite.

An upper bound and no competitor: it is given the evidence of each question (``privileged``), which no memory can know.

Source: the oracle setting of LongMemEval (arXiv 2410.10813).

Paper step -> function:

* look up the evidence of a question -> ``recall``, by the kit's ``evidence``
* show it -> ``recall``, with ``around`` further turns of the same session on both sides (``_find_neighbours``)

Differences from the paper:

* It shows turns, in time order; the paper shows whole evidence sessions.
* Under a budget the evidence comes first, then the neighbours.
* Without evidence (a suite or question that has none, a run outside the benchmark) the context is empty. Refs that
  nobody observed are passed over.
* It serves conversations alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.shared.budget import select_fitting
from bench.agents import default_agent, render
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Query, Shape

__all__ = ["STRATEGY", "OracleEvidence"]


class OracleEvidence:
    """Keeps every event, and shows those that the kit's evidence names."""

    def __init__(self, kit: Kit):
        self._evidence, self._count = kit.evidence, kit.budget.count
        self._around = kit.params.integer("around")
        self._events: list[Event] = []
        self._places: dict[str, int] = {}

    def observe(self, event: Event) -> None:
        """Keep the event, unless it has no text (a mark)."""
        if event.kind is not EventKind.SESSION_END:
            self._places[event.ref] = len(self._events)
            self._events.append(event)

    def recall(self, query: Query) -> Context:
        """Return the evidence with its neighbours as far as the budget allows, in time order. Read-only."""
        evidence_refs = self._evidence(query) if self._evidence else ()
        evidence = sorted({self._places[ref] for ref in evidence_refs if ref in self._places})
        candidates = list(dict.fromkeys([*evidence, *self._find_neighbours(evidence)]))
        chosen = select_fitting(candidates, query.budget_tokens, self._render, self._count)
        refs = tuple(self._events[i].ref for i in sorted(chosen))
        ranking = tuple(self._events[i].ref for i in candidates)
        return Context(self._render(chosen), refs, len(chosen) < len(candidates), ranking)

    def _find_neighbours(self, evidence: list[int]) -> list[int]:
        """Return the turns of the same session that are near one of the evidence, in time order."""
        near = {
            i
            for at in evidence
            for i in range(max(0, at - self._around), min(len(self._events), at + self._around + 1))
            if self._events[i].step == self._events[at].step
        }
        return sorted(near)

    def _render(self, places: Sequence[int]) -> str:
        return render(self._events[i] for i in sorted(places))


STRATEGY = Strategy(
    name="oracle-evidence-v1",
    build=default_agent(OracleEvidence),
    serves=frozenset({Shape.CONVERSATION}),
    params=(Param("around", 0, "turns shown on both sides of each evidence turn, in its session", minimum=0),),
    privileged=True,
    source="upper bound, sees the evidence of each question (oracle of LongMemEval, arXiv 2410.10813; turns)",
)
"""The strategy."""
