"""The novice's planning rule: it looks a few actions ahead, and a shown sequence counts as one of them."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.pddl.domain import DOMAINS, Atom, load_domain
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.frames import load_frame
from adapters.pddl.generate import generate_tasks
from adapters.pddl.offline.moves import list_moves
from adapters.pddl.offline.novice import NoviceRule, build_rules
from adapters.pddl.offline.own import OwnRule
from adapters.pddl.offline.rules import PddlRule
from adapters.pddl.offline.sequences import find_sequences, try_sequence
from adapters.pddl.offline.view import read_view
from adapters.pddl.problem import parse_problem
from adapters.pddl.world import build_world
from adapters.shared.lessons import read_lessons
from bench.agents import compose, render, render_experience
from bench.models.offline.novice import PARAMS
from bench.protocols import Params
from bench.types import Event, EventKind, Message, Shape, Stimulus

CAP = 25


def environment(task: str) -> PddlEnvironment:
    item = next(item for item in generate_tasks() if item.task == task)
    return PddlEnvironment(parse_problem(item.text, item.domain, item.task), load_frame(item.domain, "bare"))


def play(task: str, rule: Any, taught: str = "") -> tuple[bool, str]:
    """Return whether a task is won with the full history, and what happened."""
    env = environment(task)
    opening = env.reset()
    events, now = [Event("o0", EventKind.OBSERVATION, opening.observation)], opening.observation
    for step in range(1, CAP + 1):
        context = render_experience([taught], render(events[:-1]))
        stimulus = Stimulus(Shape.EPISODE, now, opening.goal, step)
        action = rule.reply(compose(opening.frame, stimulus, context)).removeprefix("Action: ")
        seen = env.step(action)
        events.append(Event(f"a{step}", EventKind.ACTION, action, step))
        events.append(Event(f"o{step}", EventKind.OBSERVATION, seen.text, step))
        now = seen.text
        if seen.done:
            break
    return seen.won, f"{opening.goal}\n{render(events)}"


def wins(domain: str, taught: str = "", depth: int = 2) -> int:
    rule = NoviceRule(domain, depth)
    return sum(play(f"{domain}/g0{number}", rule, taught)[0] for number in range(1, 4))


@pytest.mark.parametrize("domain", ["barman", "gripper", "tyreworld"])
def test_trajectory_of_the_domain_helps_and_of_another_does_not(domain: str) -> None:
    won, same = play(f"{domain}/g07", PddlRule(domain))
    assert won
    other_domain = DOMAINS[(DOMAINS.index(domain) + 1) % len(DOMAINS)]
    other = play(f"{other_domain}/g07", PddlRule(other_domain))[1]
    untaught = wins(domain)
    assert wins(domain, same) > untaught
    assert wins(domain, other) == untaught


def test_deeper_look_ahead_wins_more() -> None:
    assert wins("gripper", depth=1) <= wins("gripper", depth=2) < wins("gripper", depth=3)


def test_rules_are_built_for_every_domain_with_the_given_depth() -> None:
    rules = build_rules(Params(PARAMS, {"depth": "1"}))
    assert [rule.header for rule in rules] == [*(PddlRule(name).header for name in DOMAINS), OwnRule.header]


def test_reply_to_empty_prompt_asks_for_the_valid_actions() -> None:
    assert NoviceRule("barman", 2).reply((Message("user", ""),)) == "Action: check valid actions"


@pytest.mark.parametrize("item", generate_tasks()[::6], ids=lambda item: item.task)
def test_list_moves_equals_the_world(item: Any) -> None:
    problem = parse_problem(item.text, item.domain, item.task)
    world = build_world(problem)
    state = problem.init
    for _ in range(4):
        moves = {move.call: move.after for move in list_moves(item.domain, state)}
        assert moves == {action.call: action.result(state) for action in world.valid(state)}
        state = moves[min(moves)]


GRIPPER = """
Your goal is that all of the following hold at once: Ball-x lies in yard.
Current state: Arm1 is an arm of the robot. Ball-x is a ball. Ball-x lies in hall. Hall is a room. The arm arm1 carries nothing. The robot is in hall. Yard is a room.
Action: move from hall to yard
Observation: Current state: The robot is in yard.
Action: move from yard to hall
Observation: Current state: The robot is in hall.
Action: pick up ball-x at hall with arm arm1
Observation: Current state: Ball-x is carried by the arm arm1.
Action: move from hall to yard
Observation: Current state: The robot is in yard.
Action: drop ball-x yard arm1
Observation: Current state: Ball-x lies in yard. The goal is reached.
"""  # noqa: E501


def test_find_sequences_keeps_what_led_to_the_goal() -> None:
    lessons = read_lessons(GRIPPER)
    (one,) = find_sequences(lessons.trajectories, lessons.prose, "gripper", frozenset(("at",)))
    assert [step.name for step in one.steps] == ["pick", "move", "drop"]  # the way there and back was a detour
    assert one.steps[-1].args == ("?ball-x", "?yard", "?arm1")
    assert one.achieves == Atom("at", ("?ball-x", "?yard"))


def test_find_sequences_reads_the_order_of_actions_in_prose() -> None:
    lessons = read_lessons("- First pick up the ball, then move, then drop it.\n- Be quick.")
    (one,) = find_sequences(lessons.trajectories, lessons.prose, "gripper", frozenset(("at",)))
    assert [step.name for step in one.steps] == ["pick", "move", "drop"]


def test_try_sequence_finds_the_objects_of_this_problem() -> None:
    env = environment("gripper/g03")
    opening = env.reset()
    view = read_view(
        compose(opening.frame, Stimulus(Shape.EPISODE, opening.observation, opening.goal, 1), ""), "gripper"
    )
    lessons = read_lessons(GRIPPER)
    (one,) = find_sequences(lessons.trajectories, lessons.prose, "gripper", frozenset(("at",)))
    goal = frozenset(view.goal)
    moves = try_sequence(one, "gripper", view.belief, goal)
    assert moves
    assert len(goal & moves[-1].after) > len(goal & view.belief)
    assert {move.call.name for move in moves} <= {op.name for op in load_domain("gripper").operators}
