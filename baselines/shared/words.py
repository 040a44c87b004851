"""Words of the past under BM25, in an index that grows: what the lexical strategies search with. Knows no event and no
suite.

Lucene's variant with k1 = 1.5 and b = 0.75. Words are maximal runs of letters and digits in lower case; no stop words
are removed and no stems cut, since one-character words matter (the 1 of "shelf 1").

The library bm25s computes every weight when its index is built, and every weight depends on all units: asked once a
step, its work grows with the square of an episode. Here a new text costs its own words, and a query the units that hold
one of its words. Scores are those of the library bit for bit, which the tests hold.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["WordIndex"]

_K1, _B = 1.5, 0.75
_WORD = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class _Postings:
    """The units that hold one word, in time order, and how often each does."""

    units: array[int] = field(default_factory=lambda: array("i"))
    counts: array[float] = field(default_factory=lambda: array("f"))

    def add(self, unit: int, count: int) -> None:
        if self.units and self.units[-1] == unit:
            self.counts[-1] += count
        else:
            self.units.append(unit)
            self.counts.append(count)


class WordIndex:
    """The units that hold each word, and the number of words of each unit."""

    def __init__(self) -> None:
        self._postings: dict[str, _Postings] = {}
        self._lengths = array("i")
        """By unit; 0 for one that cannot be searched."""
        self._last = -1
        self._n_units = self._n_words = 0
        """Of what can be searched."""

    def add(self, unit: int, text: str) -> None:
        """Add words to a unit, which is the last one so far or new."""
        words = Counter(_WORD.findall(text.lower()))
        if unit != self._last:
            self._lengths.extend([0] * (unit + 1 - len(self._lengths)))
            self._last, self._n_units = unit, self._n_units + 1
        for word, count in words.items():
            self._postings.setdefault(word, _Postings()).add(unit, count)
        self._lengths[unit] += words.total()
        self._n_words += words.total()

    def compute_scores(self, text: str, size: int) -> npt.NDArray[np.float32]:
        """Return the score of each of ``size`` units; a word that the query says twice counts twice."""
        totals = np.zeros(size, dtype=np.float32)
        for word in _WORD.findall(text.lower()):
            if word in self._postings:
                units, weights = self._weigh(self._postings[word])
                totals[units] += weights
        return totals

    def _weigh(self, postings: _Postings) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the units that hold a word, and what it is worth in each."""
        units = np.frombuffer(postings.units, dtype=np.int32)
        counts = np.frombuffer(postings.counts, dtype=np.float32)
        lengths = np.frombuffer(self._lengths, dtype=np.int32)[units]
        rarity = np.float32(math.log(1 + (self._n_units - len(units) + 0.5) / (len(units) + 0.5)))
        # The widths of the library: weights in double precision, kept and added in single precision.
        saturated = counts / (_K1 * ((1 - _B) + _B * lengths / (self._n_words / self._n_units)) + counts)
        return units, (rarity * saturated).astype(np.float32)
