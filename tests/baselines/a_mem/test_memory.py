"""A-MEM's memory: what is asked when, how notes link and evolve, what a recall shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.a_mem.memory import AMem
from baselines.a_mem.offline import RULES
from baselines.a_mem.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit, Params, count_words
from bench.types import Context, Event, EventKind, Frame, Message, Query, Shape
from tests.baselines.a_mem.scribe import FOX, RIVER, TEA, Scribe, evolve, trial


def test_observe_makes_two_calls_a_turn_but_one_for_the_first() -> None:
    run = trial()
    run.tell(FOX, RIVER, TEA)
    assert [role for role, _ in run.scribe.requests] == ["extract", "extract", "link", "extract", "link"]
    assert run.scribe.find_requests("extract")[0] == f"[1 May] Ann: {FOX}"


def test_link_prompt_numbers_neighbors_from_one_nearest_first() -> None:
    run = trial(neighbors="2")
    run.tell(FOX, RIVER, TEA, "Another clever foxhound.")
    new, _, near = run.scribe.find_requests("link")[-1].partition("\n\n# Neighbors\n")
    assert new == (
        "# New card\n[4 May] Bob: Another clever foxhound.\n"
        "Keywords: Another, clever, foxhound\nTags: Another\nContext: About Another."
    )
    lines = near.splitlines()
    assert lines[0] == f"1. [1 May] Ann: {FOX}"
    assert [line[:2] for line in lines[::4]] == ["1.", "2."]
    assert len(lines) == 8


def test_neighbor_search_uses_the_content_and_the_index_all_fields() -> None:
    run = trial()
    run.tell(FOX, RIVER)
    assert run.embedder.texts == [
        (f"Ann: {FOX}\nAbout clever.\nclever, foxhound, along\nclever",),
        (f"Bob: {RIVER}",),
        (f"Bob: {RIVER}\nAbout Broad.\nBroad, river, there\nBroad",),
    ]


def test_strengthen_links_the_new_note_and_replaces_its_tags() -> None:
    run = trial(Scribe(evolve("strengthen", links=[1], tags=["water"])), k="1")
    run.tell(FOX, RIVER)
    assert run.ask("Broad river").text == (
        f"[2 May] Bob: {RIVER}\nNote: About Broad. | Keywords: Broad, river, there | Tags: water\n"
        f"[1 May] Ann: {FOX}\nNote: About clever. | Keywords: clever, foxhound, along | Tags: clever"
    )


def test_update_neighbor_replaces_context_and_tags() -> None:
    scribe = Scribe(evolve("update_neighbor", neighbors=[{"number": 1, "context": "It swims.", "tags": ["wet"]}]))
    run = trial(scribe, k="1")
    run.tell(FOX, RIVER)
    assert run.ask("clever foxhound").text == (
        f"[1 May] Ann: {FOX}\nNote: It swims. | Keywords: clever, foxhound, along | Tags: wet"
    )


def test_fields_that_are_missing_leave_what_was_there() -> None:
    scribe = Scribe(
        evolve("strengthen", "update_neighbor", links=[1], neighbors=[{"number": 1, "context": "It swims."}])
    )
    run = trial(scribe, k="1")
    run.tell(FOX, RIVER)
    assert len(scribe.find_requests("link")) == 1
    assert run.ask("Broad river").text == (
        f"[2 May] Bob: {RIVER}\nNote: About Broad. | Keywords: Broad, river, there | Tags: Broad\n"
        f"[1 May] Ann: {FOX}\nNote: It swims. | Keywords: clever, foxhound, along | Tags: clever"
    )


def test_ablations_ignore_their_action_and_both_save_the_call() -> None:
    both = evolve(
        "strengthen", "update_neighbor", links=[1], tags=["new"],
        neighbors=[{"number": 1, "context": "It swims.", "tags": ["wet"]}],
    )  # fmt: skip
    unlinked, still = trial(Scribe(both), links="off"), trial(Scribe(both), evolution="off")
    neither = trial(Scribe(both), links="off", evolution="off")
    for run in (unlinked, still, neither):
        run.tell(FOX, RIVER)
    assert "It swims." in unlinked.ask("x").text
    assert "Tags: new" not in unlinked.ask("x").text
    assert "It swims." not in still.ask("x").text
    assert "Tags: new" in still.ask("x").text
    assert neither.scribe.find_requests("link") == []
    assert [len(each.scribe.find_requests("link")) for each in (unlinked, still)] == [1, 1]


@pytest.mark.parametrize(("rebuild", "embedded"), [(1, 3), (2, 1), (3, 1), (100, 0)])
def test_evolved_notes_are_embedded_again_after_rebuild_evolutions(rebuild: int, embedded: int) -> None:
    """Three evolutions, each of which gives the first note another context."""

    def update(messages: Sequence[Message]) -> str:
        near = messages[1].content.partition("# Neighbors\n")[2].splitlines()[::4]
        number = next(at for at, line in enumerate(near, start=1) if FOX in line)
        context = f"Version {len(near)}."
        return evolve("update_neighbor", neighbors=[{"number": number, "context": context, "tags": []}])(messages)

    run = trial(Scribe(update), rebuild=str(rebuild))
    run.tell(FOX, RIVER, TEA, "Last lines.")
    again = [text for find_requests in run.embedder.texts for text in find_requests if "Version" in text]
    assert len(again) == embedded


def test_recall_shows_the_best_first_each_once_with_at_most_k_linked() -> None:
    def tie_all(messages: Sequence[Message]) -> str:
        count = len(messages[1].content.partition("# Neighbors\n")[2].splitlines()) // 4
        return evolve("strengthen", links=list(range(1, count + 1)), tags=[])(messages)

    run = trial(Scribe(tie_all), k="2")
    run.tell("Silver moon one.", "Silver moon two.", TEA, RIVER, "Golden sunrise.", FOX)
    found = run.ask("clever foxhound came along")
    assert found.refs[0] == "t5"
    assert len(found.refs) == 4 == len(set(found.refs))
    assert set(found.ranking) == {"t0", "t1", "t2", "t3", "t4", "t5"}
    assert found.ranking[0] == "t5"


def test_recall_shows_the_best_notes_that_fit_the_budget() -> None:
    run = trial()
    run.tell(FOX, RIVER, TEA)
    whole = run.ask("clever foxhound")
    assert not whole.truncated
    for budget in range(count_words(whole.text) + 1):
        found = run.ask("clever foxhound", budget)
        assert count_words(found.text) <= budget
        assert found.truncated == (len(found.refs) < 3)
        assert found.ranking == whole.ranking
    assert run.ask("clever foxhound", 0) == Context("", (), True, whole.ranking)


def test_recall_asks_for_the_keywords_of_a_question_once() -> None:
    run = trial()
    run.tell(FOX, RIVER)
    first = run.ask("Where was the clever foxhound?")
    assert run.ask("Where was the clever foxhound?") == first
    assert run.scribe.find_requests("keywords") == ["Where was the clever foxhound?"]
    assert ("Where, clever, foxhound",) in run.embedder.texts


def test_query_parameter_searches_with_the_question_itself() -> None:
    run = trial(query="question")
    run.tell(FOX)
    run.ask("Where was the clever foxhound?")
    assert run.scribe.find_requests("keywords") == []
    assert ("Where was the clever foxhound?",) in run.embedder.texts


def test_observe_makes_no_note_of_goals_session_ends_and_empty_turns() -> None:
    run = trial()
    for kind in (EventKind.GOAL, EventKind.SESSION_END):
        run.agent.memory.observe(Event("x", kind, "text"))
    run.agent.memory.observe(Event("y", EventKind.TURN, " ", 1, "Ann"))
    assert run.scribe.requests == []
    assert run.ask("clever foxhound") == Context()


def test_recall_in_an_episode_shows_steps_in_order_without_the_current_one(history: Any) -> None:
    run = trial()
    events = history.episode(("open box", "It holds a clever foxhound."), ("go east", "A river."), ("look", "Nothing."))
    history.feed(run.agent.memory, events)
    found = run.agent.memory.recall(history.now(events))
    assert found.refs == ("a1", "o1", "a2", "o2")
    assert found.text.splitlines()[:2] == ["[1] Action: open box", "[1] Observation: It holds a clever foxhound."]
    assert "Nothing." not in found.text
    assert run.scribe.find_requests("keywords") == ["Your task is to: put a mug in the desk.\nNothing."]
    assert run.scribe.find_requests("extract")[0] == "[1] Action: open box [1] Observation: It holds a clever foxhound."


@settings(max_examples=25)
@given(st.lists(st.sampled_from([FOX, RIVER, TEA, "", "x", "Clever river."]), max_size=8), st.integers(0, 40))
def test_recall_is_repeatable_and_within_the_budget(texts: list[str], budget: int) -> None:
    memory = AMem(Kit(OfflineReader(RULES), HashEmbedder(), Frame("f", "A."), params=Params(STRATEGY.params)))
    for at, text in enumerate(texts):
        memory.observe(Event(f"t{at}", EventKind.TURN, text, 1, "Ann", "8 May"))
    query = Query("Where is the river?", "Where is the river?", 0, Shape.CONVERSATION, budget)
    found = memory.recall(query)
    assert memory.recall(query) == found
    assert count_words(found.text) <= budget
    assert set(found.refs) <= set(found.ranking) == {f"t{at}" for at, text in enumerate(texts) if text.strip()}
