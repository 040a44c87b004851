"""The order in which the facts of one store answer a query: by vectors, or by vectors and words together.

Two rankings are joined by reciprocal ranks (Cormack et al. 2009) with the constant 60. Knows no model and no suite.
"""

from __future__ import annotations

import re

import bm25s

from baselines.mem0.store import FactStore
from baselines.shared.rank_fusion import fuse_rankings
from bench.protocols import Vectors

__all__ = ["Search"]

_WORD = re.compile(r"[^\W_]+")
_DECIMALS = 6  # scores are float32 sums
_CONSTANT = 60
_POOL, _POOL_PER_SHOWN = 60, 4


class Search:
    """Ranks the facts of one store; the index of words is built again when the store has changed."""

    def __init__(self, store: FactStore, hybrid: bool):
        self._store, self._hybrid = store, hybrid
        self._version = -1
        self._index = bm25s.BM25()
        self._vocabulary: dict[str, int] = {}
        self._numbers: list[int] = []

    def rank(self, text: str, vector: Vectors, shown: int) -> list[int]:
        """Return the numbers of the facts, best first: all of them, or the joined pools of both rankings."""
        dense = self._store.find_nearest(vector)
        if not self._hybrid:
            return dense
        pool = max(_POOL, _POOL_PER_SHOWN * shown)
        return fuse_rankings([dense[:pool], self._rank_by_words(text)[:pool]], _CONSTANT)

    def _rank_by_words(self, text: str) -> list[int]:
        self._refresh()
        query = [self._vocabulary[word] for word in _split_words(text) if word in self._vocabulary]
        if not query:
            return []
        scores = [round(float(score), _DECIMALS) for score in self._index.get_scores_from_ids(query)]
        found = [at for at, score in enumerate(scores) if score > 0]
        return [self._numbers[at] for at in sorted(found, key=lambda at: (-scores[at], -at))]

    def _refresh(self) -> None:
        if self._version == self._store.version:
            return
        self._version, self._vocabulary, self._numbers = self._store.version, {}, self._store.numbers
        ids = [
            [self._vocabulary.setdefault(word, len(self._vocabulary)) for word in _split_words(line)]
            for line in self._store.get_texts(self._numbers)
        ]
        if self._vocabulary:
            self._index = bm25s.BM25()
            self._index.index((ids, self._vocabulary), create_empty_token=False, show_progress=False)


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
