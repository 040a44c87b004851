"""The feedback call and the augmentation call: what is shown, how replies are read, and what of them is refused."""

from __future__ import annotations

import json

import pytest

from baselines.horma.refine.calls import Feedback, ask_feedback, augment
from baselines.horma.refine.changes import Cause, Origin, Reader, Rejection
from baselines.horma.refine.contrast import choose_whole, find_contrasts
from baselines.horma.refine.skill_list import SkillList
from tests.baselines.horma.refine.played import make_episode, make_learner_kit
from tests.baselines.learners import Script

SAID = (Feedback(Cause(Origin.EXO, "t1"), "Dates were lost."), Feedback(Cause(Origin.END, "t2"), "Short lines helped."))
(CONTRAST,) = find_contrasts(choose_whole([make_episode("t1", won=True)]), [make_episode("t1", won=False)], {"t1"})


def say(*operations: object) -> str:
    return json.dumps({"operations": operations})


def run(*replies: str, skills: SkillList | None = None) -> tuple[SkillList, Script]:
    skills = skills or SkillList(9)
    script = Script({"horma/augment": list(replies)})
    augment(skills, SAID, make_learner_kit(script))
    return skills, script


def test_feedback_is_one_line_with_its_cause() -> None:
    script = Script({"horma/feedback": "For the manager:\n  note places. "})
    said = ask_feedback(CONTRAST, make_learner_kit(script))
    assert said == Feedback(Cause(Origin.EXO, "t1"), "For the manager: note places.")
    assert script.requests()[0].startswith("# Task\n")


@pytest.mark.parametrize("reply", ["", "  \n", "<think>well"])
def test_feedback_without_a_text_is_none(reply: str) -> None:
    assert ask_feedback(CONTRAST, make_learner_kit(Script({"horma/feedback": reply}))) is None


def test_feedback_that_is_too_long_is_asked_for_again_and_ends_with_a_sentence() -> None:
    script = Script({"horma/feedback": "Note the places. " * 200})
    said = ask_feedback(CONTRAST, make_learner_kit(script))
    assert said is not None
    assert script.calls == {"horma/feedback": 2}
    assert said.text.endswith("places. …")
    assert len(said.text) < 1200


def test_augmentation_is_shown_the_skills_and_all_feedback_with_its_kind() -> None:
    skills, script = run(say({"op": "add", "for": "organise", "text": "Record dates.", "from": [1]}))
    assert script.requests() == [
        "# Skills so far\n(none)\n\n# Feedback\n[1] exo: Dates were lost.\n[2] end: Short lines helped."
    ]
    assert [(one.text, one.tasks) for one in skills.skills] == [("Record dates.", ("t1",))]
    _, script = run(say(), skills=skills)
    assert "# Skills so far\n#1 organise: Record dates. (exo, 1 task, round 1)\n" in script.requests()[0]


def test_full_list_is_said_to_be_full() -> None:
    skills, _ = run(say({"op": "add", "text": "Record dates."}), skills=SkillList(1))
    _, script = run(say(), skills=skills)
    assert script.asked[0][1][0].content.endswith(
        "The list is full with 1 skills: nothing can be added without removing something."
    )
    _, script = run(say())
    assert "is full" not in script.asked[0][1][0].content


@pytest.mark.parametrize(
    "reply",
    [
        '{"operations": [{"op": "add", "for": "navigate", "text": "Grep names.", "from": [2]}]}',
        '[{"op": "ADD", "for": "Navigator", "text": "Grep names.", "from": "[2]"}]',
        '{"op": "add", "for": "navigate", "text": "Grep names.", "from": 2}',
        'Here:\n```json\n[{"op": "add", "for": "navigator", "text": "Grep names.", "from": ["#2"],},]\n```',
        "<think>[1]?</think>{'operations': [{'op': 'add', 'for': 'navigate', 'text': 'Grep names.', 'from': [2]}]}",
    ],
)
def test_operations_are_read_in_every_usual_form(reply: str) -> None:
    skills, script = run(reply)
    (one,) = skills.skills
    assert (one.text, one.reader, one.origins, one.tasks) == ("Grep names.", Reader.NAVIGATE, (Origin.END,), ("t2",))
    assert script.calls == {"horma/augment": 1}


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ({"op": "burn", "id": 1}, Rejection.NOT_AN_OPERATION),
        ({"op": "edit", "text": "x y"}, Rejection.NOT_AN_OPERATION),
        ({"op": "remove", "id": "the first"}, Rejection.NOT_AN_OPERATION),
        ({"op": "add", "for": "everybody", "text": "Record dates."}, Rejection.NOT_AN_OPERATION),
        ({"op": "add", "text": ["a", "b"]}, Rejection.NOT_AN_OPERATION),
        ("add", Rejection.NOT_AN_OPERATION),
        ({"op": "add"}, Rejection.EMPTY_TEXT),
        ({"op": "delete", "id": 5}, Rejection.UNKNOWN_ID),
    ],
)
def test_entry_that_is_no_operation_is_counted_and_the_others_are_applied(operation: object, reason: Rejection) -> None:
    skills, _ = run(say(operation, {"op": "add", "text": "Record hours.", "from": [1, "x", 9]}))
    assert [one.text for one in skills.skills] == ["Record hours."]
    assert skills.rejected == {reason: 1, Rejection.UNKNOWN_FEEDBACK: 2}


def test_reply_without_json_is_asked_for_once_more() -> None:
    skills, script = run("I would add dates.", say({"op": "add", "text": "Record dates."}))
    assert [one.text for one in skills.skills] == ["Record dates."]
    assert len(script.asked) == 2
    assert "That reply cannot be used" in script.requests()[1]


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ("Add these:\n- Record dates.\n2. Keep names.", ["Record dates.", "Keep names."]),
        ("Record dates.", ["Record dates."]),
        ("Dates matter.\nSo do names.", []),
        ('{"operations": [', []),
        ("", []),
    ],
)
def test_second_reply_without_json_counts_as_a_list_of_skills_or_as_nothing(reply: str, texts: list[str]) -> None:
    skills, _ = run(reply, reply)
    assert [one.text for one in skills.skills] == texts
    assert skills.rejected[Rejection.NO_JSON] == 1
    assert {one.reader for one in skills.skills} <= {Reader.ORGANISE}


def test_empty_list_of_operations_changes_nothing() -> None:
    skills, script = run(say())
    assert (skills.skills, len(script.asked), +skills.rejected) == ((), 1, {})
