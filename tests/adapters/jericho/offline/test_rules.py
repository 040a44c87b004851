"""The offline adventurer: what it parses, what it does next, and how it depends on its memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.jericho.frames import load_frame
from adapters.jericho.offline.rules import RULES
from adapters.jericho.offline.view import direction_of, read_view
from adapters.jericho.suite import SUITE, JerichoSuite
from baselines.full_history import STRATEGY as FULL
from baselines.no_memory import STRATEGY as NONE
from bench.agents import compose, render, render_experience
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.protocols import Kit, Params, Strategy, SuiteOptions
from bench.types import Event, EventKind, Message, Shape, Step, Stimulus

GOAL = "Your goal: Take the lantern, find the way down and read the old newspaper there.\n"
HALL = "Hall\nYou are in a hall. A door leads north and a passage leads east.\nThere is a small chest here."
ATTIC = "Attic\nThis is the attic. The only way out is down."
RULE = RULES[0]


def prompt(*turns: tuple[str, str], opening: str = HALL, keep: int = 100) -> tuple[Message, ...]:
    """Return the messages after some turns, the last ``keep`` of them remembered."""
    events: list[Event] = []
    for step, (action, reply) in enumerate(turns, start=1):
        events.append(Event(f"a{step}", EventKind.ACTION, action, step))
        events.append(Event(f"o{step}", EventKind.OBSERVATION, reply, step))
    now = events.pop().text if events else ""
    context = render(events[-2 * keep :]) if keep else ""
    return compose(load_frame(), Stimulus(Shape.EPISODE, now, GOAL + opening, len(turns) + 1), context)


def act(*turns: tuple[str, str], **more: Any) -> str:
    return RULE.reply(prompt(*turns, **more)).removeprefix("Action: ")


def test_matches_only_own_frame_and_role() -> None:
    rules = RuleTable([RULE])
    assert rules.find(prompt(), "act") is RULE
    assert rules.find(prompt(), "summarize") is None
    assert rules.find((Message("system", "You are a robot."), Message("user", "# Task\nx")), "act") is None


def test_read_view_leaves_other_games_out_of_the_map() -> None:
    foreign = "Your goal: Find the boat.\n[1] Action: north\n[1] Observation: Cellar\nA dark cellar."
    own = "[1] Action: north\n[1] Observation: Attic\nThis is the attic."
    for context in (f"{foreign}\n{own}", render_experience([foreign], own)):
        view = read_view(compose(load_frame(), Stimulus(Shape.EPISODE, HALL, GOAL + HALL, 2), context))
        assert set(view.rooms) == {"Hall", "Attic"}
        assert view.goal.startswith("Take the lantern")


def test_read_view_builds_map_from_walked_ways() -> None:
    view = read_view(prompt(("n", "Attic\nThis is the attic."), ("down", HALL), ("east", "You can't go that way.")))
    assert view.goal.startswith("Take the lantern")
    assert view.here == "Hall"
    assert view.ways["Hall"] == {"north": "Attic", "up": "Attic", "east": ""}
    assert view.ways["Attic"] == {"south": "Hall", "down": "Hall"}
    assert view.rooms["Hall"] == HALL
    assert view.last == "You can't go that way."
    assert view.has_tried("east")


def test_read_view_without_memory_knows_current_room_only() -> None:
    view = read_view(prompt(("n", ATTIC), keep=0))
    assert view.here == "Attic"
    assert view.ways == {}
    assert view.tried == {}


@pytest.mark.parametrize(("said", "way"), [("N", "north"), ("go up", "up"), ("southwest", "southwest"), ("take n", "")])
def test_direction_of_reads_short_and_long_forms(said: str, way: str) -> None:
    assert direction_of(said) == way


def test_reply_opens_takes_then_walks_mentioned_way() -> None:
    turns = [("open chest", "The chest is empty."), ("take chest", "It is too heavy.")]
    assert act() == "open chest"
    assert act(turns[0]) == "take chest"
    assert act(*turns) == "north"
    assert act(*turns, ("north", "The door is stuck.")) == "east"


def test_reply_walks_back_to_unexplored_way() -> None:
    turns = (("open chest", "Empty."), ("take chest", "No."), ("north", "Attic\nThis is the attic."))
    seen = [*turns, *((way, "You can't go that way.") for way in ("north", "east", "west"))]
    assert act(*seen) == "south"
    assert act(*seen, ("south", "Hall")) == "east"


def test_reply_follows_orders_of_the_goal() -> None:
    room = "Hall\nYou are in a hall. On a shelf stand a brass lantern and an old newspaper."
    assert act(opening=room) == "take lantern"
    assert act(("take lantern", "Taken."), opening=room) == "turn on lantern"
    assert act(("take lantern", "Taken."), ("turn on lantern", "It is on."), opening=room) == "read newspaper"


def test_reply_repeats_action_missing_from_memory() -> None:
    turns = [("open chest", "The chest is empty."), ("take chest", "It is too heavy.")]
    assert act(*turns, keep=100) != "open chest"
    assert act(*turns, keep=0) == "open chest"


def test_reply_enters_opened_way() -> None:
    assert act(("open window", "You open the window far enough to allow entry.")) == "in"


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=80)), max_size=6), st.text(max_size=80))
def test_reply_is_one_line_for_any_messages(turns: Sequence[tuple[str, str]], opening: str) -> None:
    messages = prompt(*turns, opening=opening)
    reply = RULE.reply(messages)
    assert reply == RULE.reply(messages)
    assert reply.startswith("Action: ")
    assert reply.count("\n") == 0
    assert len(reply) > len("Action: ")


@pytest.fixture
def play(data_root: Path) -> Any:
    zork = JerichoSuite(SuiteOptions("zork", Params(SUITE.params), data_root))

    def run(strategy: Strategy) -> dict[str, float]:
        best = {}
        for task in zork.tasks():
            env, steps = zork.open(task), list[Step]()
            opening = env.reset()
            kit = Kit(OfflineReader(RULES), HashEmbedder(), opening.frame, params=Params(strategy.params))
            run_episode(strategy.build(kit), env, opening, zork.limits(), steps)
            env.close()
            best[task.id] = round(steps[-1].observation.progress, 2)
        return best

    yield run
    zork.close()


@pytest.mark.data
def test_offline_model_needs_memory_for_progress(play: Callable[[Strategy], dict[str, float]]) -> None:
    assert play(FULL) == {"zork1": 0.5, "zork2": 1.0, "zork3": 0.17}
    assert play(NONE) == {"zork1": 0.0, "zork2": 0.0, "zork3": 0.0}
