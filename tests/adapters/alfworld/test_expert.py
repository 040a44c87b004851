"""The expert on hand-made houses: the next action of every stage, what it depends on, and what is left."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adapters.alfworld.expert import Known, Move, find_move
from adapters.alfworld.progress import Goal
from adapters.alfworld.scene import Scene
from adapters.alfworld.world import World

PICK = Goal("pick_and_place_simple", "mug", "shelf")
HEAT = Goal("pick_heat_then_place_in_recep", "mug", "shelf")
TWO = Goal("pick_two_obj_and_place", "mug", "shelf")
LOOK = Goal("look_at_obj_in_light", "mug", "desklamp")
PLACES = (
    ("shelf 1", "shelftype", "loc 1"), ("shelf 2", "shelftype", "loc 1"), ("desk 1", "desktype", "loc 2"),
    ("drawer 1", "drawertype", "loc 3"), ("microwave 1", "microwavetype", "loc 4"), ("safe 1", "safetype", "loc 5"),
)  # fmt: skip
HOUSE = (
    *(("receptacletype", place, kind) for place, kind, _ in PLACES),
    *(("receptacleatlocation", place, spot) for place, _, spot in PLACES),
    *(("objecttype", f"mug {i}", "mugtype") for i in (1, 2)),
    ("objecttype", "pen 1", "pentype"),
    ("objecttype", "desklamp 1", "desklamptype"),
    ("openable", "drawer 1"),
    ("openable", "microwave 1"),
)
AT_DESK, AT_DRAWER, AT_SHELF, AT_MICROWAVE = (("atlocation", "agent", f"loc {n}") for n in (2, 3, 1, 4))
HOLDS = ("holds", "agent", "mug 1")
BuildWorld = Callable[..., World]


def move(world: BuildWorld, goal: Goal, *facts: tuple[str, ...], known: Known = Known()) -> Move:
    return find_move(Scene(world("…", *HOUSE, *facts), goal), known)


def lies(thing: str, place: str) -> tuple[str, ...]:
    return ("inreceptacle", thing, place)


ON_DESK = Known({"mug 1": "desk 1"})


@pytest.mark.parametrize(
    ("goal", "facts", "known", "command", "needs", "left"),
    [
        (PICK, (AT_SHELF, lies("mug 1", "desk 1")), ON_DESK, "go to desk 1", [("at", "mug 1", "desk 1")], 4),
        (
            PICK, (AT_DESK, lies("mug 1", "desk 1")), ON_DESK,
            "take mug 1 from desk 1", [("at", "mug 1", "desk 1"), ("here", "loc 2")], 3,
        ),
        (
            PICK, (AT_DRAWER, lies("mug 1", "drawer 1")), Known({"mug 1": "drawer 1"}),
            "open drawer 1", [("at", "mug 1", "drawer 1"), ("here", "loc 3"), ("state", "drawer 1")], 4,
        ),
        (
            PICK, (AT_DRAWER, lies("mug 1", "drawer 1"), ("opened", "drawer 1")), Known({"mug 1": "drawer 1"}),
            "take mug 1 from drawer 1", [("at", "mug 1", "drawer 1"), ("here", "loc 3"), ("state", "drawer 1")], 3,
        ),
        (PICK, (AT_DESK, HOLDS), Known(), "go to shelf 1", [("holds", "mug 1")], 2),
        (PICK, (AT_SHELF, HOLDS), Known(), "move mug 1 to shelf 1", [("holds", "mug 1"), ("here", "loc 1")], 1),
        (HEAT, (AT_DESK, HOLDS), Known(), "go to microwave 1", [("holds", "mug 1")], 4),
        (
            HEAT, (AT_MICROWAVE, HOLDS), Known(), "heat mug 1 with microwave 1",
            [("holds", "mug 1"), ("here", "loc 4"), ("state", "microwave 1")], 3,
        ),
        (
            HEAT, (AT_MICROWAVE, HOLDS, ("ishot", "mug 1")), Known(treated={"mug 1"}),
            "go to shelf 1", [("holds", "mug 1"), ("treated", "mug 1")], 2,
        ),
        (LOOK, (AT_DESK, HOLDS, lies("desklamp 1", "safe 1")), Known({"desklamp 1": "safe 1"}),
         "go to safe 1", [("holds", "mug 1"), ("at", "desklamp 1", "safe 1")], 2),
        (LOOK, (AT_DESK, HOLDS, lies("desklamp 1", "desk 1")), Known({"desklamp 1": "desk 1"}),
         "use desklamp 1", [("holds", "mug 1"), ("at", "desklamp 1", "desk 1"), ("here", "loc 2")], 1),
        (
            TWO, (AT_DESK, lies("mug 1", "shelf 2"), ("holds", "agent", "mug 2")), Known({"mug 1": "shelf 2"}),
            "go to shelf 2", [("holds", "mug 2"), ("at", "mug 1", "shelf 2")], 2,
        ),
        (TWO, (AT_SHELF, lies("mug 1", "shelf 2"), lies("mug 2", "desk 1")),
         Known({"mug 1": "shelf 2", "mug 2": "desk 1"}), "go to desk 1", [("at", "mug 2", "desk 1")], 4),
        (
            PICK, (AT_DESK, ("holds", "agent", "pen 1"), lies("mug 1", "shelf 1")), Known({"mug 1": "shelf 1"}),
            "move pen 1 to desk 1", [("holds", "pen 1")], 4,
        ),
    ],
)  # fmt: skip
def test_find_move_takes_the_shortest_way_and_names_what_it_depends_on(
    world: BuildWorld, goal: Goal, facts: tuple[tuple[str, ...], ...], known: Known, command: str,
    needs: list[tuple[str, ...]], left: int,
) -> None:  # fmt: skip
    found = move(world, goal, *facts, known=known)
    assert (found.command, list(found.facts), found.left) == (command, needs, left)
    assert not found.searches


def test_find_move_searches_where_nothing_of_the_kind_was_seen(world: BuildWorld) -> None:
    searched = {"desk 1", "shelf 1", "shelf 2", "drawer 1"}
    found = move(world, PICK, AT_DESK, lies("mug 1", "safe 1"), known=Known(searched=searched))
    assert (found.command, found.searches) == ("go to microwave 1", True)
    assert set(found.facts) == {("searched", place) for place in searched}


def test_find_move_first_looks_into_what_is_at_hand(world: BuildWorld) -> None:
    closed = move(world, PICK, AT_DRAWER, known=Known(searched={"desk 1"}))
    assert (closed.command, closed.facts) == ("open drawer 1", (("here", "loc 3"), ("state", "drawer 1")))
    beside = move(world, PICK, AT_SHELF, known=Known(searched={"shelf 1"}))
    assert (beside.command, beside.facts) == ("examine shelf 2", (("here", "loc 1"),))


def test_find_move_knows_where_things_are_only_if_told(world: BuildWorld) -> None:
    assert move(world, PICK, AT_SHELF, lies("mug 1", "desk 1")).searches
    assert not move(world, PICK, AT_SHELF, lies("mug 1", "desk 1"), known=ON_DESK).searches


def test_search_goes_on_with_the_thing_in_hand(world: BuildWorld) -> None:
    found = move(world, LOOK, AT_DESK, HOLDS, known=Known(searched={"desk 1"}))
    assert found.searches
    assert set(found.facts) == {("holds", "mug 1"), ("searched", "desk 1")}


def test_second_of_two_is_searched_for_and_the_first_stays_where_it_is(world: BuildWorld) -> None:
    facts = (AT_SHELF, lies("mug 1", "shelf 1"), lies("mug 2", "safe 1"))
    found = move(world, TWO, *facts, known=Known({"mug 1": "shelf 1"}, searched={"shelf 1", "shelf 2"}))
    assert (found.command, found.searches) == ("go to desk 1", True)


def test_nearer_of_two_things_is_fetched(world: BuildWorld) -> None:
    facts = (AT_DESK, lies("mug 1", "safe 1"), lies("mug 2", "desk 1"))
    assert move(world, PICK, *facts, known=Known({"mug 1": "safe 1", "mug 2": "desk 1"})).command.startswith(
        "take mug 2"
    )


def test_find_move_has_an_answer_where_nothing_is_left_to_do(world: BuildWorld) -> None:
    everything = Known(searched={place for place, _, _ in PLACES})
    assert move(world, PICK, AT_DESK, known=everything).command == "look"
    assert find_move(Scene(world("…"), PICK), Known()).command == "look"
