"""Progress counts goal conditions and is below 1 without a win."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.alfworld.progress import TASK_TYPES, Goal, compute_progress, find_treated, read_goal
from adapters.alfworld.world import Fact, World
from bench.errors import DataError

KINDS = (("objecttype", "mug 1", "mugtype"), ("objecttype", "mug 2", "mugtype"), ("objecttype", "pen 1", "pentype"))
PLACES = (("receptacletype", "shelf 1", "shelftype"), ("receptacletype", "shelf 2", "shelftype"))
LAMP = (
    ("objecttype", "desklamp 1", "desklamptype"),
    ("inreceptacle", "desklamp 1", "desk 1"),
    ("receptacleatlocation", "desk 1", "loc 3"),
)


def at(*facts: tuple[str, ...], won: bool = False) -> World:
    every = (*KINDS, *PLACES, *facts)
    return World("", won, won, frozenset(Fact(name, tuple(args)) for name, *args in every))


def value(kind: str, *facts: tuple[str, ...], target: str = "shelf") -> float:
    return compute_progress(Goal(kind, "mug", target), at(*facts))


def test_pick_counts_only_things_of_the_goal() -> None:
    assert value("pick_and_place_simple") == 0
    assert value("pick_and_place_simple", ("holds", "agent1", "pen 1")) == 0
    assert value("pick_and_place_simple", ("holds", "agent1", "mug 2")) == 0.5


@pytest.mark.parametrize(("kind", "fact"), [("clean", "isclean"), ("heat", "ishot"), ("cool", "iscool")])
def test_treatment_counts_only_its_own_kind(kind: str, fact: str) -> None:
    name = f"pick_{kind}_then_place_in_recep"
    assert value(name, ("holds", "agent1", "mug 1")) == pytest.approx(1 / 3)
    assert value(name, ("holds", "agent1", "mug 1"), (fact, "mug 1")) == pytest.approx(2 / 3)
    assert value(name, (fact, "pen 1")) == 0


def test_object_treated_at_start_counts_once_held() -> None:
    goal = Goal("pick_cool_then_place_in_recep", "mug", "shelf")
    start = at(("iscool", "mug 1"))
    already = find_treated(goal, start)
    assert already == {"mug 1"}
    assert compute_progress(goal, start, already) == 0
    assert compute_progress(goal, at(("iscool", "mug 1"), ("holds", "agent1", "mug 1")), already) == pytest.approx(
        2 / 3
    )
    assert find_treated(Goal("pick_and_place_simple", "mug", "shelf"), start) == frozenset()


def test_pick_two_needs_the_same_place() -> None:
    name = "pick_two_obj_and_place"
    first, second = ("inreceptacle", "mug 1", "shelf 1"), ("inreceptacle", "mug 2", "shelf 2")
    assert value(name, ("holds", "agent1", "mug 1")) == 0.25
    assert value(name, first) == 0.5
    assert value(name, first, ("holds", "agent1", "mug 2")) == 0.75
    assert value(name, first, second) == 0.5


def test_look_needs_lamp_at_the_player() -> None:
    name = "look_at_obj_in_light"
    on, here = ("istoggled", "desklamp 1"), ("atlocation", "agent1", "loc 3")
    held = ("holds", "agent1", "mug 1")
    assert value(name, *LAMP, on, target="desklamp") == 0
    assert value(name, *LAMP, on, here, target="desklamp") == 0.5
    assert value(name, *LAMP, held, on, target="desklamp") == 0.5


FACTS = st.sampled_from(
    [
        ("holds", "agent1", "mug 1"),
        ("isclean", "mug 1"),
        ("ishot", "mug 2"),
        ("iscool", "mug 1"),
        ("inreceptacle", "mug 1", "shelf 1"),
        ("inreceptacle", "mug 2", "shelf 1"),
        ("istoggled", "desklamp 1"),
        ("atlocation", "agent1", "loc 3"),
        *LAMP,
    ]
)


@given(
    kind=st.sampled_from(TASK_TYPES), facts=st.lists(FACTS, unique=True), target=st.sampled_from(["shelf", "desklamp"])
)
def test_progress_is_1_exactly_when_won(kind: str, facts: list[tuple[str, ...]], target: str) -> None:
    goal = Goal(kind, "mug", target)
    assert 0 <= compute_progress(goal, at(*facts)) < 1
    assert compute_progress(goal, at(*facts, won=True)) == 1


def test_read_goal_parses_problem() -> None:
    look = "(:init (objectType x PenType)) (:goal (objectType ?ot DeskLampType) (objectType ?o CDType))"
    assert read_goal("look_at_obj_in_light", look, "t") == Goal("look_at_obj_in_light", "cd", "desklamp")
    half = "(objectType ?o{} PenType) (receptacleType ?r BedType)"
    pick = f"(:goal {half.format(1)} {half.format(2)})"
    assert read_goal("pick_two_obj_and_place", pick, "t") == Goal("pick_two_obj_and_place", "pen", "bed")


@pytest.mark.parametrize("problem", ["", "(:goal )", "(:goal (objectType ?o APType))"])
def test_read_goal_names_other_form(problem: str) -> None:
    with pytest.raises(DataError, match="task t: expected a goal"):
        read_goal("pick_and_place_simple", problem, "task t")
    with pytest.raises(DataError, match="pick_up_the_phone"):
        read_goal("pick_up_the_phone", "(:goal (objectType ?o AType) (receptacleType ?r BType))", "t")
