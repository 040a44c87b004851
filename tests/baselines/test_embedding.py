from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.embedding import STRATEGY, EmbeddingMemory
from bench.embedders.hash import HashEmbedder
from bench.errors import ModelError, StrategyError, boundary
from bench.protocols import Vectors, count_words
from bench.types import Event, EventKind, Phase, Query, Shape

PAIRS = [("go to shelf 1", "a mug 1"), ("go to fridge 1", "an apple 2"), ("open drawer 3", "a key 1"), ("wait", "so")]


class RecordingEmbedder(HashEmbedder):
    """The hash embedder, with a list of what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(tuple(texts))
        return super().embed(texts)


class BrokenEmbedder(HashEmbedder):
    """A provider that is down."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ModelError(f"embedder: expected {len(texts)} vectors, got status 500; try again")


def test_recall_shows_action_and_observation_of_the_nearest_step(history: Any) -> None:
    events = history.episode(*PAIRS)
    memory = history.memory(STRATEGY, events, {"k": "1"})
    assert memory.recall(history.now(events)).refs == ("a1", "o1"), "the task is about a mug"
    query = Query("the drawer has no key now", "", 5, Shape.EPISODE, None, "o4")
    assert memory.recall(query).refs == ("a3", "o3")


def test_recall_shows_the_nearest_in_time_order(history: Any) -> None:
    events = history.episode(*PAIRS)
    query = Query("drawer 3 key 1, shelf 1 mug 1", "", 5, Shape.EPISODE, None, "o4")
    assert history.memory(STRATEGY, events, {"k": "2"}).recall(query).refs == ("a1", "o1", "a3", "o3")


def test_recall_leaves_out_the_current_step(history: Any) -> None:
    events = history.episode(*PAIRS)
    assert history.memory(STRATEGY, events, {"k": "9"}).recall(history.now(events)).refs == (
        "a1", "o1", "a2", "o2", "a3", "o3",
    )  # fmt: skip


def test_recall_prefers_the_later_of_equal_steps(history: Any) -> None:
    events = history.episode(*[("look", "Nothing happens.")] * 7)
    context = history.memory(STRATEGY, events, {"k": "2"}).recall(history.now(events))
    assert context.refs == ("a5", "o5", "a6", "o6")


def test_recall_searches_a_conversation_by_turn_and_speaker(history: Any) -> None:
    conversation = history.conversation("I moved to Oslo in spring", "My dog is ill", "Work is dull", "The dog sleeps")
    context = history.memory(STRATEGY, conversation, {"k": "2"}).recall(history.question("How is Bob's dog?"))
    assert context.text == "[1 May] Bob: My dog is ill\n[2 May] Bob: The dog sleeps"


def test_recall_uses_the_whole_goal_without_a_task_paragraph(history: Any) -> None:
    events = history.episode(*PAIRS)
    query = Query("", "Find the key of the drawer", 5, Shape.EPISODE, None, "o4")
    assert history.memory(STRATEGY, events, {"k": "1"}).recall(query).refs == ("a3", "o3")


def test_recall_shows_the_best_units_that_fit(history: Any) -> None:
    conversation = history.conversation("mug " * 9, "mug", "key", session_of=9)  # 12, 4 and 4 words a line
    memory = history.memory(STRATEGY, conversation, {"k": "2"})
    assert memory.recall(history.question("mug", 16)).refs == ("t0", "t1")
    context = memory.recall(history.question("mug", 11))
    assert (context.refs, context.truncated) == (("t1",), True)
    assert memory.recall(history.question("mug", 0)).text == ""


def test_observe_embeds_each_unit_once_and_a_session_in_one_call(history: Any) -> None:
    embedder = RecordingEmbedder()
    memory = EmbeddingMemory(history.kit(STRATEGY, embedder=embedder))
    history.feed(memory, history.conversation("a", "b", "c", "d", "e"))
    assert embedder.calls == [("Ann: a", "Bob: b"), ("Ann: c", "Bob: d")]
    first = memory.recall(history.question("a"))
    assert embedder.calls[2:] == [("Ann: e",), ("a",)]
    assert memory.recall(history.question("a")) == first
    assert len(embedder.calls) == 4, "an equal query costs nothing"


def test_observe_embeds_steps_in_the_write_phase(history: Any) -> None:
    phases: list[Phase] = []

    @contextmanager
    def phase(name: Phase) -> Iterator[None]:
        phases.append(name)
        yield

    embedder = RecordingEmbedder()
    memory = EmbeddingMemory(replace(history.kit(STRATEGY, embedder=embedder), phase=phase))
    events = history.episode(*PAIRS)
    history.feed(memory, events)
    assert embedder.calls == [(f"{action}\n{seen}",) for action, seen in PAIRS]
    history.feed(memory, [Event("n", EventKind.NOTE, "late", 4)])
    memory.recall(history.now(events))
    assert embedder.calls[-2] == ("late",)
    assert phases == [Phase.WRITE]


def test_chunk_is_embedded_when_full_and_again_after_it_grew(history: Any) -> None:
    embedder = RecordingEmbedder()
    memory = EmbeddingMemory(history.kit(STRATEGY, {"unit": "chunk", "chunk": "3"}, embedder=embedder))
    events = history.episode(("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"))
    history.feed(memory, events[:5])
    assert memory.recall(history.now(events[:5])).refs == ()
    assert embedder.calls == [], "nothing may be found yet, so nothing is paid for"
    history.feed(memory, events[5:])
    assert embedder.calls == [("a\nb\nc\nd\ne\nf",)]
    memory.recall(history.question("x"))
    history.feed(memory, [Event("n", EventKind.NOTE, "i", 4)])
    memory.recall(history.question("x"))
    assert embedder.calls[1:] == [("g\nh",), ("x",), ("g\nh\ni",)]


def test_session_is_embedded_once_in_the_users_words_alone(history: Any) -> None:
    embedder = RecordingEmbedder()
    memory = EmbeddingMemory(history.kit(STRATEGY, {"unit": "session", "index": "user"}, embedder=embedder))
    conversation = history.conversation("a", "b", "c", "d", "e", "f", session_of=3)
    history.feed(memory, [replace(event, speaker={"Ann": "User"}.get(event.speaker, "Bot")) for event in conversation])
    assert embedder.calls == [("User: a\nUser: c",), ("User: e",)]


def test_embedder_failure_is_a_model_error(history: Any) -> None:
    memory = EmbeddingMemory(history.kit(STRATEGY, embedder=BrokenEmbedder()))
    with pytest.raises(ModelError, match="status 500"), boundary(StrategyError, "observe"):
        history.feed(memory, history.episode(*PAIRS))


@given(st.lists(st.text("abc ", max_size=20), max_size=12), st.text("abc ", max_size=10), st.integers(0, 40))
def test_recall_fits_the_budget_and_cites_what_it_shows(history: Any, turns: list[str], text: str, budget: int) -> None:
    memory = history.memory(STRATEGY, history.conversation(*turns))
    free, held = memory.recall(history.question(text)), memory.recall(history.question(text, budget))
    assert len(free.refs) == min(5, len(turns))
    assert count_words(held.text) <= budget
    assert held.truncated == (len(held.refs) < len(free.refs))
    assert set(held.refs) <= set(free.refs)
    assert list(free.refs) == sorted(free.refs, key=lambda ref: int(ref[1:]))
    assert memory.recall(history.question(text)) == free
