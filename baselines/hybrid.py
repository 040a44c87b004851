"""Hybrid retrieval: the k past steps, turns, chunks or sessions that BM25 and vectors together rank highest, shown in
time order. Knows no suite; the embedder comes with the kit.

Source: reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): a unit's points are the sum over both rankings of
1 / (rrf + rank), with rrf = 60. The rankings are those of the rows bm25 and embedding, with their units, queries, words
and parameters; what a unit is, what of it is searched, what is asked for and how a budget is kept:
``baselines/units.py``.
Differs in: a unit that shares no word with the query has no place in the ranking by words; equal points go to the later
unit; the unit that holds the current observation is not a candidate.
As in bm25, the library's index of words is built again at the first query after something new: work that grows with the
square of an episode's steps, and once for a whole conversation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import bm25s
import numpy as np
import numpy.typing as npt

from baselines.units import Units, query_text, ranked
from bench.agents import reader
from bench.protocols import Embedder, Kit, Param, Strategy, Vectors
from bench.types import Context, Event, EventKind, Phase, Query

__all__ = ["STRATEGY", "HybridMemory", "fuse"]

_WORD = re.compile(r"[^\W_]+")


def fuse(rankings: Sequence[Sequence[int]], constant: int) -> list[int]:
    """Return every unit of the rankings, most points first; of equal points the later one."""
    points: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, unit in enumerate(ranking, start=1):
            points[unit] += 1 / (constant + rank)
    return sorted(points, key=lambda unit: (-points[unit], -unit))


class HybridMemory:
    """Units of the past, an index of their words, and a vector of each."""

    def __init__(self, kit: Kit):
        self._phase, self._rrf = kit.phase, kit.params.integer("rrf")
        self._units = Units(kit.params, kit.budget.count)
        self._lexical, self._dense = _Lexical(), _Dense(kit.embedder)

    def observe(self, event: Event) -> None:
        """Add the event to the units and both indexes; embed at each observation and at the end of a session."""
        for text in self._units.take(event):
            self._lexical.add(len(self._units) - 1, text)
            self._dense.add(len(self._units) - 1, text)
        if event.kind in (EventKind.OBSERVATION, EventKind.MARK):
            self._dense.embed(self._units.complete)

    def recall(self, query: Query) -> Context:
        """Return the k best units that fit the budget, in time order. Read-only but for the index and vectors kept."""
        candidates = self._units.candidates(query.ref)
        if not candidates:
            return Context()
        with self._phase(Phase.WRITE):  # what no session end has embedded yet is a write that is late
            self._dense.embed(candidates[-1] + 1)
        return self._units.context(self._ranking(query_text(query), candidates), query.budget_tokens)

    def _ranking(self, text: str, candidates: list[int]) -> list[int]:
        size = len(self._units)
        by_words = self._lexical.scores(text, size)
        found = [unit for unit in candidates if by_words[unit] > 0]
        by_vector = ranked(self._dense.scores(text, size), candidates)
        return fuse([ranked(by_words, found), by_vector], self._rrf)


class _Lexical:
    """The words of each unit as numbers, and the library's index of them."""

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._words: dict[int, list[int]] = {}  # of each unit that can be searched, in time order
        self._built: bm25s.BM25 | None = None

    def add(self, unit: int, text: str) -> None:
        """Add words to a unit, which is the last one so far or new; the library's index is void."""
        numbers = [self._vocabulary.setdefault(word, len(self._vocabulary)) for word in _WORD.findall(text.lower())]
        self._words.setdefault(unit, []).extend(numbers)
        self._built = None

    def scores(self, text: str, size: int) -> npt.NDArray[np.float32]:
        """Return the score of each of ``size`` units; a word that the query says twice counts twice."""
        totals = np.zeros(size, dtype=np.float32)
        asked = [self._vocabulary[word] for word in _WORD.findall(text.lower()) if word in self._vocabulary]
        if not asked:
            return totals
        if self._built is None:
            self._built = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            corpus = (list(self._words.values()), self._vocabulary)
            self._built.index(corpus, create_empty_token=False, show_progress=False)
        totals[list(self._words)] = self._built.get_scores_from_ids(asked)
        return totals


class _Dense:
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
    name="hybrid-v1",
    build=reader(HybridMemory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are searched; user = the speaker User alone", choices=("all", "user")),
        Param("rrf", 60, "the constant of reciprocal rank fusion; larger = ranks far down count more", minimum=0),
    ),
    source="reciprocal rank fusion (Cormack et al. 2009, constant 60) of BM25 and dense top-k, in time order",
)
"""The row."""
