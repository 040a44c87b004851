"""Texts of an artifact searched by vectors: made once, read again, made anew for another embedder."""

from __future__ import annotations

import pytest

from baselines.shared.nearest import NearestTexts, write_vectors
from bench.models.scripted import ScriptedModel
from bench.protocols import Kit
from bench.types import Artifact
from tests.baselines.learners import FRAME, CountingEmbedder

TEXTS = {"b.txt": "heat a mug", "a.txt": "cool a plate", "c.txt": "open the door"}
SOURCES = {name: (name[0],) for name in TEXTS}


def make(artifact: Artifact, embedder: CountingEmbedder, texts: dict[str, str] = TEXTS) -> NearestTexts:
    return NearestTexts(Kit(ScriptedModel([]), embedder, FRAME, artifact=artifact), texts)


def test_vector_files_have_the_sources_of_what_they_lead_to() -> None:
    artifact = write_vectors(CountingEmbedder(), TEXTS, SOURCES)
    assert set(artifact.files) == {f"vectors/{name}" for name in TEXTS}
    assert artifact.sources["vectors/b.txt"] == ("b",)


def test_nearest_comes_first_and_a_search_embeds_its_text_alone() -> None:
    embedder = CountingEmbedder()
    nearest = make(write_vectors(CountingEmbedder(), TEXTS, SOURCES), embedder)
    assert nearest.find("heat the mug", 1) == ["b.txt"]
    assert nearest.find("open a door", 3)[0] == "c.txt"
    assert embedder.calls == [["heat the mug"], ["open a door"]]


def test_equal_texts_are_found_in_the_order_of_their_names() -> None:
    texts = dict.fromkeys(["2.txt", "1.txt", "3.txt"], "same")
    artifact = write_vectors(CountingEmbedder(), texts, dict.fromkeys(texts, ("t",)))
    assert make(artifact, CountingEmbedder(), texts).find("same", 2) == ["1.txt", "2.txt"]


@pytest.mark.parametrize("files", [{}, {f"vectors/{name}": "other\n0.1 0.2\n" for name in TEXTS}])
def test_vectors_that_do_not_fit_are_made_again(files: dict[str, str]) -> None:
    embedder = CountingEmbedder()
    assert make(Artifact(files), embedder).find("heat a mug", 1) == ["b.txt"]
    assert embedder.calls[0] == ["cool a plate", "heat a mug", "open the door"]


def test_nothing_is_embedded_where_there_is_nothing_to_find() -> None:
    embedder = CountingEmbedder()
    assert make(Artifact(), embedder, {}).find("heat a mug", 3) == []
    assert make(Artifact(), embedder).find("heat a mug", 0) == []
    assert write_vectors(embedder, {}, {}) == Artifact()
    assert not embedder.calls
