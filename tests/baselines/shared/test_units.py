from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.bm25 import STRATEGY
from baselines.shared.units import Units, build_query_text, rank_units
from bench.protocols import Params, count_words
from bench.types import Event, EventKind, Query, Shape


def units(**given: str) -> Units:
    return Units(Params(STRATEGY.params, given, who="units"), count_words)


def taken(past: Units, events: list[Event]) -> list[list[str]]:
    """What is to be searched of each event, as it comes."""
    return [past.add(event) for event in events]


def turn(i: int, text: str, session: int = 0, speaker: str = "") -> Event:
    return Event(f"t{i}", EventKind.TURN, text, session, speaker)


def test_add_joins_action_and_observation_and_ignores_goals(history: Any) -> None:
    past = units()
    assert taken(past, history.episode(("go", "a room"), ("look", "a mug"))) == [
        [], [], ["go", "a room"], [], ["look", "a mug"],
    ]  # fmt: skip
    assert len(past) == past.n_complete == 2
    assert past.find_candidates("o2").tolist() == [0]
    assert past.find_candidates("a2").tolist() == [0], "the action is of the current step too"
    assert past.find_candidates("").tolist() == past.find_candidates("goal").tolist() == [0, 1]


def test_add_takes_an_observation_without_an_action() -> None:
    past = units()
    assert past.add(Event("o1", EventKind.OBSERVATION, "a room")) == ["a room"]
    assert past.build_context([0], None).refs == ("o1",)


def test_chunk_is_complete_when_full_or_at_the_session_end() -> None:
    past = units(unit="chunk", chunk="3")
    grown = []
    for event in [
        *(turn(i, "x") for i in range(4)),
        Event("m", EventKind.SESSION_END, ""),
        turn(4, "y", 1),
        turn(5, "z", 2),
    ]:
        past.add(event)
        grown.append((len(past), past.n_complete))
    assert grown == [(1, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (4, 3)], "the last session came without a mark"


def test_session_unit_grows_until_the_session_ends() -> None:
    past = units(unit="session", chunk="2")
    taken(past, [turn(i, "x") for i in range(5)])
    assert (len(past), past.n_complete) == (1, 0)
    past.add(Event("m", EventKind.SESSION_END, ""))
    assert past.n_complete == 1


def test_add_returns_texts_with_speaker_or_of_the_user_alone() -> None:
    conversation = [turn(0, "hi", 0, "User"), turn(1, "ho", 0, "Bot"), turn(2, "so")]
    assert taken(units(), conversation) == [["User: hi"], ["Bot: ho"], ["so"]]
    past = units(index="user")
    assert taken(past, conversation) == [["User: hi"], [], ["so"]]
    assert past.find_candidates("").tolist() == [0, 2]


def test_build_context_shows_the_best_k_in_time_order() -> None:
    past = units(k="2")
    taken(past, [turn(i, f"word {i}", 0, "Ann") for i in range(4)])
    context = past.build_context([3, 1, 0, 2], None)
    assert context.text == "Ann: word 1\nAnn: word 3"
    assert (context.refs, context.ranking, context.truncated) == (("t1", "t3"), ("t3", "t1", "t0", "t2"), False)


@pytest.mark.parametrize(("budget", "shown"), [(8, ("t0", "t1")), (7, ("t1",)), (6, ("t1",)), (5, ("t0",)), (1, ())])
def test_build_context_skips_units_that_do_not_fit(budget: int, shown: tuple[str, ...]) -> None:
    past = units()
    taken(past, [turn(0, "a", 0, "Ann"), turn(1, "a b c d e", 0, "Ann")])  # lines of 2 and 6 words
    context = past.build_context([1, 0], budget)
    assert (context.refs, context.truncated) == (shown, len(shown) < 2)


def test_ranking_has_at_least_fifty_refs_and_ten_units() -> None:
    past = units()
    taken(past, [turn(i, "x") for i in range(70)])
    assert past.build_context(range(70), None).ranking == tuple(f"t{i}" for i in range(50))
    long = units(unit="chunk", chunk="8")
    taken(long, [turn(i, "x") for i in range(8 * 12)])
    assert len(long.build_context(range(12), None).ranking) == 8 * 10


@given(st.lists(st.sampled_from([0.0, 0.5, 0.5 + 2e-7, 1.0, -1.0]), max_size=12), st.data())
def test_rank_units_sorts_by_score_and_equals_by_later_unit(scores: list[float], data: st.DataObject) -> None:
    some = sorted(data.draw(st.sets(st.sampled_from(range(len(scores))))) if scores else ())
    values, candidates = np.array(scores, dtype=np.float32), np.array(some, dtype=np.int64)
    order = rank_units(values, candidates)
    assert order == sorted(some, key=lambda i: (-round(scores[i], 6), -i))
    first = data.draw(st.integers(1, 12))
    assert rank_units(values, candidates, first)[:first] == order[:first]


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("A room.\n\nYour task is: mug.\n \nThe goal counts.", "Your task is: mug.\nThe goal counts.\nnow"),
        ("A room.\n\nTasks are many.", "A room.\nTasks are many.\nnow"),
        ("", "now"),
    ],
)
def test_build_query_text_of_an_episode_is_task_and_observation(goal: str, asked: str) -> None:
    assert build_query_text(Query("now", goal)) == asked


def test_build_query_text_of_a_conversation_is_the_question() -> None:
    assert build_query_text(Query("where?", "where? The task was (9 May)", 1, Shape.CONVERSATION)) == "where?"
