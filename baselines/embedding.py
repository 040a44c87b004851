"""Dense retrieval: the k past steps, turns, chunks or sessions nearest to the query, shown in time order.

Source: the embedding baselines of HORMA and LongMemEval (arXiv 2410.10813; ``index=user`` is its own): index turns or
steps, top k by cosine. Their k, encoder and query are not published. Knows no suite; the embedder comes with the kit.

Paper step -> function:

* cut the past into units -> ``baselines.shared.units.Units``
* embed each once -> ``baselines.shared.vectors.VectorIndex.embed``
* rank them by cosine to the query -> ``VectorIndex.compute_scores``, ``units.rank_units``
* show the best that fit -> ``units.Units.build_context``

Differences from the sources:

* The unit that holds the current observation is no candidate, because it would always be the nearest.
* Equal scores (to six decimals) go to the later unit.
"""

from __future__ import annotations

from baselines.shared.units import Units, build_query_text, rank_units
from baselines.shared.vectors import VectorIndex
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Phase, Query

__all__ = ["STRATEGY", "EmbeddingMemory"]


class EmbeddingMemory:
    """Units of the past with one vector each, made once."""

    def __init__(self, kit: Kit):
        self._phase = kit.phase
        self._units = Units(kit.params, kit.budget.count)
        self._index = VectorIndex(kit.embedder)

    def observe(self, event: Event) -> None:
        """Add the event to the units; embed at each observation, and in one call at the end of a session."""
        for text in self._units.add(event):
            self._index.add(len(self._units) - 1, text)
        if event.kind in (EventKind.OBSERVATION, EventKind.SESSION_END):
            self._index.embed(self._units.n_complete)

    def recall(self, query: Query) -> Context:
        """Return the k nearest units that fit the budget, in time order. Read-only but for caches of vectors."""
        candidates = self._units.find_candidates(query.ref)
        if not len(candidates):
            return Context()
        with self._phase(Phase.WRITE):  # what no session end has embedded yet is a write that is late
            self._index.embed(int(candidates[-1]) + 1)
        scores = self._index.compute_scores(build_query_text(query), len(self._units))
        ranking = rank_units(scores, candidates, self._units.n_ranked)
        return self._units.build_context(ranking, query.budget_tokens)

    def reach(self) -> frozenset[str]:
        """Return the refs of all units that may be found."""
        return self._units.list_refs()


STRATEGY = Strategy(
    name="embedding-v1",
    build=default_agent(EmbeddingMemory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are embedded; user = the speaker User alone", choices=("all", "user")),
    ),
    source="dense top-k by cosine in time order (HORMA, LongMemEval; k, encoder and query unpublished)",
)
"""The strategy."""
