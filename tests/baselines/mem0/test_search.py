"""The order in which facts answer a query."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.mem0.search import Search, fused
from bench.embedders.hash import HashEmbedder
from tests.baselines.mem0.stores import filled


def test_words_find_what_vectors_rank_low() -> None:
    store = filled(*(f"Ann saw the number {n} tram" for n in range(70)), "zebra")
    vector = HashEmbedder().embed(["Ann saw the number 3 tram"])[0]
    assert Search(store, hybrid=False).ranked("zebra", vector, 10)[0] == 3
    hybrid = Search(store, hybrid=True)
    assert set(hybrid.ranked("zebra", vector, 10)[:2]) == {3, 70}
    store.remove(70)
    assert 70 not in hybrid.ranked("zebra", vector, 10)  # the index of words follows the store
    assert hybrid.ranked("unheard", vector, 10)[0] == 3
    assert len(hybrid.ranked("unheard", vector, 10)) == 60


def test_a_store_of_facts_without_words_can_be_searched() -> None:
    store = filled("?!")
    assert Search(store, hybrid=True).ranked("zebra", HashEmbedder().embed(["zebra"])[0], 5) == [0]


def test_reciprocal_ranks() -> None:
    assert fused([[1, 2, 3], [3, 1]]) == [1, 3, 2]
    assert fused([[1], [2]]) == [2, 1]  # equal: the later first
    assert fused([]) == []


@given(st.lists(st.lists(st.integers(0, 20), unique=True, max_size=10), max_size=3))
def test_joining_keeps_every_number_once(rankings: list[list[int]]) -> None:
    joined = fused(rankings)
    assert sorted(joined) == sorted({number for ranking in rankings for number in ranking})
