from __future__ import annotations

import math
import random
from typing import Any

import bm25s
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.bm25 import STRATEGY, BM25Memory
from bench.protocols import count_words
from bench.types import Event, EventKind, Query, Shape

PAIRS = [("go to shelf 1", "a mug 1"), ("go to fridge 1", "an apple 2"), ("open drawer 3", "a key 1"), ("wait", "so")]
TALK = st.lists(st.lists(st.sampled_from(["red", "blue", "mug", "a", "1"]), max_size=6), min_size=1, max_size=10)


def test_recall_finds_the_step_with_the_words_of_the_query(history: Any) -> None:
    events = history.episode(*PAIRS)
    memory = history.memory(STRATEGY, events, {"k": "1"})
    assert memory.recall(history.now(events)).refs == ("a1", "o1"), "the task is about a mug"
    assert memory.recall(Query("the key?", "", 5, Shape.EPISODE, None, "o4")).refs == ("a3", "o3")


def test_recall_counts_one_letter_words_and_numbers(history: Any) -> None:
    conversation = history.conversation("cup on shelf 1", "cup on shelf 2", "cup on shelf 3")
    context = history.memory(STRATEGY, conversation, {"k": "1"}).recall(history.question("shelf 2"))
    assert context.text == "[1 May] Bob: cup on shelf 2"


def test_recall_leaves_out_the_current_step(history: Any) -> None:
    events = history.episode(*PAIRS)
    query = history.now(events)
    events.insert(3, Event("n1", EventKind.NOTE, "mug found", 1))
    context = history.memory(STRATEGY, events, {"k": "9"}).recall(query)
    assert context.refs == ("a1", "o1", "n1", "a2", "o2", "a3", "o3")


def test_recall_without_a_shared_word_shows_the_latest(history: Any) -> None:
    conversation = history.conversation("one", "two", "three", "four")
    assert history.memory(STRATEGY, conversation, {"k": "2"}).recall(history.question("zebra")).refs == ("t2", "t3")


def test_recall_accepts_units_without_words(history: Any) -> None:
    conversation = [Event("t0", EventKind.TURN, "..."), Event("t1", EventKind.TURN, "")]
    memory = history.memory(STRATEGY, conversation)
    assert memory.recall(history.question("?")).refs == ("t0", "t1")
    memory.observe(Event("t2", EventKind.TURN, "mug"))
    assert memory.recall(history.question("mug")).refs == ("t0", "t1", "t2")


def test_recall_shows_the_best_units_that_fit(history: Any) -> None:
    conversation = history.conversation("mug mug mug", "mug and a spoon and some more words", "key", session_of=9)
    memory = history.memory(STRATEGY, conversation, {"k": "2"})
    assert memory.recall(history.question("mug spoon", 17)).refs == ("t0", "t1")
    context = memory.recall(history.question("mug spoon", 10))
    assert (context.refs, context.truncated) == (("t0",), True)


def test_recall_uses_everything_observed_so_far(history: Any) -> None:
    memory = history.memory(STRATEGY, history.conversation("red", "blue"), {"k": "1"})
    assert memory.recall(history.question("green")).refs == ("t1",)
    memory.observe(Event("t2", EventKind.TURN, "green"))
    memory.observe(Event("t3", EventKind.TURN, "grey"))
    assert memory.recall(history.question("green")).refs == ("t2",)


def test_recall_prints_nothing(history: Any, capfd: pytest.CaptureFixture[str]) -> None:
    history.memory(STRATEGY, history.conversation("red mug", "blue mug")).recall(history.question("mug"))
    assert capfd.readouterr() == ("", "")


def _formula(docs: list[list[str]], query: list[str]) -> list[float]:
    mean = sum(map(len, docs)) / len(docs)
    scores = []
    for doc in docs:
        score = 0.0
        for word in query:
            df, tf = sum(word in other for other in docs), doc.count(word)
            idf = math.log(1 + (len(docs) - df + 0.5) / (df + 0.5))
            score += idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(doc) / mean))
        scores.append(score)
    return scores


@given(TALK, st.lists(st.sampled_from(["red", "blue", "mug", "zebra", "1"]), max_size=4), st.integers(0, 30))
def test_recall_ranks_by_the_published_formula(
    history: Any, docs: list[list[str]], query: list[str], budget: int
) -> None:
    memory = history.memory(STRATEGY, history.conversation(*map(" ".join, docs)), {"k": "3"})
    context = memory.recall(history.question(" ".join(query)))
    spoken = [[("ann", "bob")[i % 2], *doc] for i, doc in enumerate(docs)]
    scores = _formula(spoken, query)
    shown = [int(ref[1:]) for ref in context.refs]
    left = [i for i in range(len(docs)) if i not in shown]
    assert len(shown) == min(3, len(docs))
    assert min(scores[i] for i in shown) >= max((scores[i] for i in left), default=0.0) - 1e-5
    held = memory.recall(history.question(" ".join(query), budget))
    assert count_words(held.text) <= budget
    assert held.truncated == (len(held.refs) < len(shown))


@pytest.mark.parametrize("chunk", [1, 4])
def test_compute_scores_equals_a_new_index_at_any_time(history: Any, chunk: int) -> None:
    rng = random.Random(0)
    words = [f"w{i}" for i in range(40)]
    docs = [rng.choices(words, weights=range(1, 41), k=rng.randint(0, 30)) for _ in range(60)]
    memory = BM25Memory(history.kit(STRATEGY, {"unit": "chunk", "chunk": str(chunk)}))
    ids = {word: i for i, word in enumerate(words)}
    for last, doc in enumerate(docs):
        memory.observe(Event(f"t{last}", EventKind.TURN, " ".join(doc)))
        query = rng.choices(words, k=rng.randint(1, 12))
        chunks = [
            [ids[word] for doc in docs[i : min(i + chunk, last + 1)] for word in doc] for i in range(0, last + 1, chunk)
        ]
        library = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        library.index((chunks, ids), create_empty_token=False, show_progress=False)
        expected = library.get_scores_from_ids([ids[word] for word in query])
        assert memory.compute_scores(" ".join([*query, "zebra"])).tobytes() == expected.tobytes()


def test_compute_scores_ignores_units_that_cannot_be_searched(history: Any) -> None:
    def score_all(*speakers: str) -> list[float]:
        memory = BM25Memory(history.kit(STRATEGY, {"index": "user"}))
        history.feed(memory, [Event(f"t{i}", EventKind.TURN, "mug 1", 0, name) for i, name in enumerate(speakers)])
        return [float(score) for score in memory.compute_scores("mug")]

    alone = score_all("User", "User")
    assert score_all("Bot", "User", "Bot", "Bot", "User") == [0, alone[0], 0, 0, alone[1]]
    assert alone[0] > 0
