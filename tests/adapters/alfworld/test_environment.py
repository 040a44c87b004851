"""One episode on a scripted engine: success, validity, reasons, helpers, repairs."""

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
BuildWorld = Callable[..., World]
GameBytes = Callable[..., bytes]


def start(engine: Any, game: bytes, switches: Switches = Switches()) -> HouseholdEnvironment:
    env = HouseholdEnvironment(TASK, game, engine, switches)
    env.reset()
    return env


def test_reset_returns_text_without_banner(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    env = HouseholdEnvironment(TASK, game(), scripted([world(ROOM)]))
    opening = env.reset()
    assert opening.goal == "You are in the middle of a room.\n\nYour task is to: put a mug in shelf."
    assert opening.observation == ""
    assert opening.frame.id == "alfworld-v1/move"
    assert dict(opening.fingerprint.entries) == {"grammar": "move"}


def test_step_done_is_not_success(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    env = start(scripted([world(ROOM), world("The end.", done=True, won=False)]), game())
    observation = env.step("look")
    assert observation.done
    assert not observation.won
    assert observation.progress < 1


def test_step_won_is_success_and_full_progress(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    env = start(scripted([world(ROOM), world("You move it.", done=True, won=True)]), game())
    observation = env.step("move mug 1 to shelf 1")
    assert (observation.won, observation.progress, observation.valid) == (True, 1.0, True)


def test_step_progress_never_falls(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    held = world("Taken.", *SPOTS, ("holds", "agent1", "mug 1"))
    env = start(scripted([world(ROOM, *SPOTS), held, world("Put back.", *SPOTS)]), game())
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
def test_step_gives_reason_when_nothing_happens(
    scripted: Any, world: BuildWorld, game: GameBytes, action: str, reason: str
) -> None:
    arrived = world("You arrive at shelf 1.", *SPOTS, HERE)
    env = start(scripted([world(ROOM, *SPOTS), arrived, world("Nothing happens.", *SPOTS, HERE)]), game())
    assert env.step("go to shelf 1").valid
    observation = env.step(action)
    assert (observation.valid, observation.helper, observation.invalid_reason) == (False, False, reason)


def test_step_rejects_other_wording_without_normaliser(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    engine = scripted([world(ROOM, *SPOTS), world("Nothing happens.", *SPOTS)])
    env = start(engine, game(), Switches(normalise=False))
    observation = env.step("put mug 1 in/on shelf 1")
    assert observation.invalid_reason == "unparsable"
    assert engine.commands == ["put mug 1 in/on shelf 1"]
    assert observation.repairs == ()


def test_step_records_repairs(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    engine = scripted([world(ROOM), world("You put the mug 1 in/on the shelf 1.")])
    observation = start(engine, game("put {o} in/on {r}")).step("Move mug 1  to shelf 1")
    assert observation.executed == engine.commands[0] == "put mug 1 in/on shelf 1"
    assert observation.repairs == ("space", "case", "put-move")


def test_step_uses_fuzzy_only_if_switched_on(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    for on, expected in ((False, "go to the shelf 1"), (True, "go to shelf 1")):
        engine = scripted([world(ROOM), world("ok")], ["go to shelf 1", "look"])
        observation = start(engine, game(), Switches(fuzzy=on)).step("go to the shelf 1")
        assert engine.commands == [expected]
        assert ("fuzzy" in observation.repairs) is on


@pytest.mark.parametrize("action", ["look", "inventory", "help", "Look"])
def test_step_marks_helpers_as_valid(scripted: Any, world: BuildWorld, game: GameBytes, action: str) -> None:
    observation = start(scripted([world(ROOM), world("You see.")]), game()).step(action)
    assert (observation.helper, observation.valid) == (True, True)


def test_step_before_reset_and_bad_game_are_errors(scripted: Any, world: BuildWorld, game: GameBytes) -> None:
    env = HouseholdEnvironment(TASK, game(), scripted([world(ROOM)]))
    with pytest.raises(EnvError, match="expected reset before step"):
        env.step("look")
    with pytest.raises(DataError, match="Mug-None-Shelf-1/t1: expected a game file"):
        HouseholdEnvironment(TASK, b"{", scripted([])).reset()


def test_close_returns_engine(scripted: Any, game: GameBytes) -> None:
    engine = scripted([])
    HouseholdEnvironment(TASK, game(), engine).close()
    assert engine.closed == 1


def test_hint_lists_admissible_commands_on_request_and_after_an_invalid_one(
    scripted: Any, world: BuildWorld, game: GameBytes
) -> None:
    engine = scripted([world(ROOM), world(), world("You see a mug 1.")], admissible=("look", "go to desk 1"))
    env = start(engine, game(), Switches(hint=True))
    asked = env.step("check valid actions")
    assert (asked.text, asked.valid, asked.helper) == ("Valid actions: go to desk 1; look.", True, True)
    assert engine.commands == []
    assert env.step("go to moon 1").text == "Nothing happens. Valid actions: go to desk 1; look."
    assert env.step("look").text == "You see a mug 1."


def test_without_hint_a_request_for_commands_is_a_command_like_any_other(
    scripted: Any, world: BuildWorld, game: GameBytes
) -> None:
    observation = start(scripted([world(ROOM), world()], admissible=("look",)), game()).step("check valid actions")
    assert (observation.text, observation.invalid_reason) == ("Nothing happens.", "unparsable")
