"""Dense retrieval: the k past steps, turns, chunks or sessions whose vectors are nearest to the query, shown in time
order. Knows no suite; the embedder comes with the kit.

Source: the embedding rows of HORMA and LongMemEval (``index=user`` is its own), "index turns or steps, top-k by
cosine"; k, encoder and query are not published. What a unit is, what of it is embedded, what is asked for and how a
budget is kept: ``baselines/units.py``.
Differs in: the unit that holds the current observation is not a candidate, for it would always win; equal scores (to
six decimals) go to the later unit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from baselines.units import Units, query_text, ranked
from bench.agents import reader
from bench.protocols import Embedder, Kit, Param, Strategy, Vectors
from bench.types import Context, Event, EventKind, Phase, Query

__all__ = ["STRATEGY", "EmbeddingMemory"]


class EmbeddingMemory:
    """Units of the past with one vector each, made once."""

    def __init__(self, kit: Kit):
        self._phase = kit.phase
        self._units = Units(kit.params, kit.budget.count)
        self._index = _Index(kit.embedder)

    def observe(self, event: Event) -> None:
        """Add the event to the units; embed at each observation, and in one call at the end of a session."""
        for text in self._units.take(event):
            self._index.add(len(self._units) - 1, text)
        if event.kind in (EventKind.OBSERVATION, EventKind.MARK):
            self._index.embed(self._units.complete)

    def recall(self, query: Query) -> Context:
        """Return the k nearest units that fit the budget, in time order. Read-only but for caches of vectors."""
        candidates = self._units.candidates(query.ref)
        if not candidates:
            return Context()
        with self._phase(Phase.WRITE):  # what no session end has embedded yet is a write that is late
            self._index.embed(candidates[-1] + 1)
        ranking = ranked(self._index.scores(query_text(query), len(self._units)), candidates)
        return self._units.context(ranking, query.budget_tokens)


class _Index:
    """One vector for each text, in one block with room to grow, so that a new one does not move the others."""

    def __init__(self, embedder: Embedder):
        self._embedder = embedder
        self._texts: dict[int, str] = {}
        self._waiting: list[int] = []
        self._rows: list[int] = []  # which unit each vector is of
        self._block: Vectors = np.empty((0, 0), dtype=np.float32)
        self._queries: dict[str, npt.NDArray[np.float32]] = {}

    def add(self, unit: int, text: str) -> None:
        """Add a text to a unit, which is the last one so far or new; a vector it has already is void."""
        self._texts[unit] = f"{self._texts[unit]}\n{text}" if unit in self._texts else text
        if self._rows and self._rows[-1] == unit:
            self._rows.pop()
        if not self._waiting or self._waiting[-1] != unit:
            self._waiting.append(unit)

    def embed(self, end: int) -> None:
        """Embed in one call what waits of the units before ``end``."""
        ready = [unit for unit in self._waiting if unit < end]
        if not ready:
            return
        vectors = self._embedder.embed([self._texts[unit] for unit in ready])
        first, last = len(self._rows), len(self._rows) + len(ready)
        if last > len(self._block):
            larger = np.empty((max(2 * len(self._block), last), vectors.shape[1]), dtype=np.float32)
            if first:
                larger[:first] = self._block[:first]
            self._block = larger
        self._block[first:last] = vectors
        self._rows += ready
        del self._waiting[: len(ready)]

    def scores(self, text: str, size: int) -> npt.NDArray[np.float32]:
        """Return the cosine of each of ``size`` units; 0 for those without a vector."""
        if text not in self._queries:
            self._queries[text] = self._embedder.embed([text])[0]
        scores = np.zeros(size, dtype=np.float32)
        # einsum, not @: a threaded product of this size waits more than it works when workers share cores.
        scores[self._rows] = np.einsum("ij,j->i", self._block[: len(self._rows)], self._queries[text])
        return scores


STRATEGY = Strategy(
    name="embedding-v1",
    build=reader(EmbeddingMemory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are embedded; user = the speaker User alone", choices=("all", "user")),
    ),
    source="dense top-k by cosine in time order (HORMA, LongMemEval; k, encoder and query unpublished)",
)
"""The row."""
