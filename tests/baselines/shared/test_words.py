"""The index of words: the library's scores, asked for at any moment, whatever was added since."""

from __future__ import annotations

import bm25s
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.shared.words import WordIndex

TEXTS = st.lists(st.lists(st.sampled_from(["mug", "1", "shelf", "Ötzi", "red"]), min_size=1, max_size=6), max_size=8)


def score_all(texts: list[str], query: str) -> list[float]:
    index = WordIndex()
    for unit, text in enumerate(texts):
        index.add(unit, text)
    return [float(score) for score in index.compute_scores(query, len(texts))]


def test_compute_scores_prefers_rare_words_and_counts_numbers() -> None:
    low, high, none = score_all(["shelf 2 and shelf 3", "shelf 1", "desk"], "the shelf 1")
    assert high > low > none == 0.0


def test_compute_scores_ignores_case_and_punctuation() -> None:
    assert score_all(["Mug, on: SHELF!"], "shelf mug") == score_all(["mug on shelf"], "Shelf; MUG.")


def test_compute_scores_counts_all_words_of_a_unit() -> None:
    index = WordIndex()
    index.add(0, "a mug")
    index.add(2, "a shelf")
    assert list(index.compute_scores("shelf", 4))[:2] == [0.0, 0.0]
    index.add(2, "and a mug")
    again = WordIndex()
    again.add(0, "a mug")
    again.add(2, "a shelf and a mug")
    assert list(index.compute_scores("mug shelf", 4)) == list(again.compute_scores("mug shelf", 4))


@given(TEXTS, st.lists(st.sampled_from(["mug", "1", "shelf", "ötzi", "red", "unheard"]), max_size=4))
def test_compute_scores_equals_the_library(words: list[list[str]], query: list[str]) -> None:
    mine = score_all([" ".join(each) for each in words], " ".join(query))
    known = [word for word in query if any(word in [w.lower() for w in each] for each in words)]
    if not known:
        assert mine == [0.0] * len(words)
        return
    library = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    library.index([[w.lower() for w in each] for each in words], show_progress=False)
    assert mine == pytest.approx([float(score) for score in library.get_scores(known)], abs=1e-6)
