"""The novice's acting rule: what it does untaught, and how each kind of lesson changes that."""

from __future__ import annotations

import pytest

from adapters.alfworld.grammar import Grammar, frame_for
from adapters.alfworld.offline.novice import build_rules
from bench.agents import compose, render_experience
from bench.protocols import Params
from bench.types import Shape, Stimulus

RULE = build_rules(Params(()))[0]
ROOM = "You are in the middle of a room. Looking quickly around you, you see a cabinet 2, a cabinet 1, a countertop 1, "
ROOM += "a drawer 1, a fridge 1, a microwave 1, a shelf 1, and a sinkbasin 1."
HOLDING = "[1] Action: take egg 1 from drawer 1\n[1] Observation: You pick up the egg 1 from the drawer 1."
AT_DRAWER = "You pick up the egg 1 from the drawer 1."


def act(task: str, *taught: str, present: str = "", now: str = "", attempts: str = "", frame: str = "bare") -> str:
    """Return the novice's action, with the present and what is taught in its context."""
    context = render_experience(taught, present, attempts=[attempts])
    stimulus = Stimulus(Shape.EPISODE, now, f"{ROOM}\n\nYour task is to: {task}.", 5)
    return RULE.reply(compose(frame_for(Grammar.MOVE, frame), stimulus, context)).removeprefix("Action: ")


def test_untaught_searches_in_the_order_of_the_room() -> None:
    assert act("put a mug in shelf") == "go to cabinet 2"
    seen = "You arrive at cabinet 2. The cabinet 2 is closed."
    assert act("put a mug in shelf", present="[1] Action: go to cabinet 2", now=seen) == "open cabinet 2"
    opened = "[1] Action: go to cabinet 2\n[1] Observation: " + seen + "\n[2] Action: open cabinet 2"
    nothing = "You open the cabinet 2. The cabinet 2 is open. In it, you see nothing."
    assert act("put a mug in shelf", present=opened, now=nothing) == "go to cabinet 1"


@pytest.mark.parametrize(
    ("lesson", "first"),
    [
        ("Mugs are often on shelves.", "go to shelf 1"),
        ("mug: drawer, fridge 7", "go to drawer 1"),
        ("Search countertops first.", "go to countertop 1"),
        ("Check the sink before cabinets.", "go to sinkbasin 1"),
        ("> go to fridge 4\nThe fridge 4 is open. In it, you see a mug 3, a mug 1, and a pan 1.", "go to fridge 1"),
        ("Spoons are in the drawer.", "go to cabinet 2"),
        ("Be careful.", "go to cabinet 2"),
    ],
)
def test_places_are_searched_as_taught(lesson: str, first: str) -> None:
    assert act("put a mug in shelf", lesson) == first


def test_untaught_tries_a_treatment_at_each_place_here_first() -> None:
    task = "heat some egg and put it in shelf"
    present = "[1] Action: take egg 1 from drawer 1"
    opened = f"[0] Observation: The drawer 1 is open. In it, you see a egg 1.\n{present}"
    assert act(task, present=opened, now=AT_DRAWER) == "heat egg 1 with drawer 1"
    failed = f"{opened}\n[1] Observation: {AT_DRAWER}\n[2] Action: heat egg 1 with drawer 1"
    assert act(task, present=failed, now="Nothing happens.") == "go to cabinet 2"


@pytest.mark.parametrize(
    ("lesson", "action"),
    [
        ("Heat things with the microwave.", "go to microwave 1"),
        ("To heat an object, use the fridge.", "go to fridge 1"),
        ("The oven heats things.", "heat egg 1 with drawer 1"),
        ("Cooling is done in the fridge.", "heat egg 1 with drawer 1"),
        ("Do not heat things with the drawer.", "go to cabinet 2"),
        ("> heat cup 2 with microwave 3\nYou heat the cup 2 using the microwave 3.", "go to microwave 1"),
        ("> heat cup 2 with drawer 3\nNothing happens.", "go to cabinet 2"),
    ],
)
def test_tools_are_used_as_taught(lesson: str, action: str) -> None:
    opened = "[0] Observation: The drawer 1 is open. In it, you see a egg 1.\n[1] Action: take egg 1 from drawer 1"
    assert act("heat some egg and put it in shelf", lesson, present=opened, now=AT_DRAWER) == action


def test_wrong_tool_is_given_up_after_one_try() -> None:
    present = f"[1] Action: take egg 1 from drawer 1\n[1] Observation: {AT_DRAWER}\n[2] Action: go to fridge 1\n"
    present += "[2] Observation: You arrive at fridge 1. The fridge 1 is closed.\n[3] Action: heat egg 1 with fridge 1"
    action = act("heat some egg and put it in shelf", "Heat with the fridge.", present=present, now="Nothing happens.")
    assert action == "go to cabinet 2"


SHELF = "[1] Action: go to shelf 1\n[1] Observation: You arrive at shelf 1. On the shelf 1, you see a mug 1."
LAMP = "[2] Action: go to drawer 1\n[2] Observation: You arrive at drawer 1. On the drawer 1, you see a desklamp 1."
LOOK = "look at mug under the desklamp"


def test_untaught_reads_a_task_to_look_at_something_literally() -> None:
    at_shelf = SHELF.partition("Observation: ")[2]
    assert act(LOOK, present="[1] Action: go to shelf 1", now=at_shelf) == "examine mug 1"
    present = f"{SHELF}\n{LAMP}\n[3] Action: examine mug 1"
    assert act(LOOK, present=present, now="There is nothing special.") == "use desklamp 1"
    used = present + "\n[3] Observation: Well.\n[4] Action: use desklamp 1"
    assert act(LOOK, present=used, now="You turn on the desklamp 1.") == "go to shelf 1"
    held = used + "\n[4] Observation: You turn on the desklamp 1.\n[5] Action: take mug 1 from shelf 1"
    assert act(LOOK, present=held, now="You pick up the mug 1 from the shelf 1.") == "go to drawer 1"


@pytest.mark.parametrize(
    ("lesson", "action"),
    [
        ("To examine a thing with a lamp, hold the thing and use the lamp.", "take mug 1 from shelf 1"),
        ("To look at a thing under a lamp, switch on the lamp.", "go to drawer 1"),
        ("To heat a thing, use the microwave.", "examine mug 1"),
    ],
)
def test_recipe_of_the_task_is_followed(lesson: str, action: str) -> None:
    present = f"{LAMP.replace('[2]', '[1]')}\n[2] Action: go to shelf 1"
    assert act(LOOK, lesson, present=present, now=SHELF.partition("Observation: ")[2]) == action


def test_full_frame_teaches_what_the_bare_one_leaves_out() -> None:
    task = "heat some egg and put it in shelf"
    opened = "[0] Observation: The drawer 1 is open. In it, you see a egg 1.\n[1] Action: take egg 1 from drawer 1"
    assert act(task, present=opened, now=AT_DRAWER, frame="full") == "go to microwave 1"
    assert act(task, present=opened, now=AT_DRAWER) == "heat egg 1 with drawer 1"


def test_names_hold_in_earlier_attempts_at_the_same_task_only() -> None:
    reflection = "The mug was in drawer 1. There was no mug in cabinet 2."
    assert act("put a mug in shelf", attempts=reflection) == "go to drawer 1"
    told = "There was no mug in cabinet 2."
    assert act("put a mug in shelf", attempts=told) == "go to cabinet 1"
    assert act("put a mug in shelf", told) == "go to cabinet 2"
    attempt = "[1] Action: go to fridge 1\n[1] Observation: The fridge 1 is open. In it, you see a mug 1."
    assert act("put a mug in shelf", attempts=attempt) == "go to fridge 1"


def test_taught_places_are_not_believed_to_be_those_of_this_room() -> None:
    lesson = "[1] Action: go to shelf 1\n[1] Observation: You arrive at shelf 1. On the shelf 1, you see a mug 1."
    assert act("put a mug in drawer", lesson) == "go to shelf 1"
    assert act("put a mug in drawer", lesson, present="[1] Action: look", now="Nothing happens.") == "go to shelf 1"


def test_unknown_task_gets_look() -> None:
    assert act("sing") == "look"
