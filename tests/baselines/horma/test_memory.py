"""The memory: when the manager is called, what a search leads to, and that recall changes nothing."""

from __future__ import annotations

import pytest

from baselines.horma.memory import HormaMemory
from bench.types import Context, Event, EventKind, Query, Shape
from tests.baselines.horma.managing import Script, list_steps, list_talk, make_kit

FILED = "append entities/ann.md\n- Ann moved to Oslo [D1:1]"


def feed(script: Script, events: list[Event], budget: int | None = None, **given: str) -> HormaMemory:
    memory = HormaMemory(make_kit(script, budget, **given))
    for event in events:
        memory.observe(event)
    return memory


def ask(text: str, budget: int | None = None) -> Query:
    return Query(text, text, 1, Shape.CONVERSATION, budget)


def look(events: list[Event], budget: int | None = None) -> Query:
    return Query(events[-1].text, events[0].text, events[-1].step + 1, Shape.EPISODE, budget, events[-1].ref)


def test_manager_files_each_session_when_it_ends() -> None:
    script = Script()
    feed(script, list_talk()[:-1])
    assert len(script.prompts["organise"]) == 1
    script = Script()
    feed(script, list_talk())
    assert ["D2:1" in prompt[1].content for prompt in script.prompts["organise"]] == [False, True]


def test_manager_files_each_step_and_knows_the_task() -> None:
    script = Script()
    feed(script, [Event("o0", EventKind.OBSERVATION, "It is dark."), *list_steps("one", "two")])
    assert len(script.prompts["organise"]) == 2
    request = script.prompts["organise"][0][1].content
    assert request.startswith("# Task\nA room.\n\nYour task is to: put a mug in the desk.\n\n# Files\n")
    assert request.endswith(
        "# New turns\n(step 0)\n[o0] Observation: It is dark.\n(step 1)\n[a1] Action: act 1\n[o1] Observation: one"
    )


@pytest.mark.parametrize(("every", "calls"), [("1", 5), ("2", 2), ("5", 1), ("6", 0)])
def test_every_is_the_number_of_steps_between_calls(every: str, calls: int) -> None:
    script = Script()
    feed(script, list_steps(*"abcde"), every=every)
    assert len(script.prompts.get("organise", [])) == calls


def test_recall_shows_what_was_selected_in_time_order_and_ranks_it_as_selected() -> None:
    script = Script([FILED], ["select D2:1\nselect entities/ann.md#1\ndone"])
    context = feed(script, list_talk()).recall(ask("Who moved?"))
    assert context == Context(
        "[note on the talk of 8 May, 2023] Ann moved to Oslo\n[2 June, 2023] Bob: I broke my arm at the climbing hall.",
        ("D1:1", "D2:1"),
        ranking=("D2:1", "D1:1"),
    )


def test_reach_holds_raw_turns_that_no_note_cites() -> None:
    memory = feed(Script([FILED]), list_talk())
    cited = {ref for note in memory.workspace.notes for ref in note.sources}
    assert cited == {"D1:1"}
    assert memory.reach() == set(memory.workspace.raw.refs) > cited


def test_recall_searches_once_for_each_query_and_state() -> None:
    script = Script()
    memory = feed(script, list_talk())
    for text in ("a", "b", "a", "a"):
        assert memory.recall(ask(text)) == Context()
    assert len(script.prompts["navigate"]) == 2
    memory.observe(Event("D3:1", EventKind.TURN, "Hi", 3, "Ann"))
    memory.recall(ask("a"))
    assert len(script.prompts["navigate"]) == 3


def test_recall_does_not_show_the_current_observation() -> None:
    events = list_steps("a mug 1 is on the shelf 1", "a mug 2 is on the desk 1")
    script = Script(
        ["append entities/mugs.md\n- old [o1]", "append entities/mugs.md\n- take mug 2 next [o2]"],
        ["select a1-o2, entities/mugs.md\ndone"],
    )
    context = feed(script, events).recall(look(events))
    assert context.refs == ("a1", "o1", "a2")
    assert context.text.splitlines() == [
        "[1] Action: act 1",
        "[1] Observation: a mug 1 is on the shelf 1",
        "[note on step 1] Mugs: old",
        "[2] Action: act 2",
        "[note on step 2] Mugs: take mug 2 next",
    ]


def test_recall_keeps_to_the_budget_of_the_run_or_its_own() -> None:
    script = Script(navigate=["select D1:1-D2:2\ndone"])
    memory = feed(script, list_talk(), tokens="12")
    short = memory.recall(ask("?"))
    assert len(short.text.split()) <= 12
    assert short.truncated
    assert set(short.refs) < set(short.ranking)
    assert len(memory.recall(ask("?", 1000)).refs) == 5
    assert memory.recall(ask("?", 0)) == Context()


def test_room_of_its_own_depends_on_the_shape() -> None:
    script = Script()
    memory = feed(script, list_talk())
    memory.recall(ask("?"))
    assert "Room for what you select: 10000 tokens." in script.prompts["navigate"][-1][1].content
    events = list_steps("one", "two")
    memory = feed(script, events)
    memory.recall(look(events))
    assert "Room for what you select: 2200 tokens." in script.prompts["navigate"][-1][1].content


def test_empty_memory_is_not_searched() -> None:
    script = Script()
    memory = feed(script, [])
    assert memory.recall(ask("?")) == Context()
    events = [Event("goal", EventKind.GOAL, "Go."), Event("o0", EventKind.OBSERVATION, "Dark.")]
    memory = feed(script, events)
    assert memory.recall(look(events)) == Context()
    assert "navigate" not in script.prompts


def test_the_first_step_is_not_searched_and_shows_its_action() -> None:
    script, events = Script(), list_steps("one")
    memory = feed(script, events)
    assert memory.recall(look(events)) == Context("[1] Action: act 1", ("a1",), ranking=("a1",))
    assert memory.recall(look(events, 1)) == Context("", (), True, ("a1",))
    assert "navigate" not in script.prompts
    events = list_steps("one", "two")
    memory = feed(script, events)
    memory.recall(look(events))
    opening = script.prompts["navigate"][0][1].content
    assert opening.startswith("# Task\nYour task is to: put a mug in the desk.\n\n# Current observation, o2\ntwo\n\n#")


def test_an_observation_that_was_not_observed_is_part_of_the_query() -> None:
    script, events = Script(), list_steps("one", "two")
    memory = feed(script, events)
    memory.recall(Query("a surprise", events[0].text, 3, Shape.EPISODE, None, "o9"))
    assert (
        "Your task is to: put a mug in the desk.\na surprise\n\n# Workspace" in script.prompts["navigate"][0][1].content
    )


@pytest.mark.parametrize("navigator", ["grep", "random"])
def test_rows_to_compare_with_make_no_call(navigator: str) -> None:
    script = Script([FILED])
    memory = feed(script, list_talk(), navigator=navigator)
    first = memory.recall(ask("Who moved to Oslo?"))
    assert "navigate" not in script.prompts
    assert memory.recall(ask("Who moved to Oslo?")) == first
    assert feed(Script([FILED]), list_talk(), navigator=navigator).recall(ask("Who moved to Oslo?")) == first


def test_files_hold_every_turn_and_note() -> None:
    files = dict(feed(Script([FILED]), list_talk()).files())
    assert sum(path.startswith("raw_logs/") for path in files) == 5
    assert "- Ann moved to Oslo [D1:1]" in files["entities/ann.md"]
