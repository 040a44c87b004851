"""Attempts as general sentences: what is lifted, what is left out, what differs by its place alone."""

from __future__ import annotations

import pytest

from baselines.shared.lifting import leave_out_place, list_done, list_refused, list_sentences, name_subject

OPENING = "You are in a workshop. You see a bench 1, a kiln 1.\n\nYour task is to: put a glazed bowl on the shelf."


def attempt(*steps: tuple[str, str]) -> str:
    return "\n".join(
        f"[{i}] Action: {action}\n[{i}] Observation: {answer}" for i, (action, answer) in enumerate(steps, start=1)
    )


SOLVED = attempt(
    ("go to bench 2", "You see a bowl 1."),
    ("take bowl 1 from bench 2", "You take the bowl 1."),
    ("go to kiln 1", "The kiln 1 is closed."),
    ("open kiln 1", "You open the kiln 1."),
    ("glaze bowl 1 with kiln 1", "You glaze the bowl 1."),
    ("go to shelf 3", "On it you see nothing."),
    ("put bowl 1 on the shelf 3", "You put it there."),
)


def test_deeds_become_advice_and_the_last_comes_first() -> None:
    assert list_sentences(OPENING, SOLVED) == [
        "To put a thing, take it to the place that the task names and put it there.",
        "To glaze a thing, take it to a kiln and glaze it there.",
        "To open a kiln, with a thing in hand, go to it and open it.",
        "To take a bowl, go to a bench and take it there.",
    ]


@pytest.mark.parametrize(
    "steps",
    [
        [("look", "A room.")],
        [("go to kiln 1", "The kiln 1 is closed.")],
        [("examine bowl 1", "A bowl.")],
        [("glaze bowl 1 with kiln 1", "Nothing happens.")],
        [("stack b1", "It is stacked.")],
        [("", "")],
    ],
)
def test_looking_moving_refused_and_placeless_actions_teach_nothing(steps: list[tuple[str, str]]) -> None:
    assert list_sentences(OPENING, attempt(*steps)) == []


def test_place_is_where_the_agent_went_if_the_action_names_none() -> None:
    steps = attempt(("go to the old desk 2", "A lamp."), ("use lamp 1", "It burns."))
    assert list_sentences(OPENING, steps) == ["To use a lamp, go to an old desk and use it there."]
    moved = attempt(("move from rooma to roomb", "Done."), ("pick up ball1 at roomb with arm left", "Done."))
    assert list_sentences(OPENING, moved) == ["To pick up a ball, go to a roomb and pick up it there."]


def test_thing_that_was_put_down_is_no_longer_in_hand() -> None:
    steps = attempt(
        ("take cup 1 from bench 1", "Taken."), ("put cup 1 on bench 1", "Put."), ("fill cup 1 from tap 1", "Filled.")
    )
    assert list_sentences(OPENING, steps)[0] == "To fill a cup, go to a tap and fill it there."


def test_refused_actions_and_the_others_are_listed_once_without_numbers() -> None:
    steps = attempt(("glaze cup 1", "Nothing happens."), ("glaze cup 2", "Nothing happens."), ("go to kiln 1", "Hot."))
    assert list_refused(steps) == ["glaze cup"]
    assert list_done(steps) == ["go to kiln"]


def test_words_that_end_like_an_article_stay_whole() -> None:
    steps = attempt(("clean pan 1 with the kiln 1", "Nothing happens."), ("put a pan 2 in box 1", "Nothing happens."))
    assert list_refused(steps) == ["clean pan with kiln", "put pan in box"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("To open a box, go to a hall and open it there.", "To open a box, go to where there is one and open it."),
        ("To open a box, go to it and open it.", "To open a box, go to where there is one and open it."),
        ("To take a box, go to a hall and take it there.", ""),
        ("To heat a thing, take it to an oven and heat it there.", ""),
        ("Look before you leap.", ""),
    ],
)
def test_place_is_left_out_where_it_makes_no_difference(sentence: str, expected: str) -> None:
    assert leave_out_place(sentence) == expected


def test_subject_is_what_comes_before_the_advice() -> None:
    assert name_subject("To heat a thing, take it to an oven and heat it there.") == "Heat a thing"
