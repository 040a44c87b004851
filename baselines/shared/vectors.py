"""Vectors of the past, one for each text: what the dense strategies search with. Knows no event and no suite."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from bench.protocols import Embedder, Vectors

__all__ = ["VectorIndex"]


class VectorIndex:
    """One vector for each text, in one block with room to grow, so that a new one does not move the others."""

    def __init__(self, embedder: Embedder):
        self._embedder = embedder
        self._texts: dict[int, str] = {}
        self._waiting: list[int] = []
        self._rows = array("q")  # which unit each vector is of
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
        self._rows.extend(ready)
        del self._waiting[: len(ready)]

    def compute_scores(self, text: str, size: int) -> npt.NDArray[np.float32]:
        """Return the cosine of each of ``size`` units; 0 for those without a vector."""
        if text not in self._queries:
            self._queries[text] = self._embedder.embed([text])[0]
        scores = np.zeros(size, dtype=np.float32)
        # einsum, not @: a threaded product of this size waits more than it works when workers share cores.
        scores[np.array(self._rows)] = np.einsum("ij,j->i", self._block[: len(self._rows)], self._queries[text])
        return scores
