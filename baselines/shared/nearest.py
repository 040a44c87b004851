"""Texts of an artifact and their vectors: made once in learning, searched by cosine in evaluation. Knows no suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bench.protocols import Embedder, Kit, Vectors
from bench.types import Artifact

__all__ = ["NearestTexts", "write_vectors"]

_FOLDER = "vectors/"
_DECIMALS = 6


def write_vectors(embedder: Embedder, texts: Mapping[str, str], sources: Mapping[str, Sequence[str]]) -> Artifact:
    """Return a file with the vector of each text. ``texts``: what is searched for, by the name of the file it leads to,
    whose ``sources`` are those of its vector."""
    names = sorted(texts)
    vectors = embedder.embed([texts[name] for name in names]) if names else ()
    files = {
        f"{_FOLDER}{name}": f"{embedder.name}\n{' '.join(f'{number:.{_DECIMALS}f}' for number in vector)}\n"
        for name, vector in zip(names, vectors, strict=True)
    }
    return Artifact(files, {f"{_FOLDER}{name}": tuple(sources[name]) for name in names})


class NearestTexts:
    """The texts of one folder of an artifact, searched by what they are about."""

    def __init__(self, kit: Kit, texts: Mapping[str, str]):
        """``texts``: what is searched for, by file name, as in ``write_vectors``."""
        self._embedder, self._files = kit.embedder, kit.artifact.files
        self._texts = dict(sorted(texts.items()))
        self._vectors: Vectors | None = None

    def find(self, text: str, k: int) -> list[str]:
        """Return the names of the ``k`` nearest, the nearest first; of equals the earlier. Embeds the text once."""
        if not self._texts or k < 1:
            return []
        if self._vectors is None:
            self._vectors = self._read_vectors()
        scores = np.einsum("ij,j->i", self._vectors, self._embedder.embed([text])[0]).round(_DECIMALS - 1)
        names = list(self._texts)
        return [names[i] for i in np.argsort(-scores, kind="stable")[:k]]

    def _read_vectors(self) -> Vectors:
        """Vectors of another embedder, or missing ones, are made again."""
        stored = [self._files.get(f"{_FOLDER}{name}", "\n").split("\n") for name in self._texts]
        if {name for name, *_ in stored} == {self._embedder.name}:
            return np.array([numbers.split() for _, numbers, *_ in stored], dtype=np.float32)
        return self._embedder.embed(list(self._texts.values()))
