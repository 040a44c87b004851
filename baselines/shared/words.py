"""Words of the past under BM25, by the library bm25s: what the lexical strategies search with. Knows no event and no
suite.

Lucene's variant with k1 = 1.5 and b = 0.75. Words are maximal runs of letters and digits in lower case; no stop words
are removed and no stems cut, since one-character words matter (the 1 of "shelf 1").
"""

from __future__ import annotations

import re

import bm25s
import numpy as np
import numpy.typing as npt

__all__ = ["WordIndex"]

_WORD = re.compile(r"[^\W_]+")


class WordIndex:
    """The words of each unit as numbers, and the library's index of them."""

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._words: dict[int, list[int]] = {}  # of each unit that can be searched, in time order
        self._index: bm25s.BM25 | None = None

    def add(self, unit: int, text: str) -> None:
        """Add words to a unit, which is the last one so far or new; the library's index is void."""
        numbers = [self._vocabulary.setdefault(word, len(self._vocabulary)) for word in _WORD.findall(text.lower())]
        self._words.setdefault(unit, []).extend(numbers)
        self._index = None

    def compute_scores(self, text: str, size: int) -> npt.NDArray[np.float32]:
        """Return the score of each of ``size`` units; a word that the query says twice counts twice."""
        totals = np.zeros(size, dtype=np.float32)
        query = [self._vocabulary[word] for word in _WORD.findall(text.lower()) if word in self._vocabulary]
        if not query:
            return totals
        if self._index is None:
            self._index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            corpus = (list(self._words.values()), self._vocabulary)
            self._index.index(corpus, create_empty_token=False, show_progress=False)
        totals[list(self._words)] = self._index.get_scores_from_ids(query)
        return totals
