"""Lexical retrieval: the k past steps, turns, chunks or sessions that BM25 scores highest, shown in time order.

Source: the BM25 baselines of LongMemEval (arXiv 2410.10813; ``index=user`` is its own), in Lucene's variant, k1 = 1.5
and b = 0.75, with the scores of the library bm25s. Knows no suite.

Paper step -> function:

* cut the past into units -> ``baselines.shared.units.Units``
* index their words -> ``baselines.shared.words.WordIndex``
* score and rank them for the query -> ``compute_scores``, ``units.rank_units``
* show the best that fit -> ``units.Units.build_context``

Differences from the sources:

* Words are maximal runs of letters and digits in lower case. No stop words are removed and no stems cut: the library's
  own splitter drops one-character words, and with them the 1 of "shelf 1".
* The unit that holds the current observation is no candidate. Equal scores (to six decimals) go to the later unit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from baselines.shared.units import Units, build_query_text, rank_units
from baselines.shared.words import WordIndex
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, Query

__all__ = ["STRATEGY", "BM25Memory"]


class BM25Memory:
    """Units of the past, and an index of their words."""

    def __init__(self, kit: Kit):
        self._units = Units(kit.params, kit.budget.count)
        self._index = WordIndex()

    def observe(self, event: Event) -> None:
        """Add the event to the units and their words to the index."""
        for text in self._units.add(event):
            self._index.add(len(self._units) - 1, text)

    def recall(self, query: Query) -> Context:
        """Return the k best units that fit the budget, in time order. Read-only."""
        scores = self.compute_scores(build_query_text(query))
        ranking = rank_units(scores, self._units.find_candidates(query.ref), self._units.n_ranked)
        return self._units.build_context(ranking, query.budget_tokens)

    def reach(self) -> frozenset[str]:
        """Return the refs of all units that may be found."""
        return self._units.list_refs()

    def compute_scores(self, text: str) -> npt.NDArray[np.float32]:
        """Return the BM25 score of every unit for a text; 0 for those without a searched word."""
        return self._index.compute_scores(text, len(self._units))


STRATEGY = Strategy(
    name="bm25-v1",
    build=default_agent(BM25Memory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are searched; user = the speaker User alone", choices=("all", "user")),
    ),
    source="BM25 top-k in time order (LongMemEval's flat-bm25; Lucene variant, k1 1.5, b 0.75); all words kept",
)
"""The strategy."""
