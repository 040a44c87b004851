"""Hybrid retrieval: the two rankings it joins, and what it shows."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import bm25, embedding
from baselines.hybrid import STRATEGY
from baselines.shared.rank_fusion import fuse_rankings
from bench.types import Event, EventKind

TALK = st.lists(st.lists(st.sampled_from(["red", "blue", "mug", "cat", "1"]), max_size=6), min_size=1, max_size=12)


@given(TALK, st.sampled_from(["red mug", "cat", "zebra", "blue 1 cat"]), st.sampled_from(["0", "7", "60"]))
def test_recall_fuses_the_rankings_of_both_strategies(history: Any, docs: list[list[str]], text: str, rrf: str) -> None:
    conversation = history.conversation(*map(" ".join, docs))
    question = history.question(text)
    turns = [event for event in conversation if event.kind is EventKind.TURN]
    found = {event.ref for event in turns if set(text.split()) & set(event.text.split())}
    by_words = [ref for ref in history.memory(bm25.STRATEGY, conversation).recall(question).ranking if ref in found]
    by_vector = history.memory(embedding.STRATEGY, conversation).recall(question).ranking
    points = dict.fromkeys(by_vector, 0.0)
    for ranking in (by_words, by_vector):
        for rank, ref in enumerate(ranking, start=1):
            points[ref] += 1 / (int(rrf) + rank)
    context = history.memory(STRATEGY, conversation, {"rrf": rrf, "k": "3"}).recall(question)
    assert context.ranking == tuple(sorted(points, key=lambda ref: (-points[ref], -int(ref[1:]))))
    assert context.refs == tuple(sorted(context.ranking[:3], key=lambda ref: int(ref[1:])))


def test_recall_weighs_words_as_bm25_does(history: Any) -> None:
    rng = random.Random(0)
    words = [f"w{i}" for i in range(12)]
    conversation = [
        Event(f"t{i}", EventKind.TURN, " ".join(rng.choices(words, k=rng.randint(0, 40))), 0, ("Bot", "User")[i % 2])
        for i in range(80)
    ]
    only = {"index": "user"}
    lexical = history.feed(bm25.BM25Memory(history.kit(bm25.STRATEGY, only)), conversation)
    dense, both = history.memory(embedding.STRATEGY, conversation, only), history.memory(STRATEGY, conversation, only)
    for _ in range(20):
        question = history.question(" ".join(rng.choices(words, k=2)))
        found = lexical.compute_scores(question.text) > 0
        by_words, by_vector = ([int(ref[1:]) for ref in memory.recall(question).ranking] for memory in (lexical, dense))
        fused = fuse_rankings([[i for i in by_words if found[i]], by_vector], 60)
        assert both.recall(question).ranking == tuple(f"t{i}" for i in fused)


def test_recall_finds_what_either_strategy_misses(history: Any) -> None:
    conversation = history.conversation(
        "I went kayaking", "The dogs sleep", "A kayak is a boat", "so", "well", "hm", session_of=6
    )
    context = history.memory(STRATEGY, conversation, {"k": "2"}).recall(history.question("kayak"))
    assert context.refs == ("t0", "t2"), "the word itself, and a word made of it"


def test_recall_serves_episodes(history: Any) -> None:
    events = history.episode(("go to shelf 1", "a mug 1"), ("go to fridge 1", "an apple 2"), ("wait", "so"))
    context = history.memory(STRATEGY, events, {"k": "1"}).recall(history.now(events))
    assert (context.refs, context.ranking) == (("a1", "o1"), ("a1", "o1", "a2", "o2"))


@pytest.mark.parametrize(("budget", "shown"), [(8, 2), (7, 1), (3, 0)])
def test_recall_shows_the_best_units_that_fit(history: Any, budget: int, shown: int) -> None:
    conversation = history.conversation("cat", "a", "cat", "b", session_of=4)  # lines of 4 words
    context = history.memory(STRATEGY, conversation, {"k": "2"}).recall(history.question("Ann cat", budget))
    assert set(context.refs) == set(context.ranking[:shown]) <= {"t0", "t2"}
    assert context.truncated == (shown < 2)
