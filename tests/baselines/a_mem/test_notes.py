"""Notes as text, and the index: nearest first, later first among equals, behind its notes until it is refreshed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from baselines.a_mem.notes import Index, Note
from bench.embedders.hash import HashEmbedder
from bench.protocols import Vectors
from bench.types import Event, EventKind

TURN = Event("t1", EventKind.TURN, "I moved\nto Oslo.", 1, "Ann", "8 May, 2023")
STEP = (Event("a3", EventKind.ACTION, "open box", 3), Event("o3", EventKind.OBSERVATION, "It is empty.", 3))


class Counting(HashEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__(64)
        self.texts: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts.append(tuple(texts))
        return super().embed(texts)


def test_note_of_a_turn_shows_its_metadata_below_the_turn() -> None:
    note = Note((TURN,), ("Oslo", "flat"), "Ann moved.", ("home",), (0,))
    assert note.refs == ("t1",)
    assert note.content == "Ann: I moved to Oslo."
    assert note.line == "[8 May, 2023] Ann: I moved to Oslo."
    assert note.index_text == "Ann: I moved to Oslo.\nAnn moved.\nOslo, flat\nhome"
    assert note.prompt_text == (
        "[8 May, 2023] Ann: I moved\nto Oslo.\nNote: Ann moved. | Keywords: Oslo, flat | Tags: home"
    )


def test_note_of_a_step_shows_its_metadata_with_the_step_number() -> None:
    note = Note(STEP, tags=("box",))
    assert note.refs == ("a3", "o3")
    assert note.content == "open box It is empty."
    assert note.prompt_text == "[3] Action: open box\n[3] Observation: It is empty.\n[3] Note: Tags: box"


def test_note_without_metadata_shows_its_turn_alone() -> None:
    assert Note((TURN,)).prompt_text == "[8 May, 2023] Ann: I moved\nto Oslo."
    assert Note((TURN,)).index_text == Note((TURN,)).content


def build_index(*texts: str) -> Index:
    index = Index(HashEmbedder(256))
    for text in texts:
        index.add(text)
    return index


def test_find_nearest_sorts_by_score_and_equals_by_later_note() -> None:
    index = build_index("a red fox", "the blue sea", "a red fox", "green tea")
    assert index.find_nearest("a red fox", 2) == [2, 0]
    assert len(index.find_nearest("a red fox", 9)) == len(index) == 4
    assert build_index().find_nearest("a red fox", 3) == []


@given(st.lists(st.text("abc ", max_size=6), min_size=1, max_size=140), st.text("abc ", max_size=6))
def test_find_nearest_is_the_same_after_the_index_has_grown(texts: list[str], query: str) -> None:
    index, embedder = build_index(*texts), HashEmbedder(256)
    scores = (embedder.embed(texts) @ embedder.embed([query])[0]).round(6)
    found = index.find_nearest(query, len(texts))
    assert sorted(found) == list(range(len(texts)))
    assert np.all(np.diff([scores[at] for at in found]) <= 2e-6)


def test_refresh_embeds_changed_texts() -> None:
    embedder = Counting()
    index = Index(embedder)
    for text in ("red fox", "blue sea", "green tea"):
        index.add(text)
    texts = ["red fox", "yellow corn", "green tea"]
    assert index.find_nearest("blue sea", 1) == [1]
    embedder.texts.clear()
    index.refresh(texts)
    index.refresh(texts)
    assert embedder.texts == [("yellow corn",)]
    assert index.find_nearest("yellow corn", 1) == [1]


def test_find_nearest_embeds_a_cached_query_once() -> None:
    embedder = Counting()
    index = Index(embedder)
    index.add("red fox")
    assert index.find_nearest("fox", 1, cache=True) == index.find_nearest("fox", 1, cache=True) == [0]
    assert embedder.texts.count(("fox",)) == 1
    index.find_nearest("sea", 1)
    index.find_nearest("sea", 1)
    assert embedder.texts.count(("sea",)) == 2
