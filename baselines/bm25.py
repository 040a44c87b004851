"""Lexical retrieval: the k past steps, turns, chunks or sessions that BM25 scores highest for the query, shown in time
order. Knows no suite.

Source: the BM25 rows of LongMemEval (``index=user`` is its own) and of retrieval practice, with the library bm25s in
its Lucene variant, k1 = 1.5 and b = 0.75. What a unit is, what of it is searched, what is asked for and how a budget is
kept: ``baselines/units.py``.
Differs in: words are maximal runs of letters and digits in lower case, without stop words removed or stems cut, since
the library's own splitter drops one-character words and with them the 1 of "shelf 1"; the unit that holds the current
observation is not a candidate; equal scores (to six decimals) go to the later unit.
Every word's weight depends on all units, so the index is built again at the first query after something new: work that
grows with the square of an episode's steps, and once for a whole conversation.
"""

from __future__ import annotations

import re

import bm25s
import numpy as np
import numpy.typing as npt

from baselines.units import Units, query_text, ranked
from bench.agents import reader
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, Query

__all__ = ["STRATEGY", "BM25Memory"]

_WORD = re.compile(r"[^\W_]+")


class BM25Memory:
    """Units of the past, and an index of their words."""

    def __init__(self, kit: Kit):
        self._units = Units(kit.params, kit.budget.count)
        self._index = _Index()

    def observe(self, event: Event) -> None:
        """Add the event to the units and their words to the index."""
        for text in self._units.take(event):
            self._index.add(len(self._units) - 1, text)

    def recall(self, query: Query) -> Context:
        """Return the k best units that fit the budget, in time order. Read-only but for the index kept."""
        ranking = ranked(self.scores(query_text(query)), self._units.candidates(query.ref))
        return self._units.context(ranking, query.budget_tokens)

    def scores(self, text: str) -> npt.NDArray[np.float32]:
        """Return the BM25 score of every unit for a text; 0 for those without a searched word."""
        return self._index.scores(text, len(self._units))


class _Index:
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


STRATEGY = Strategy(
    name="bm25-v1",
    build=reader(BM25Memory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are searched; user = the speaker User alone", choices=("all", "user")),
    ),
    source="BM25 top-k in time order (LongMemEval's flat-bm25; Lucene variant, k1 1.5, b 0.75); all words kept",
)
"""The row."""
