"""One episode on an engine of a few lines: success, validity, reasons, helpers, repairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adapters.alfworld.environment import HouseholdEnvironment, Switches
from adapters.alfworld.world import World
from bench.errors import DataError, EnvError
from bench.types import Task

TASK = Task("pick_and_place_simple-Mug-None-Shelf-1/t1", "alfworld-v1", "x", "pick_and_place_simple", "c")
ROOM = "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room.\n\nYour task is to: put a mug in shelf."
SPOTS = (
    ("receptacleatlocation", "shelf 1", "loc 1"),
    ("receptacleatlocation", "shelf 2", "loc 1"),
    ("receptacleatlocation", "desk 1", "loc 2"),
    ("receptacletype", "shelf 1", "shelftype"),
    ("receptacletype", "shelf 2", "shelftype"),
    ("receptacletype", "desk 1", "desktype"),
    ("objecttype", "mug 1", "mugtype"),
)
HERE = ("atlocation", "agent1", "loc 1")
Told = Callable[..., World]
Made = Callable[..., bytes]


def opened(engine: Any, game: bytes, switches: Switches = Switches()) -> HouseholdEnvironment:
    env = HouseholdEnvironment(TASK, game, engine, switches)
    env.reset()
    return env


def test_opening_is_the_whole_text_without_the_banner(scripted: Any, told: Told, game: Made) -> None:
    env = HouseholdEnvironment(TASK, game(), scripted([told(ROOM)]))
    opening = env.reset()
    assert opening.goal == "You are in the middle of a room.\n\nYour task is to: put a mug in shelf."
    assert opening.observation == ""
    assert opening.frame.id == "alfworld-v1/move"
    assert dict(opening.fingerprint.entries) == {"grammar": "move"}


def test_done_is_not_success(scripted: Any, told: Told, game: Made) -> None:
    env = opened(scripted([told(ROOM), told("The end.", done=True, won=False)]), game())
    observation = env.step("look")
    assert observation.done
    assert not observation.won
    assert observation.progress < 1


def test_won_is_success_and_full_progress(scripted: Any, told: Told, game: Made) -> None:
    env = opened(scripted([told(ROOM), told("You move it.", done=True, won=True)]), game())
    observation = env.step("move mug 1 to shelf 1")
    assert (observation.won, observation.progress, observation.valid) == (True, 1.0, True)


def test_progress_never_falls(scripted: Any, told: Told, game: Made) -> None:
    held = told("Taken.", *SPOTS, ("holds", "agent1", "mug 1"))
    env = opened(scripted([told(ROOM, *SPOTS), held, told("Put back.", *SPOTS)]), game())
    assert [env.step("a").progress, env.step("b").progress] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("sing", "unparsable"),
        ("go to the shelf", "unparsable"),
        ("go to moon 1", "unparsable"),
        ("help", "unparsable"),
        ("take mug 1 from desk 1", "precondition"),
        ("move mug 1 to shelf 1", "precondition"),
        ("open desk 1", "precondition"),
        ("go to shelf 2", "shared-location"),
        ("go to shelf 1", "no-effect"),
    ],
)
def test_reasons_when_nothing_happens(scripted: Any, told: Told, game: Made, action: str, reason: str) -> None:
    arrived = told("You arrive at shelf 1.", *SPOTS, HERE)
    env = opened(scripted([told(ROOM, *SPOTS), arrived, told("Nothing happens.", *SPOTS, HERE)]), game())
    assert env.step("go to shelf 1").valid
    observation = env.step(action)
    assert (observation.valid, observation.helper, observation.invalid_reason) == (False, False, reason)


def test_the_other_wording_is_unparsable_without_the_normaliser(scripted: Any, told: Told, game: Made) -> None:
    engine = scripted([told(ROOM, *SPOTS), told("Nothing happens.", *SPOTS)])
    env = opened(engine, game(), Switches(normalise=False))
    observation = env.step("put mug 1 in/on shelf 1")
    assert observation.invalid_reason == "unparsable"
    assert engine.commands == ["put mug 1 in/on shelf 1"]
    assert observation.repairs == ()


def test_repairs_are_told(scripted: Any, told: Told, game: Made) -> None:
    engine = scripted([told(ROOM), told("You put the mug 1 in/on the shelf 1.")])
    observation = opened(engine, game("put {o} in/on {r}")).step("> move mug 1 to shelf 1.")
    assert observation.executed == engine.commands[0] == "put mug 1 in/on shelf 1"
    assert observation.repairs == ("prompt-mark", "full-stop", "put-move")


def test_fuzzy_is_off_unless_asked_for(scripted: Any, told: Told, game: Made) -> None:
    for on, sent in ((False, "go to the shelf 1"), (True, "go to shelf 1")):
        engine = scripted([told(ROOM), told("ok")], ["go to shelf 1", "look"])
        observation = opened(engine, game(), Switches(fuzzy=on)).step("go to the shelf 1")
        assert engine.commands == [sent]
        assert ("fuzzy" in observation.repairs) is on


@pytest.mark.parametrize("action", ["look", "inventory", "help", "Look."])
def test_helpers_are_valid(scripted: Any, told: Told, game: Made, action: str) -> None:
    observation = opened(scripted([told(ROOM), told("You see.")]), game()).step(action)
    assert (observation.helper, observation.valid) == (True, True)


def test_order_of_calls_and_bad_games_are_named(scripted: Any, told: Told, game: Made) -> None:
    env = HouseholdEnvironment(TASK, game(), scripted([told(ROOM)]))
    with pytest.raises(EnvError, match="expected reset before step"):
        env.step("look")
    with pytest.raises(DataError, match="Mug-None-Shelf-1/t1: expected a game file"):
        HouseholdEnvironment(TASK, b"{", scripted([])).reset()


def test_close_gives_the_engine_back(scripted: Any, game: Made) -> None:
    engine = scripted([])
    HouseholdEnvironment(TASK, game(), engine).close()
    assert engine.closed == 1
