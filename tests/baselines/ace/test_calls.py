"""ACE's two calls: what reflector and curator are shown, and what is read of their replies, in each of their forms."""

from __future__ import annotations

import json
from typing import Any

import pytest

from baselines.ace.calls import Reflection, curate, reflect
from baselines.ace.playbook import Operation, Playbook, Tag
from baselines.ace.strategy import STRATEGY
from baselines.shared.json_calls import JsonCalls
from bench.embedders.hash import HashEmbedder
from bench.types import Trial
from tests.baselines.learners import Script, make_kit, make_trial

WON = make_trial("t1", "Bring the map.", ("take map", "Taken."), won=True)
LOST = make_trial("t1", "Bring the map.", ("look", "A hall."), won=False)
FOUND = Reflection("It looked.", ("Look first.", "Take maps."), ())


def make_playbook() -> Playbook:
    playbook = Playbook(HashEmbedder(), 9, 0.95)
    playbook.apply([Operation("add", section="facts", text="Maps are in halls.")], "t0")
    return playbook


def run_reflect(reply: object, trial: Trial = WON) -> tuple[Reflection, Playbook, JsonCalls, Script]:
    script, playbook = Script([reply if isinstance(reply, str) else json.dumps(reply)]), make_playbook()
    kit = make_kit(STRATEGY, script)
    calls = JsonCalls(kit)
    return reflect(kit, calls, playbook, trial), playbook, calls, script


def run_curate(reply: object) -> tuple[list[Operation], Playbook, Script]:
    script, playbook = Script([reply if isinstance(reply, str) else json.dumps(reply)]), make_playbook()
    return list(curate(JsonCalls(make_kit(STRATEGY, script)), playbook, WON, FOUND)), playbook, script


@pytest.mark.parametrize(("trial", "said"), [(WON, "solved the task."), (LOST, "did not solve the task.")])
def test_reflector_sees_playbook_task_attempt_and_how_it_ended(trial: Trial, said: str) -> None:
    *_, script = run_reflect({"lessons": []}, trial)
    ((role, messages),) = script.asked
    assert role == "reflect"
    assert messages[0].content.startswith("You look back at one attempt at a task")
    shown = messages[1].content
    assert shown.startswith("# Playbook so far\nfacts:\n#1 Maps are in halls. (helpful 0, harmful 0)\n\n# Task\nBring")
    assert f"\n\n# Attempt\n[1] Action: {trial.steps[0].decision.text}\n" in shown
    assert shown.endswith(f"\n\n# Outcome\nThe attempt {said}")


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([{"id": 1, "tag": "helpful"}, {"id": "#1", "tag": "Harmful"}], (Tag(1, True), Tag(1, False))),
        ([{"id": 1, "tag": "neutral"}], ()),
        ([], ()),
        (None, ()),
    ],
)
def test_tags_are_read_and_neutral_ones_say_nothing(tags: Any, expected: tuple[Tag, ...]) -> None:
    found, playbook, *_ = run_reflect({"analysis": "Took it.", "lessons": "Take maps.", "tags": tags})
    assert found == Reflection("Took it.", ("Take maps.",), expected)
    assert not playbook.rejected


def test_tag_that_is_none_is_counted_and_the_others_hold() -> None:
    tags = [{"id": 1, "tag": "great"}, {"tag": "helpful"}, "1: helpful", {"id": 1, "tag": "harmful"}]
    found, playbook, *_ = run_reflect({"lessons": [], "tags": tags})
    assert found == Reflection("", (), (Tag(1, False),))
    assert playbook.rejected == {"not a tag": 3}


def test_field_that_is_missing_says_nothing() -> None:
    found, *_, script = run_reflect({"analysis": "Took it."})
    assert found == Reflection("Took it.", (), ())
    assert len(script.asked) == 1


def test_more_than_three_lessons_are_cut_and_each_is_one_line() -> None:
    found, *_ = run_reflect({"lessons": ["A\nb.", "C.", "D.", "E."]})
    assert found.lessons == ("A b.", "C.", "D.")


@pytest.mark.parametrize(
    ("reply", "lessons"),
    [
        ("**Lesson:** Look\nfirst.", ("**Lesson:** Look first.",)),
        ("<think>Hm.</think>", ()),
        ({"insight": "Look."}, ('{"insight": "Look."}',)),
        ({"lessons": [{"text": "Look."}]}, ('{"lessons": [{"text": "Look."}]}',)),
    ],
)
def test_reflection_that_cannot_be_read_twice_is_one_lesson_as_it_stands(
    reply: object, lessons: tuple[str, ...]
) -> None:
    found, _, calls, script = run_reflect(reply)
    assert found == Reflection("", lessons, ())
    assert len(script.asked) == 2
    assert calls.counts == {"reflect: asked again": 1, "reflect: given up": 1}


def test_curator_sees_playbook_task_analysis_and_numbered_lessons_but_no_steps() -> None:
    *_, script = run_curate({"operations": []})
    ((role, messages),) = script.asked
    assert role == "update"
    assert messages[0].content.startswith("You keep a playbook")
    assert messages[1].content == (
        "# Playbook so far\nfacts:\n#1 Maps are in halls. (helpful 0, harmful 0)\n\n# Task\nBring the map.\n\n"
        "# Analysis\nIt looked.\n\n# Lessons\n1. Look first.\n2. Take maps."
    )


ADD = {"op": "add", "section": "Mistakes ", "text": "Do not\njump."}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"operations": [ADD]}, [Operation("add", 0, "mistakes", "Do not jump.")]),
        ([ADD], [Operation("add", 0, "mistakes", "Do not jump.")]),
        (ADD, [Operation("add", 0, "mistakes", "Do not jump.")]),
        ({"operations": [{"op": "ADD", "text": "Jump."}]}, [Operation("add", 0, "others", "Jump.")]),
        ('{"operations": [{"op": "update", "id": #1, "text": "A."}]}', [Operation("update", 1, text="A.")]),
        ({"operations": [{"op": "remove", "id": "1", "text": "B"}]}, [Operation("remove", 1)]),
    ],
)
def test_operations_are_read_in_each_of_their_forms(reply: object, expected: list[Operation]) -> None:
    operations, playbook, script = run_curate(reply)
    assert operations == expected
    assert not playbook.rejected
    assert len(script.asked) == 1


def test_entry_that_is_no_operation_is_counted() -> None:
    operations, playbook, _ = run_curate({"operations": [{"op": "merge"}, {"op": "update", "text": "A."}, ADD]})
    assert len(operations) == 1
    assert playbook.rejected == {"not an operation": 2}


def test_lessons_are_added_as_they_are_where_the_curator_cannot_be_read_twice() -> None:
    operations, _, script = run_curate("The playbook is fine.")
    assert operations == [Operation("add", section="others", text=text) for text in FOUND.lessons]
    assert len(script.asked) == 2
