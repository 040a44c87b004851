"""The offline model's replies to ACE: lessons and tags from what was done and refused, and small deltas."""

from __future__ import annotations

import json
from typing import Any

from baselines.ace.offline import CurateRule, ReflectRule
from bench.types import Message

STEPS = (
    "[1] Action: take bowl 1 from shelf 2\n[1] Observation: You take it.\n"
    "[2] Action: glaze bowl 1 with kiln 1\n[2] Observation: Glazed.\n"
    "[3] Action: hop it\n[3] Observation: Invalid."
)
GLAZE = "To glaze a thing, take it to a kiln and glaze it there."
TAKE = "To take a bowl, go to a shelf and take it there."
HOP = '"hop it" had no effect.'


def ask(rule: ReflectRule | CurateRule, request: str) -> dict[str, Any]:
    reply = rule.reply((Message("system", rule.header), Message("user", request)))
    found: dict[str, Any] = json.loads(reply)
    return found


def show(*bullets: str, counts: str = "helpful 0, harmful 0") -> str:
    lines = "\n".join(f"#{number} {text} ({counts})" for number, text in enumerate(bullets, start=1))
    return f"# Playbook so far\n{lines or '(empty)'}\n\n# Task\nYour task is to: put a glazed bowl in a box.\n\n"


def reflect(*bullets: str, solved: bool = True) -> dict[str, Any]:
    outcome = "solved" if solved else "did not solve"
    return ask(ReflectRule(), f"{show(*bullets)}# Attempt\n{STEPS}\n\n# Outcome\nThe attempt {outcome} the task.")


def curate(*lessons: str, playbook: str) -> list[dict[str, Any]]:
    numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(lessons, start=1))
    found = ask(CurateRule(), f"{playbook}# Analysis\nHm.\n\n# Lessons\n{numbered}")
    operations: list[dict[str, Any]] = found["operations"]
    return operations


def test_solved_attempt_teaches_what_it_did_and_another_what_was_refused() -> None:
    assert reflect()["lessons"] == [GLAZE, TAKE]
    assert reflect(solved=False)["lessons"] == [HOP]


def test_what_the_playbook_says_already_is_no_lesson_and_is_helpful() -> None:
    found = reflect(GLAZE, "Sing.")
    assert found["lessons"] == [TAKE]
    assert found["tags"] == [{"id": 1, "tag": "helpful"}]
    assert reflect(HOP, solved=False)["tags"] == [{"id": 1, "tag": "helpful"}]


def test_bullet_without_a_place_is_confirmed_by_what_was_done_at_one() -> None:
    found = reflect("To glaze a thing, take it to where there is one and glaze it.", TAKE)
    assert TAKE not in found["lessons"]
    assert {"id": 2, "tag": "helpful"} in found["tags"]


def test_refused_action_that_worked_now_makes_its_bullet_harmful() -> None:
    assert reflect('"glaze bowl with kiln" had no effect.')["tags"] == [{"id": 1, "tag": "harmful"}]


def test_curator_adds_each_lesson_to_its_section() -> None:
    assert curate(GLAZE, HOP, playbook=show()) == [
        {"op": "add", "section": "strategies", "text": GLAZE},
        {"op": "add", "section": "mistakes", "text": HOP},
    ]


def test_second_place_of_one_deed_makes_the_bullet_wider_once() -> None:
    first = "To open a box, go to a bench and open it there."
    others = [first.replace("bench", place) for place in ("shelf", "kiln")]
    wide = "To open a box, go to where there is one and open it."
    assert curate(*others, playbook=show(first)) == [{"op": "update", "id": 1, "text": wide}]


def test_second_thing_that_was_refused_at_a_place_makes_the_bullet_wider() -> None:
    first = '"glaze bowl with oven" had no effect.'
    wide = '"glaze a thing with oven" had no effect.'
    assert curate(first.replace("bowl", "cup"), playbook=show(first)) == [{"op": "update", "id": 1, "text": wide}]


def test_wide_bullet_is_harmful_if_one_thing_was_treated_there_and_no_lesson_says_it_again() -> None:
    wide = '"glaze a thing with kiln" had no effect.'
    steps = STEPS.replace("hop it", "glaze cup 1 with kiln 1")
    request = f"{show(wide)}# Attempt\n{steps}\n\n# Outcome\nThe attempt did not solve the task."
    found = ask(ReflectRule(), request)
    assert found["tags"] == [{"id": 1, "tag": "harmful"}]
    assert found["lessons"] == []


def test_bullet_that_was_harmful_more_often_than_helpful_is_removed_first_and_four_changes_are_the_most() -> None:
    wrong = show("Sing.", counts="helpful 1, harmful 2")
    lessons = [f'"hop {word}" had no effect.' for word in "abcd"]
    operations = curate(*lessons, playbook=wrong)
    assert operations[0] == {"op": "remove", "id": 1}
    assert [one["op"] for one in operations[1:]] == ["add"] * 3
    assert curate(playbook=show("Sing.", counts="helpful 2, harmful 2")) == []
