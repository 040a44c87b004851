"""Hybrid retrieval: the k past steps, turns, chunks or sessions that BM25 and vectors together rank highest.

Source: reciprocal rank fusion (Cormack, Clarke, Buettcher 2009) with the constant 60 (``rrf``). Knows no suite; the
embedder comes with the kit.

Paper step -> function:

* two rankings of the same units, as in ``bm25`` and ``embedding`` -> ``baselines.shared.words``, ``vectors``
* points of a unit: the sum over both rankings of 1 / (rrf + rank) -> ``baselines.shared.rank_fusion.fuse_rankings``
* show the best that fit, in time order -> ``units.Units.build_context``

Differences from the paper:

* A unit that shares no word with the query has no place in the ranking by words.
* Equal points go to the later unit. The unit that holds the current observation is no candidate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from baselines.shared.rank_fusion import fuse_rankings
from baselines.shared.units import Units, build_query_text, rank_units
from baselines.shared.vectors import VectorIndex
from baselines.shared.words import WordIndex
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Phase, Query

__all__ = ["STRATEGY", "HybridMemory"]


class HybridMemory:
    """Units of the past, an index of their words, and a vector of each."""

    def __init__(self, kit: Kit):
        self._phase, self._rrf = kit.phase, kit.params.integer("rrf")
        self._units = Units(kit.params, kit.budget.count)
        self._lexical, self._dense = WordIndex(), VectorIndex(kit.embedder)

    def observe(self, event: Event) -> None:
        """Add the event to the units and both indexes; embed at each observation and at the end of a session."""
        for text in self._units.add(event):
            self._lexical.add(len(self._units) - 1, text)
            self._dense.add(len(self._units) - 1, text)
        if event.kind in (EventKind.OBSERVATION, EventKind.SESSION_END):
            self._dense.embed(self._units.n_complete)

    def recall(self, query: Query) -> Context:
        """Return the k best units that fit, in time order. Read-only but for cached vectors."""
        candidates = self._units.find_candidates(query.ref)
        if not len(candidates):
            return Context()
        with self._phase(Phase.WRITE):  # what no session end has embedded yet is a write that is late
            self._dense.embed(int(candidates[-1]) + 1)
        return self._units.build_context(self._rank(build_query_text(query), candidates), query.budget_tokens)

    def reach(self) -> frozenset[str]:
        """Return the refs of all units that may be found."""
        return self._units.list_refs()

    def _rank(self, text: str, candidates: npt.NDArray[np.int64]) -> list[int]:
        size = len(self._units)
        by_words = self._lexical.compute_scores(text, size)
        with_words = candidates[by_words[candidates] > 0]
        by_vector = rank_units(self._dense.compute_scores(text, size), candidates)
        return fuse_rankings([rank_units(by_words, with_words), by_vector], self._rrf)


STRATEGY = Strategy(
    name="hybrid-v1",
    build=default_agent(HybridMemory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are searched; user = the speaker User alone", choices=("all", "user")),
        Param("rrf", 60, "the constant of reciprocal rank fusion; larger = ranks far down count more", minimum=0),
    ),
    source="reciprocal rank fusion (Cormack et al. 2009, constant 60) of BM25 and dense top-k, in time order",
)
"""The strategy."""
