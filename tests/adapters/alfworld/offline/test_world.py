"""The believed state from sentences anywhere in a prompt."""

from __future__ import annotations

import pytest

from adapters.alfworld.offline.prompt import Line
from adapters.alfworld.offline.sense import kind_of, likely_order
from adapters.alfworld.offline.world import Fact, World, believe, read_facts


def act(step: int, text: str) -> Line:
    return Line(step, "action", text)


def saw(step: int, text: str) -> Line:
    return Line(step, "observation", text)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "you arrive at shelf 1. on the shelf 1, you see a mug 1, and a pen 12.",
            [Fact("at", place="shelf 1"), Fact("sees", place="shelf 1", seen=("mug 1", "pen 12"))],
        ),
        ("you arrive at loc 12. the fridge 1 is closed.", [Fact("closed", place="fridge 1")]),
        (
            "you open the safe 1. the safe 1 is open. in it, you see nothing.",
            [Fact("open", place="safe 1"), Fact("sees", "open", "safe 1")],
        ),
        ("you close the safe 1.", [Fact("closed", place="safe 1")]),
        ("you pick up the mug 1 from the shelf 1.", [Fact("take", "mug 1", "shelf 1")]),
        ("you move the mug 1 to the shelf 1.", [Fact("put", "mug 1", "shelf 1")]),
        ("you put the mug 1 in/on the shelf 1.", [Fact("put", "mug 1", "shelf 1")]),
        ("you heat the egg 1 using the microwave 1.", [Fact("heat", "egg 1", "microwave 1")]),
        ("you clean the egg 1 using the sinkbasin 1.", [Fact("clean", "egg 1", "sinkbasin 1")]),
        ("you are facing the shelf 1. next to it, you see nothing.", [Fact("at", place="shelf 1")]),
        ("you are carrying: a mug 1.", [Fact("hand", "mug 1")]),
        ("you are not carrying anything.", [Fact("hand")]),
        ("nothing happens.", [Fact("nothing")]),
        ("mugs are often on a shelf; i should go to shelf 1.", []),
    ],
)
def test_read_facts_parses_sentences(text: str, facts: list[Fact]) -> None:
    assert list(read_facts(text)) == facts


def test_believe_applies_history_in_order() -> None:
    world = believe(
        [
            act(1, "go to shelf 1"),
            saw(1, "you arrive at shelf 1. on the shelf 1, you see a mug 1, and a mug 2."),
            act(2, "take mug 1 from shelf 1"),
            saw(2, "you pick up the mug 1 from the shelf 1."),
            act(3, "go to fridge 1"),
        ],
        "you arrive at fridge 1. the fridge 1 is closed.",
    )
    assert world.contents == {"shelf 1": ["mug 2"]}
    assert (world.holding, world.at, world.closed["fridge 1"]) == ("mug 1", {"fridge 1"}, True)
    assert set(world.passed) == {"shelf 1", "fridge 1"}
    assert world.where("mug") == [("mug 2", "shelf 1")]


def test_believe_reads_free_text_and_nothing_else() -> None:
    world = believe(
        [Line(-1, "", "so far: on the shelf 2, you see a pen 1. you pick up the pen 1 from the shelf 2.")], ""
    )
    assert (world.holding, world.contents) == ("pen 1", {"shelf 2": []})
    assert believe([], "") == World()


def test_believe_assumes_success_without_observation() -> None:
    acts = ["go to shelf 1", "take mug 1 from shelf 1", "go to fridge 1", "open fridge 1", "cool mug 1 with fridge 1"]
    world = believe([act(i, text) for i, text in enumerate(acts)], "")
    assert (world.holding, world.at, world.closed) == ("mug 1", {"fridge 1"}, {"fridge 1": False})
    assert ("cool", "mug 1") in world.treated
    assert "shelf 1" in world.passed
    assert "shelf 1" not in world.contents
    assert believe([act(1, "put mug 1 in/on shelf 1")], "").contents == {"shelf 1": ["mug 1"]}
    assert believe([act(1, "examine shelf 3")], "").at == {"shelf 3"}
    assert believe([act(1, "use desklamp 1"), act(2, "dance")], "").at == set()


def test_believe_seen_thing_is_not_held() -> None:
    lines = [saw(1, "you pick up the mug 1 from the shelf 1."), saw(9, "on the desk 1, you see a mug 1.")]
    assert believe(lines, "").holding == ""


def test_believe_learns_from_failed_actions() -> None:
    here = saw(1, "you arrive at shelf 1. on the shelf 1, you see a mug 1.")
    shared = believe([here, act(2, "go to shelf 2")], "nothing happens.")
    assert shared.at == {"shelf 1", "shelf 2"}
    assert "go to shelf 2" in shared.failed
    gone = believe([here, act(2, "examine shelf 2")], "nothing happens.")
    assert gone.contents["shelf 2"] == []
    full = believe([here, act(2, "take mug 1 from shelf 1")], "nothing happens.")
    assert full.hand_doubtful
    assert full.where("mug") == []
    assert believe([here, act(2, "open shelf 1")], "nothing happens.").closed["shelf 1"] is False
    assert believe([act(2, "put mug 1 in/on safe 1")], "nothing happens.").closed["safe 1"] is True
    assert believe([here, act(2, "use mug 1")], "nothing happens.").where("mug") == []
    assert believe([here, act(2, "dance")], "nothing happens.").failed == {"dance"}


def test_believe_clears_failures_after_a_change() -> None:
    lines = [act(1, "open shelf 1"), saw(1, "nothing happens."), act(2, "inventory")]
    assert believe(lines, "you are carrying: a mug 1.").failed == set()


def test_believe_remembers_places_at_one_location() -> None:
    lines = [
        saw(1, "on the shelf 1, you see nothing."),
        act(2, "go to shelf 2"),
        saw(2, "nothing happens."),
        saw(3, "you arrive at desk 1. on the desk 1, you see nothing."),
        saw(4, "you arrive at shelf 2. on the shelf 2, you see nothing."),
    ]
    assert believe(lines[:4], "").at == {"desk 1"}
    assert believe(lines, "").at == {"shelf 1", "shelf 2"}


def test_likely_order_keeps_every_place() -> None:
    rooms = ("drawer 2", "drawer 1", "cabinet 1", "countertop 2", "countertop 1", "bed 1", "fridge 1")
    order = likely_order("apple", rooms)
    assert sorted(order) == sorted(rooms)
    assert likely_order("apple", rooms[::-1]) == order
    assert order[:3] == ("countertop 1", "countertop 2", "fridge 1")
    assert order.index("cabinet 1") < order.index("drawer 1") < order.index("drawer 2")
    assert likely_order("gizmo", ("cabinet 1", "attic 1", "desk 1")) == ("desk 1", "cabinet 1", "attic 1")
    assert likely_order("gizmo", ("laundryhamper 1", "attic 1")) == ("attic 1", "laundryhamper 1")
    assert kind_of("soapbar 12") == "soapbar"
