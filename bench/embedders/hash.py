"""The embedder that needs no library: signed feature hashing of words, word pairs and letter trigrams. It measures
shared wording, not meaning; it is the same on every machine and knows no model.

Source: the hashing trick (Weinberger et al. 2009, arXiv 0902.2206). Differs in: features are hashed with BLAKE2,
because Python's own hash changes from process to process.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from bench.protocols import Vectors

__all__ = ["HashEmbedder"]

_WORD = re.compile(r"[^\W_]+")
_WORD_WEIGHT, _PAIR_WEIGHT, _TRIGRAM_WEIGHT = 1.0, 0.5, 0.25  # a word's own trigrams must not outweigh the word
_CACHED_FEATURES = 65_536


class HashEmbedder:
    """Texts to unit float32 rows of ``dimensions`` columns; a text without a word is the first axis.

    A step has some hundred features: in 512 columns their collisions hide a short query, in 2048 they do not.
    """

    in_process = True

    def __init__(self, dimensions: int = 2048):
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        return "hash"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text; a pure function of each text."""
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._embed_one(text)
        return rows

    def _embed_one(self, text: str) -> Vectors:
        columns, values = [], []
        for feature, weight in _list_features(_WORD.findall(text.lower())):
            digest = _hash_feature(feature)
            columns.append((digest >> 1) % self._dimensions)
            values.append(weight if digest & 1 else -weight)
        if not columns:
            return _first_axis(self._dimensions)
        sums = np.bincount(columns, weights=values, minlength=self._dimensions)
        length = np.sqrt((sums * sums).sum())
        # Signs can cancel every feature out; such a text has no direction either.
        return (sums / length).astype(np.float32) if length else _first_axis(self._dimensions)


def _list_features(words: list[str]) -> Iterator[tuple[str, float]]:
    for word in words:
        yield word, _WORD_WEIGHT
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            yield "#" + padded[start : start + 3], _TRIGRAM_WEIGHT
    for first, second in pairwise(words):
        yield f"{first} {second}", _PAIR_WEIGHT


@lru_cache(maxsize=_CACHED_FEATURES)
def _hash_feature(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")


def _first_axis(dimensions: int) -> Vectors:
    row = np.zeros(dimensions, dtype=np.float32)
    row[0] = 1.0
    return row
