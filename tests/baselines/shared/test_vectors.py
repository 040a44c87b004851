"""The index of vectors: embedded once, in one call where many wait, whatever the order of asking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from baselines.shared.vectors import VectorIndex
from bench.embedders.hash import HashEmbedder
from bench.protocols import Vectors


class Counting(HashEmbedder):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return super().embed(texts)


def test_embed_makes_one_call_and_embeds_nothing_twice() -> None:
    embedder = Counting()
    index = VectorIndex(embedder)
    for unit in range(5):
        index.add(unit, f"text {unit}")
    index.embed(3)
    index.embed(3)
    index.embed(5)
    assert embedder.asked == [["text 0", "text 1", "text 2"], ["text 3", "text 4"]]


def test_compute_scores_gives_cosines_and_embeds_a_query_once() -> None:
    embedder = Counting()
    index = VectorIndex(embedder)
    texts = ["a red mug", "a blue plate", "the red red mug"]
    for unit, text in enumerate(texts):
        index.add(unit, text)
    index.embed(3)
    first, second = index.compute_scores("red mug", 3), index.compute_scores("red mug", 3)
    vectors, asked = HashEmbedder().embed(texts), HashEmbedder().embed(["red mug"])[0]
    assert np.array_equal(first, second)
    assert first == pytest.approx(vectors @ asked, abs=1e-6)
    assert embedder.asked.count(["red mug"]) == 1


def test_add_voids_the_vector_of_a_unit_that_grows() -> None:
    index = VectorIndex(HashEmbedder())
    index.add(0, "a mug")
    index.add(1, "a plate")
    index.embed(2)
    index.add(1, "and a mug")
    assert index.compute_scores("mug", 2)[1] == 0.0
    index.embed(2)
    grown = HashEmbedder().embed(["a plate\nand a mug"])[0] @ HashEmbedder().embed(["mug"])[0]
    assert index.compute_scores("mug", 2)[1] == pytest.approx(grown, abs=1e-6)


@pytest.mark.parametrize("count", [1, 2, 7, 33])
def test_each_vector_stays_with_its_unit_as_the_block_grows(count: int) -> None:
    index = VectorIndex(HashEmbedder())
    for unit in range(count):
        index.add(unit, f"thing {unit}")
        index.embed(unit + 1)
    whole = HashEmbedder().embed([f"thing {unit}" for unit in range(count)])
    assert index.compute_scores("thing 0", count) == pytest.approx(whole @ whole[0], abs=1e-6)
