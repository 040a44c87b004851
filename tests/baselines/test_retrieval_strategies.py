"""What bm25, embedding and hybrid have in common: units, whose words are searched, rankings, budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import bm25, embedding, hybrid
from bench.conformance.rules import check_strategy
from bench.errors import UsageError
from bench.protocols import Memory, Strategy, count_words
from bench.types import Event, EventKind

STRATEGIES = (bm25.STRATEGY, embedding.STRATEGY, hybrid.STRATEGY)
ROWS = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
VARIANTS = (
    {"k": "1"},
    {"unit": "session"},
    {"unit": "chunk", "chunk": "3"},
    {"unit": "chunk", "chunk": "1"},
    {"index": "user", "unit": "chunk"},
)
TURNS = st.lists(st.lists(st.sampled_from(["red", "blue", "mug", "1", "Töpfe"]), max_size=5).map(" ".join), max_size=14)
SETTINGS = st.fixed_dictionaries(
    {
        "k": st.sampled_from(["1", "2", "5"]),
        "unit": st.sampled_from(["turn", "session", "chunk"]),
        "chunk": st.sampled_from(["1", "2", "3"]),
        "index": st.sampled_from(["all", "user"]),
    }
)


def _chat(turns: Sequence[str], session_of: int) -> list[Event]:
    """A user and an assistant in turn, with a mark after every session but not after the last turn."""
    events = []
    for i, text in enumerate(turns):
        session = i // session_of
        if i and i % session_of == 0:
            events.append(Event(f"m{session}", EventKind.SESSION_END, "", session - 1))
        events.append(Event(f"t{i}", EventKind.TURN, text, session, ("User", "Assistant")[i % 2], f"{session + 1} May"))
    return events


@ROWS
@pytest.mark.parametrize("given", VARIANTS, ids=str)
def test_check_strategy_passes_with_every_setting(strategy: Strategy, given: dict[str, str]) -> None:
    assert [result for result in check_strategy(strategy, given) if not result.passed] == []


@ROWS
def test_recall_shows_a_whole_session_found_by_one_turn(history: Any, strategy: Strategy) -> None:
    conversation = history.conversation("a", "my cat Tom", "b", "c", "d", "e", session_of=3)
    context = history.memory(strategy, conversation, {"unit": "session", "k": "1"}).recall(history.question("cat Tom"))
    assert context.text == "[1 May] Ann: a\n[1 May] Bob: my cat Tom\n[1 May] Ann: b"
    assert context.refs == context.ranking[:3] == ("t0", "t1", "t2")


@ROWS
def test_chunk_ends_with_its_session(history: Any, strategy: Strategy) -> None:
    conversation = history.conversation("kayak", "a", "cello", "d", "e", "f", session_of=3)
    memory = history.memory(strategy, conversation, {"unit": "chunk", "chunk": "2", "k": "1"})
    assert memory.recall(history.question("kayak")).refs == ("t0", "t1")
    assert memory.recall(history.question("cello")).refs == ("t2",)


@ROWS
@pytest.mark.parametrize("unit", ["session", "chunk"])
def test_new_session_starts_without_a_session_end(history: Any, strategy: Strategy, unit: str) -> None:
    conversation = [
        event for event in history.conversation("kayak", "a", "cello", "d") if event.kind is not EventKind.SESSION_END
    ]
    memory = history.memory(strategy, conversation, {"unit": unit, "k": "1"})
    assert memory.recall(history.question("kayak")).refs == ("t0", "t1")
    assert memory.recall(history.question("cello")).refs == ("t2", "t3")


@ROWS
def test_session_unit_in_an_episode_is_a_chunk(history: Any, strategy: Strategy) -> None:
    events = history.episode(*[("wait", f"day {i}") for i in range(1, 8)])
    given = {"unit": "session", "chunk": "3", "k": "9"}
    context = history.memory(strategy, events, given).recall(history.now(events))
    assert context.refs == tuple(f"{kind}{i}" for i in range(1, 7) for kind in "ao"), "step 7 began a chunk of its own"
    five = events[: 1 + 2 * 5]
    assert history.memory(strategy, five, given).recall(history.now(five)).refs[-1] == "o3"


@ROWS
def test_index_user_searches_the_users_words_alone(history: Any, strategy: Strategy) -> None:
    chat = _chat(["my cat", "a dog, a dog", "the tea", "a dog"], 2)
    everyone = history.memory(strategy, chat, {"k": "1"}).recall(history.question("dog"))
    assert everyone.refs[0] in ("t1", "t3")
    user = history.memory(strategy, chat, {"index": "user"}).recall(history.question("dog"))
    assert (user.refs, set(user.ranking)) == (("t0", "t2"), {"t0", "t2"})
    whole = history.memory(strategy, chat, {"index": "user", "unit": "session", "k": "1"})
    assert whole.recall(history.question("my cat")).refs == ("t0", "t1")


@ROWS
def test_index_user_without_a_user_finds_nothing(history: Any, strategy: Strategy) -> None:
    context = history.memory(strategy, history.conversation("a", "b"), {"index": "user"}).recall(history.question("a"))
    assert (context.text, context.refs, context.ranking, context.truncated) == ("", (), (), False)


@ROWS
def test_ranking_is_long_enough_for_turns_and_sessions(history: Any, strategy: Strategy) -> None:
    conversation = history.conversation(*[f"word {i}" for i in range(240)], session_of=12)
    turns = history.memory(strategy, conversation).recall(history.question("word 7"))
    assert (len(turns.refs), len(turns.ranking), turns.ranking[0]) == (5, 50, "t7")
    sessions = history.memory(strategy, conversation, {"unit": "session"}).recall(history.question("word 7"))
    assert len(sessions.ranking) == 10 * 12
    assert sessions.ranking[:12] == tuple(f"t{i}" for i in range(12))


@ROWS
def test_recall_of_an_empty_memory_is_empty(history: Any, strategy: Strategy) -> None:
    context = history.memory(strategy, []).recall(history.question("a"))
    assert (context.text, context.refs, context.ranking) == ("", (), ())


@ROWS
def test_unknown_unit_is_a_usage_error(history: Any, strategy: Strategy) -> None:
    with pytest.raises(UsageError, match=r"unit=turn\|session\|chunk, got .page."):
        history.kit(strategy, {"unit": "page"})
    with pytest.raises(UsageError, match="chunk >= 1"):
        history.kit(strategy, {"unit": "chunk", "chunk": "0"})


@ROWS
@given(turns=TURNS, session_of=st.integers(1, 5), given=SETTINGS, budget=st.integers(0, 60), asked=TURNS)
def test_recall_is_repeatable_and_within_the_budget(
    history: Any, strategy: Strategy, turns: list[str], session_of: int, given: dict[str, str], budget: int, asked: Any
) -> None:
    chat = _chat(turns, session_of)
    memory = history.memory(strategy, chat, given)
    questions = [history.question(text, limit) for text in asked for limit in (None, budget)]
    told = [memory.recall(query) for query in questions]
    observed = [event.ref for event in chat if event.kind is EventKind.TURN]
    for context, query in zip(told, questions, strict=True):
        assert list(context.refs) == [ref for ref in observed if ref in set(context.refs)], "observed, once, in order"
        assert len(set(context.ranking)) == len(context.ranking)
        assert set(context.refs) <= set(context.ranking) <= set(observed)
        if query.budget_tokens is None:
            assert not context.truncated
            assert set(context.ranking[: len(context.refs)]) == set(context.refs)
        else:
            assert count_words(context.text) <= budget
    assert [memory.recall(query) for query in reversed(questions)] == told[::-1], "the order of questions is nothing"


@ROWS
@given(turns=TURNS, session_of=st.integers(1, 5), given=SETTINGS, stop=st.integers(0, 14))
def test_extra_recall_changes_no_later_recall(
    history: Any, strategy: Strategy, turns: list[str], session_of: int, given: dict[str, str], stop: int
) -> None:
    chat = _chat(turns, session_of)
    query = history.question("red mug 1")
    peeked: Memory = history.memory(strategy, chat[:stop], given)
    assert peeked.recall(query) == history.memory(strategy, chat[:stop], given).recall(query)
    history.feed(peeked, chat[stop:])
    assert peeked.recall(query) == history.memory(strategy, chat, given).recall(query)


@ROWS
@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=12), chunk=st.integers(1, 4))
def test_chunks_count_steps_and_notes(history: Any, strategy: Strategy, sizes: list[int], chunk: int) -> None:
    events = history.episode(*[(f"go {i}", f"room {i}") for i, _ in enumerate(sizes, start=1)])
    notes = [Event(f"n{i}{j}", EventKind.NOTE, "so", i) for i, size in enumerate(sizes, 1) for j in range(size - 1)]
    mixed = sorted([*events, *notes], key=lambda event: event.step)
    query = replace(history.now(events), ref="")
    context = history.memory(strategy, mixed, {"unit": "chunk", "chunk": str(chunk), "k": "1"}).recall(query)
    parts = [("a", "o") if event.kind is EventKind.OBSERVATION else ("n",) for event in mixed if event.ref[0] in "on"]
    shown = "".join(ref[0] for ref in context.refs).replace("ao", "s")
    assert len(shown) == chunk or (len(shown) == len(parts) % chunk and context.refs[-1] == mixed[-1].ref)
