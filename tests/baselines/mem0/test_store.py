"""Facts by number, found by nearness, in a matrix that grows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from baselines.mem0.search import Search, fused
from baselines.mem0.store import Fact, FactStore, Turn
from bench.embedders.hash import HashEmbedder


def fact(text: str, at: int = 1) -> Fact:
    return Fact(text, "8 May", "Ann", (f"t{at}",), at)


def filled(*texts: str) -> FactStore:
    store = FactStore()
    for at, text in enumerate(texts):
        store.add(fact(text, at), HashEmbedder().embed([text])[0])
    return store


def near(store: FactStore, text: str, count: int | None = None) -> list[int]:
    return store.nearest(HashEmbedder().embed([text])[0], count)


def test_lines_carry_the_date_where_there_is_one() -> None:
    assert fact("Ann moved").line == "[8 May] Ann moved"
    assert Fact("Ann moved", "", "Ann", (), 1).line == "Ann moved"
    assert Turn("t1", "Ann", "Hi", "8 May", 1).line == "[8 May] Ann: Hi"
    assert Turn("t1", "Ann", "Hi", "", 1).line == "Ann: Hi"


def test_the_nearest_come_first_and_of_equal_ones_the_later() -> None:
    store = filled("a dog", "a blue mug", "a dog", "the sea")
    assert near(store, "a dog", 2) == [2, 0]
    assert near(store, "the sea")[0] == 3
    assert len(near(store, "a dog")) == 4
    assert near(FactStore(), "a dog") == []


def test_candidates_are_joined_oldest_first() -> None:
    store = filled("a dog", "a blue mug", "the sea")
    vectors = HashEmbedder().embed(["the sea", "a dog", "dog"])
    assert store.candidates(vectors, 1) == [0, 2]


def test_what_is_removed_is_not_found_and_its_number_is_not_used_again() -> None:
    store = filled("a dog", "a cat")
    store.remove(0)
    assert (store.get(0), len(store), store.numbers) == (None, 1, [1])
    assert near(store, "a dog") == [1]
    assert store.known("a dog") is None
    assert store.add(fact("a dog"), HashEmbedder().embed(["a dog"])[0]) == 2
    store.remove(0)
    assert store.known("a dog") == 2  # an old number takes nothing along


def test_a_replaced_fact_is_found_by_its_new_words_alone() -> None:
    store = filled("Ann lives in Oslo", "a cat")
    version = store.version
    store.replace(0, fact("Ann lives in Bergen", 9), HashEmbedder().embed(["Ann lives in Bergen"])[0])
    assert store.version > version
    assert near(store, "Bergen", 1) == [0]
    assert (store.known("Ann lives in Oslo"), store.known("Ann lives in Bergen")) == (None, 0)
    assert store.lines([0, 1]) == ["[8 May] Ann lives in Bergen", "[8 May] a cat"]


def test_citing_joins_the_messages_and_changes_no_text() -> None:
    store = filled("a dog", "a cat")
    version = store.version
    store.cite(0, ("t7", "t0"))
    assert store.get(0) == Fact("a dog", "8 May", "Ann", ("t0", "t7"), 0)
    store.remove(1)
    store.cite(1, ("t7",))
    assert store.get(1) is None
    assert store.version == version + 1


@given(st.lists(st.sampled_from(["add", "remove"]), min_size=1, max_size=200))
def test_the_matrix_grows_and_every_vector_stays_with_its_fact(steps: list[str]) -> None:
    store, alive = FactStore(), list[int]()
    for number, step in enumerate(steps):
        if step == "remove" and alive:
            store.remove(alive.pop(0))
            continue
        vector = np.zeros(256, dtype=np.float32)
        vector[number] = 1.0
        alive.append(store.add(fact(f"fact {number}", number), vector))
    assert store.numbers == alive
    for number in alive:
        told = store.get(number)
        assert told is not None
        vector = np.zeros(256, dtype=np.float32)
        vector[told.at] = 1.0
        assert store.nearest(vector, 1) == [number]


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
