"""Facts by number, found by nearness, in a matrix that grows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from baselines.mem0.store import Fact, FactStore, Turn
from bench.embedders.hash import HashEmbedder
from tests.baselines.mem0.stores import build_store, fact, near


def test_line_has_the_date_if_there_is_one() -> None:
    assert fact("Ann moved").line == "[8 May] Ann moved"
    assert Fact("Ann moved", "", "Ann", (), 1).line == "Ann moved"
    assert Turn("t1", "Ann", "Hi", "8 May", 1).line == "[8 May] Ann: Hi"
    assert Turn("t1", "Ann", "Hi", "", 1).line == "Ann: Hi"


def test_find_nearest_sorts_by_score_and_equals_by_later_fact() -> None:
    store = build_store("a dog", "a blue mug", "a dog", "the sea")
    assert near(store, "a dog", 2) == [2, 0]
    assert near(store, "the sea")[0] == 3
    assert len(near(store, "a dog")) == 4
    assert near(FactStore(), "a dog") == []


def test_find_candidates_returns_each_once_oldest_first() -> None:
    store = build_store("a dog", "a blue mug", "the sea")
    vectors = HashEmbedder().embed(["the sea", "a dog", "dog"])
    assert store.find_candidates(vectors, 1) == [0, 2]


def test_remove_hides_a_fact_and_its_number_is_not_used_again() -> None:
    store = build_store("a dog", "a cat")
    store.remove(0)
    assert (store.get(0), len(store), store.numbers) == (None, 1, [1])
    assert near(store, "a dog") == [1]
    assert store.find_number("a dog") is None
    assert store.add(fact("a dog"), HashEmbedder().embed(["a dog"])[0]) == 2
    store.remove(0)
    assert store.find_number("a dog") == 2  # an old number takes nothing along


def test_replace_makes_a_fact_known_by_its_new_text_alone() -> None:
    store = build_store("Ann lives in Oslo", "a cat")
    version = store.version
    store.replace(0, fact("Ann lives in Bergen", 9), HashEmbedder().embed(["Ann lives in Bergen"])[0])
    assert store.version > version
    assert near(store, "Bergen", 1) == [0]
    assert (store.find_number("Ann lives in Oslo"), store.find_number("Ann lives in Bergen")) == (None, 0)
    assert store.render_lines([0, 1]) == ["[8 May] Ann lives in Bergen", "[8 May] a cat"]


def test_cite_joins_the_messages_and_changes_no_text() -> None:
    store = build_store("a dog", "a cat")
    version = store.version
    store.cite(0, ("t7", "t0"))
    assert store.get(0) == Fact("a dog", "8 May", "Ann", ("t0", "t7"), 0)
    store.remove(1)
    store.cite(1, ("t7",))
    assert store.get(1) is None
    assert store.version == version + 1


@given(st.lists(st.sampled_from(["add", "remove"]), min_size=1, max_size=200))
def test_each_vector_stays_with_its_fact_as_the_matrix_grows(steps: list[str]) -> None:
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
        assert store.find_nearest(vector, 1) == [number]
