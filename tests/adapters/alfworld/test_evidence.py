"""Synthetic evidence: what an episode has told, which steps the next action needs, which actions follow the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.alfworld.evidence import VERSION, Recollection
from adapters.alfworld.games import parse_game
from adapters.alfworld.grammar import Grammar, probe
from adapters.alfworld.progress import TASK_TYPES, Goal, read_goal
from adapters.alfworld.suite import SUITE, AlfworldSuite
from adapters.alfworld.world import NOTHING, World
from bench.protocols import HasNeededFacts, NeededFact, Params, SuiteOptions
from bench.types import Observation, Task

PICK = Goal("pick_and_place_simple", "mug", "shelf")
HOUSE = (
    ("receptacletype", "shelf 1", "shelftype"), ("receptacletype", "desk 1", "desktype"),
    ("receptacletype", "desk 2", "desktype"), ("receptacletype", "drawer 1", "drawertype"),
    ("receptacleatlocation", "shelf 1", "loc 1"), ("receptacleatlocation", "desk 1", "loc 2"),
    ("receptacleatlocation", "desk 2", "loc 2"), ("receptacleatlocation", "drawer 1", "loc 3"),
    ("objecttype", "mug 1", "mugtype"), ("objecttype", "pen 1", "pentype"), ("openable", "drawer 1"),
)  # fmt: skip
BuildWorld = Callable[..., World]


class House:
    """A scripted episode: each step says where the player is, what is said, where the mug is."""

    def __init__(self, world: BuildWorld):
        self._world = world
        self.found = Recollection(PICK, self.state("You see a shelf 1, a desk 1, a desk 2, a drawer 1.", "loc 9"))

    def state(self, text: str, spot: str, mug: str = "drawer 1", *more: tuple[str, ...], won: bool = False) -> World:
        lies = ("holds", "agent", "mug 1") if mug == "held" else ("inreceptacle", "mug 1", mug)
        return self._world(text, *HOUSE, ("atlocation", "agent", spot), lies, *more, won=won)

    def take(self, command: str, text: str, spot: str, mug: str = "drawer 1", *more: tuple[str, ...]) -> bool:
        self.found.take(command, self.state(text, spot, mug, *more, won=text.endswith("!")))
        return self.found.followed

    @property
    def needed(self) -> list[tuple[int, tuple[str, ...]]]:
        return [(fact.step, fact.names) for fact in self.found.find_needed()]


OPEN = ("opened", "drawer 1")


def test_recollection_tells_the_steps_that_each_action_needs(world: BuildWorld) -> None:
    house = House(world)
    assert house.needed == []
    assert house.take("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a pen 1.", "loc 1")
    assert house.needed == [(1, ("shelf 1",))]
    assert house.take("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed.", "loc 3")
    assert house.needed == [(2, ("drawer 1",))]  # to open it: where one stands and that it is closed
    text = "You open the drawer 1. The drawer 1 is open. In it, you see a mug 1."
    assert house.take("open drawer 1", text, "loc 3", "drawer 1", OPEN)
    assert house.needed == [(3, ("drawer 1",)), (3, ("mug 1", "drawer 1"))]
    assert not house.take(
        "go to desk 1", "You arrive at desk 1. On the desk 1, you see nothing.", "loc 2", "drawer 1", OPEN
    )
    assert house.needed == [(3, ("mug 1", "drawer 1"))]  # the last seen place of the mug
    text = "You arrive at drawer 1. The drawer 1 is open. In it, you see a mug 1."
    assert house.take("go to drawer 1", text, "loc 3", "drawer 1", OPEN)
    assert house.needed == [(5, ("drawer 1",)), (5, ("mug 1", "drawer 1"))]
    assert house.take("take mug 1 from drawer 1", "You pick up the mug 1 from the drawer 1.", "loc 3", "held", OPEN)
    assert house.needed == [(6, ("mug 1",))]
    assert not house.take("inventory", "You are carrying: a mug 1.", "loc 3", "held", OPEN)
    assert house.needed == [(7, ("mug 1",))]  # it was told again
    assert house.take("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a pen 1.", "loc 1", "held", OPEN)
    assert house.needed == [(7, ("mug 1",)), (8, ("shelf 1",))]
    assert house.take("move mug 1 to shelf 1", "You move the mug 1 to the shelf 1. Done!", "loc 1", "shelf 1", OPEN)


def test_search_needs_every_place_that_was_searched_in_vain(world: BuildWorld) -> None:
    house = House(world)
    house.take("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a pen 1.", "loc 1")
    house.take("go to desk 1", "You arrive at desk 1. On the desk 1, you see nothing.", "loc 2")
    assert house.take("examine desk 2", "On the desk 2, you see nothing.", "loc 2")
    assert house.needed == [(1, ("shelf 1",)), (2, ("desk 1",)), (3, ("desk 2",))]


def test_searching_a_place_again_does_not_follow_the_plan(world: BuildWorld) -> None:
    house = House(world)
    arrival = "You arrive at shelf 1. On the shelf 1, you see a pen 1."
    assert house.take("go to shelf 1", arrival, "loc 1")
    assert not house.take("examine shelf 1", "On the shelf 1, you see a pen 1.", "loc 1")
    assert house.take("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed.", "loc 3")
    assert not house.take("go to shelf 1", arrival, "loc 1")
    assert not house.take("look", "You are in the middle of a room.", "loc 1")


def test_failed_go_is_needed_where_it_tells_that_a_place_is_at_hand(world: BuildWorld) -> None:
    house = House(world)
    house.take("go to desk 1", "You arrive at desk 1. On the desk 1, you see nothing.", "loc 2")
    assert house.found.next_command == "examine desk 2"
    assert house.take("go to desk 2", NOTHING, "loc 2"), "nobody could know that it shares its spot"
    assert house.needed == [(1, ("desk 1",)), (2, ("desk 2",))]
    assert house.take("examine desk 2", "On the desk 2, you see a pen 1.", "loc 2")
    house.take("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see nothing.", "loc 1")
    assert (2, ("desk 2",)) not in house.needed


def test_action_that_never_reached_the_game_takes_a_step(world: BuildWorld) -> None:
    house = House(world)
    house.take("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a pen 1.", "loc 1")
    house.found.skip()
    assert not house.found.followed
    house.take("go to desk 1", "You arrive at desk 1. On the desk 1, you see nothing.", "loc 2")
    house.take("examine desk 2", "On the desk 2, you see nothing.", "loc 2")
    assert house.needed == [(1, ("shelf 1",)), (3, ("desk 1",)), (4, ("desk 2",))]


def test_name_is_not_the_beginning_of_another(world: BuildWorld) -> None:
    house = House(world)
    house.take("go to drawer 1", "You arrive at drawer 1. In it, you see a mug 12.", "loc 3", "drawer 1", OPEN)
    assert ("mug 1", "drawer 1") not in [names for _, names in house.needed]


def suite(split: str, root: Path, **given: str) -> AlfworldSuite:
    built = SUITE.build(SuiteOptions(split, Params(SUITE.params, given), root))
    assert isinstance(built, AlfworldSuite)
    return built


def play_expert(made: AlfworldSuite, task: Task) -> Iterator[tuple[int, list[NeededFact], bool, bool]]:
    """Play a game as the expert would; yield step, what it needed, whether it followed the plan, whether it won."""
    game = parse_game(made._find_games.read(task), task.id)
    engine = made._engines.take()
    opening = engine.start(made._find_games.read(task))
    found = Recollection(read_goal(task.group, game.problem, task.id), opening)
    put = "move {} to {}" if probe(game.grammar, task.id) is Grammar.MOVE else "put {} in/on {}"
    for step in range(1, 81):
        needed, command = found.find_needed(), found.next_command
        if command.startswith("move "):
            command = put.format(*command.removeprefix("move ").split(" to "))
        world = engine.step(command)
        found.take(command, world)
        yield step, needed, found.followed, world.won
        if world.won:
            return


@pytest.mark.data
@pytest.mark.parametrize("version", ["move", "put"])
def test_expert_wins_real_games_and_always_follows_its_own_plan(data_root: Path, version: str) -> None:
    made = suite("valid_unseen", data_root, version=version)
    tasks = [task for kind in TASK_TYPES for task in [one for one in made.tasks() if one.group == kind][:3]]
    assert len(tasks) == 18
    for task in tasks:
        steps = list(play_expert(made, task))
        assert steps[-1][3], task.id
        assert all(followed for _, _, followed, _ in steps), task.id
        for step, needed, _, _ in steps:
            assert all(0 <= fact.step < step and fact.names for fact in needed), task.id
        assert any(fact.step < step - 1 for step, needed, _, _ in steps for fact in needed), task.id


@pytest.mark.data
def test_evidence_changes_nothing_that_an_agent_sees(data_root: Path) -> None:
    plain, knowing = (
        suite("valid_unseen", data_root, hint="on"),
        suite("valid_unseen", data_root, hint="on", evidence="on"),
    )
    task = plain.tasks()[0]
    actions = (
        "go to desk 1",
        "think: hm",
        "check valid actions",
        "take alarmclock 1",
        "go to desk 2",
        "look",
        "go to desk 2",
    )

    def play(made: AlfworldSuite) -> list[object]:
        world = made.open(task)
        seen: list[object] = [world.reset()]
        for action in actions:
            assert isinstance(world, HasNeededFacts)
            world.find_needed()
            seen.append(world.step(action))
            assert isinstance(world.followed_plan(), bool)
        world.close()
        return seen

    first, second = play(plain), play(knowing)
    assert first == second
    assert all(isinstance(one, Observation) for one in first[1:])


@pytest.mark.data
def test_evidence_is_off_unless_asked_for_and_named_in_the_fingerprint(data_root: Path) -> None:
    plain, knowing = suite("valid_unseen", data_root), suite("valid_unseen", data_root, evidence="on")
    fields, more = dict(plain.fingerprint().entries), dict(knowing.fingerprint().entries)
    assert more == {**fields, "synthetic_evidence": VERSION}
    world = plain.open(plain.tasks()[0])
    world.reset()
    world.step("go to desk 1")
    assert isinstance(world, HasNeededFacts)
    assert (list(world.find_needed()), world.followed_plan()) == ([], False)
