"""The toy house: observations, progress, invalid actions, and the offline model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.toy.offline.rules import RULES
from adapters.toy.suite import SUITE, ToySuite
from adapters.toy.world import ROOMS, THINGS, House, ToyWorld, build_house
from bench.errors import DataError
from bench.models.offline.rule_table import RuleTable
from bench.protocols import Params, SuiteOptions
from bench.types import Message, Task

SMALL = House((("attic", "map"), ("cellar", "watch"), ("hall", "flute")), "watch", "hall", "attic")
ACTIONS = st.one_of(
    st.sampled_from(["open box", "open the box", "drop watch", "take watch", "take map", "drop map", "take flute"]),
    st.sampled_from([f"go to {room}" for room, _ in SMALL.boxes]),
    st.text(max_size=10),
)


def walk(world: ToyWorld, *actions: str) -> list[str]:
    return [world.step(action).text for action in actions]


def test_step_sequence_wins_the_house() -> None:
    world = ToyWorld(SMALL)
    opening = world.reset()
    assert opening.goal == (
        "You are in the attic. The house has these rooms: attic, cellar, hall. "
        "Your task is to: bring the watch to the hall."
    )
    assert walk(world, "Go to the CELLAR", "open box", "take watch", "go to hall") == [
        "You are in the cellar. There is a closed box.",
        "You open the box in the cellar. The open box holds the watch.",
        "You take the watch.",
        "You are in the hall. There is a closed box.",
    ]
    last = world.step("drop the watch")
    assert (last.text, last.done, last.won, last.progress) == ("You drop the watch in the hall.", True, True, 1.0)


def test_progress_is_half_after_holding_the_thing_and_stays() -> None:
    world = ToyWorld(SMALL)
    walk(world, "go to cellar", "open box", "take watch")
    assert world.step("drop watch").progress == 0.5
    again = world.step("go to attic")
    assert (again.progress, again.won) == (0.5, False)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("take watch", "precondition"),
        ("drop watch", "precondition"),
        ("go to attic", "precondition"),
        ("go to moon", "precondition"),
        ("open window", "precondition"),
        ("take", "precondition"),
        ("look around", "unparsable"),
        ("", "unparsable"),
    ],
)
def test_step_gives_reason_for_impossible_action(action: str, reason: str) -> None:
    got = ToyWorld(SMALL).step(action)
    assert (got.text, got.valid, got.invalid_reason) == ("That does not work.", False, reason)


def test_boxes_open_once_and_only_one_thing_is_carried() -> None:
    world = ToyWorld(SMALL)
    assert world.step("open box").valid
    assert not world.step("open box").valid
    assert walk(world, "take map", "go to cellar", "open box", "take watch")[-1] == "That does not work."
    assert walk(world, "drop map", "take watch", "go to attic")[-1] == "You are in the attic. The open box is empty."
    assert walk(world, "go to cellar")[-1].endswith("The open box is empty. On the floor lies the map.")


@given(st.lists(ACTIONS, max_size=30))
def test_step_keeps_every_thing_in_the_house(actions: list[str]) -> None:
    world, twin = ToyWorld(SMALL), ToyWorld(SMALL)
    best = 0.0
    for action in actions:
        got = world.step(action)
        assert got == twin.step(action)
        assert got.progress >= best
        assert got.won == got.done == (got.progress == 1.0 and got.won)
        assert got.valid == (got.text != "That does not work.")
        best = got.progress
        lying = [thing for floor in world._floor_things.values() for thing in floor]
        assert sorted(filter(None, [*world._boxes.values(), *lying, world._held])) == ["flute", "map", "watch"]


@given(st.integers(0, 10**6), st.integers(3, 12))
def test_build_house_gives_solvable_house(seed: int, rooms: int) -> None:
    house = build_house(seed, rooms)
    assert house == build_house(seed, rooms)
    where = dict(house.boxes)
    assert len(where) == rooms
    assert list(where) == sorted(where)
    assert set(where) <= set(ROOMS)
    assert set(where.values()) <= set(THINGS)
    place = next(room for room, thing in house.boxes if thing == house.thing)
    assert len({place, house.start, house.target}) == 3
    world = ToyWorld(house)
    texts = walk(world, f"go to {place}", "open box", f"take {house.thing}", f"go to {house.target}")
    assert "That does not work." not in texts
    assert world.step(f"drop {house.thing}").won


@given(st.integers(0, 10**4), st.integers(3, 12))
def test_offline_model_with_full_history_solves_any_house(seed: int, rooms: int) -> None:
    world = ToyWorld(build_house(seed, rooms))
    opening = world.reset()
    lines = [f"# Task\n{opening.goal}\n\n# Memory"]
    for _ in range(2 * rooms + 4):
        asked = (Message("system", opening.frame.instructions), Message("user", "\n".join(lines)))
        assert RuleTable(RULES).find(asked, "act") is RULES[0]
        action = RULES[0].reply(asked).removeprefix("Action: ")
        got = world.step(action)
        assert got.valid
        if got.won:
            return
        lines += [f"Action: {action}", f"Observation: {got.text}"]
    pytest.fail("not solved")


def suite(**given_: str) -> ToySuite:
    return ToySuite(SuiteOptions("houses", Params(SUITE.params, given_), Path("/nowhere"), step_cap=0))


def test_tasks_have_four_sizes_and_depend_on_seed_alone() -> None:
    tasks = suite(houses="9").tasks()
    assert [task.group for task in tasks[:5]] == ["04 rooms", "06 rooms", "08 rooms", "12 rooms", "04 rooms"]
    assert tasks[:3] == suite(houses="3").tasks()
    assert suite().limits().step_cap == 30


@pytest.mark.parametrize("payload", ["", "x/4", "1/2", "1/13", "1", "-1/4", "1/4/4"])
def test_open_rejects_bad_payload(payload: str) -> None:
    with pytest.raises(DataError, match="expected seed/rooms with 3 to 12 rooms, got"):
        suite().open(Task("x", "toy-v1", "houses", "g", "c", payload=payload))
