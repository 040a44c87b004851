"""Facts and stores of facts for tests."""

from __future__ import annotations

from baselines.mem0.store import Fact, FactStore
from bench.embedders.hash import HashEmbedder


def fact(text: str, at: int = 1) -> Fact:
    return Fact(text, "8 May", "Ann", (f"t{at}",), at)


def build_store(*texts: str) -> FactStore:
    store = FactStore()
    for at, text in enumerate(texts):
        store.add(fact(text, at), HashEmbedder().embed([text])[0])
    return store


def near(store: FactStore, text: str, count: int | None = None) -> list[int]:
    return store.find_nearest(HashEmbedder().embed([text])[0], count)
