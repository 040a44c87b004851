"""Steps read by plain rules: stretches end where something was done to what the task speaks of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.shared.plain_steps import (
    PlainStep,
    find_things,
    generalise,
    lift,
    read_steps,
    replace_things,
    split_steps,
    state_task,
)

TEXT = """[0] Observation: You stand in a hall.
[1] Action: go to shelf 1
[1] Observation: You see a mug 1.
It is red.
[2] Action: take mug 1 from shelf 1
[2] Observation: Nothing happens.
[3] Action: take mug 1 from shelf 1
[3] Observation: You take it.
[4] Action: go to oven 2
[4] Observation: An oven 2.
[5] Action: heat mug 1 with oven 2
[5] Observation: It is hot."""
TASK = "You are in a hall.\n\nYour task is to: heat a mug."


def test_steps_are_read_with_what_came_of_them() -> None:
    steps = read_steps(TEXT)
    assert [step.number for step in steps] == [1, 2, 3, 4, 5]
    assert steps[0] == PlainStep(1, "go to shelf 1", "You see a mug 1.")
    assert [step.took_effect for step in steps] == [True, False, True, True, True]


def test_action_without_an_answer_took_no_effect() -> None:
    assert not read_steps("[1] Action: look")[0].took_effect


def test_stretches_end_with_what_is_done_to_things_of_the_task() -> None:
    assert split_steps(TASK, read_steps(TEXT)) == [2, 4]


def test_verb_of_moving_about_ends_no_stretch() -> None:
    steps = read_steps(TEXT)
    assert split_steps("Your task is to: put a mug on the shelf.", steps) == [2, 4]


def test_refused_action_ends_no_stretch() -> None:
    steps = [PlainStep(1, "take mug 1", "Nothing happens."), PlainStep(2, "wait", "Time passes.")]
    assert split_steps(TASK, steps) == [1]


def test_what_comes_behind_the_last_telling_action_is_a_stretch_of_its_own() -> None:
    assert split_steps(TASK, [*read_steps(TEXT), PlainStep(6, "go to door 1", "A door.")]) == [2, 4, 5]


@given(st.lists(st.tuples(st.sampled_from(["take mug 1", "go to shelf 1", "heat mug 1"]), st.booleans())))
def test_stretches_cover_all_steps_in_order(actions: list[tuple[str, bool]]) -> None:
    steps = [PlainStep(n, text, "Done." if good else "Nothing happens.") for n, (text, good) in enumerate(actions, 1)]
    ends = split_steps(TASK, steps)
    assert ends == sorted(set(ends))
    assert (ends[-1] if ends else -1) == len(steps) - 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [("take mug 1 from shelf 12", "take mug from shelf"), ("grasp left shot1", "grasp left shot"), ("look", "look")],
)
def test_lifting_takes_the_numbers_out(text: str, expected: str) -> None:
    assert lift(text) == expected


def test_things_are_the_words_behind_the_verb_without_endings() -> None:
    assert find_things("put two pencils on the shelf") == {"pencil", "shelf"}


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("A room.\n\nYour task is to: heat a mug.", "heat a mug."),
        ("Goal: the ball is\nin room b", "the ball is in room b"),
        ("bring it here", "bring it here"),
    ],
)
def test_task_is_what_stands_behind_its_name(text: str, stated: str) -> None:
    assert state_task(text) == stated


@pytest.mark.parametrize(("form", "thing", "place"), [("{}", "thing", "place"), ("{{{}}}", "{thing}", "{place}")])
def test_what_the_task_names_and_where_things_were_are_left_open(form: str, thing: str, place: str) -> None:
    aim, actions = generalise(
        "A hall.\n\nYour task is to: heat some mugs and put them on a shelf.",
        ["take mugs 1 from drawer 2", "heat mugs 1 with oven 1", "put mugs 1 on shelf 3"],
        form,
    )
    assert aim == f"heat some {thing} and put them on a {place}"
    assert actions == (
        f"take {thing} from {form.format('somewhere')}",
        f"heat {thing} with oven",
        f"put {thing} on {place}",
    )


def test_words_by_which_two_tasks_differ_are_put_in() -> None:
    assert replace_things("take mug from shelf", "heat a mug", "heat a plate") == "take plate from shelf"
    assert replace_things("take mug", "heat a mug", "bring the blue plate here") == "take mug"
