"""The order in which facts answer a query."""

from __future__ import annotations

from baselines.mem0.search import Search
from bench.embedders.hash import HashEmbedder
from tests.baselines.mem0.stores import build_store


def test_rank_hybrid_finds_by_words_what_vectors_rank_low() -> None:
    store = build_store(*(f"Ann saw the number {n} tram" for n in range(70)), "zebra")
    vector = HashEmbedder().embed(["Ann saw the number 3 tram"])[0]
    assert Search(store, hybrid=False).rank("zebra", vector, 10)[0] == 3
    hybrid = Search(store, hybrid=True)
    assert set(hybrid.rank("zebra", vector, 10)[:2]) == {3, 70}
    store.remove(70)
    assert 70 not in hybrid.rank("zebra", vector, 10)  # the index of words follows the store
    assert hybrid.rank("unheard", vector, 10)[0] == 3
    assert len(hybrid.rank("unheard", vector, 10)) == 60


def test_rank_hybrid_accepts_facts_without_words() -> None:
    store = build_store("?!")
    assert Search(store, hybrid=True).rank("zebra", HashEmbedder().embed(["zebra"])[0], 5) == [0]
