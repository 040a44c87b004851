"""Shortest plans, and the plan lengths that the suite states."""

from __future__ import annotations

import csv
from collections import deque
from pathlib import Path

import pytest

from adapters.pddl.data import problem_files, read_problem
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.generate import GeneratedTask, generated, problem_text
from adapters.pddl.planner import shortest_plan
from adapters.pddl.problem import Problem, parse_problem
from adapters.pddl.world import world_of

PLANS = Path(__file__).parent / "generated_plans.csv"
QUICK = {"barman/g01", "gripper/g01", "gripper/g08", "tyreworld/g01"} | {f"blockworld/g{i:02d}" for i in range(1, 7)}


def blind(problem: Problem) -> int | None:
    """Return the length of a shortest plan by breadth-first search."""
    world, depth = world_of(problem), {problem.init: 0}
    queue = deque([problem.init])
    while queue:
        state = queue.popleft()
        if world.won(state):
            return depth[state]
        for action in world.valid(state):
            after = action.result(state)
            if after not in depth:
                depth[after] = depth[state] + 1
                queue.append(after)
    return None


@pytest.mark.parametrize("name", ["blockworld/1", "blockworld/2", "gripper/1", "gripper/2", "gripper/8", "tyreworld/1"])
def test_as_short_as_a_blind_search_finds(name: str) -> None:
    domain_name, number = name.split("/")
    problem = parse_problem(problem_text(domain_name, int(number)), domain_name, name)
    plan = shortest_plan(problem)
    assert plan.calls is not None
    assert len(plan.calls) == blind(problem)


def test_plans_can_be_carried_out() -> None:
    problem = parse_problem(problem_text("barman", 1), "barman", "g")
    world, state = world_of(problem), problem.init
    for call in shortest_plan(problem).calls or ():
        action = world.action(call)
        assert action is not None
        assert action.applies(state)
        state = action.result(state)
    assert world.won(state)


def test_a_problem_without_a_plan_has_none() -> None:
    text = problem_text("gripper", 1).replace("(free left)", "").replace("(free right)", "")
    plan = shortest_plan(parse_problem(text, "gripper", "g"))
    assert (plan.calls, plan.expanded) == (None, 0)


def test_the_search_gives_up_where_told() -> None:
    plan = shortest_plan(parse_problem(problem_text("gripper", 3), "gripper", "g"), max_expanded=5)
    assert (plan.calls, plan.expanded) == (None, 5)


@pytest.mark.parametrize("item", [i for i in generated() if i.task in QUICK], ids=lambda item: item.task)
def test_stated_lengths_are_shortest(item: GeneratedTask) -> None:
    plan = shortest_plan(parse_problem(item.text, item.domain, item.task))
    assert item.proved
    assert plan.calls is not None
    assert len(plan.calls) == item.optimal_steps


def test_a_plan_of_the_stated_length_wins_each_generated_problem() -> None:
    with PLANS.open(encoding="utf-8", newline="") as table:
        plans = {row["task"]: row["plan"].split("; ") for row in csv.DictReader(table)}
    for item in generated():
        env = PddlEnvironment(parse_problem(item.text, item.domain, item.task))
        env.reset()
        observations = [env.step(action) for action in plans[item.task]]
        assert all(observation.valid for observation in observations)
        assert [observation.won for observation in observations].index(True) + 1 == item.optimal_steps
        assert observations[-1].progress == 1.0


@pytest.mark.data
def test_agentboard_lengths_are_shortest_where_that_is_quick_to_prove(data_root: Path) -> None:
    """Eleven instances; plans of the stated length for all sixty are in the parity tests."""
    quick = [f for f in problem_files() if f.domain == "blockworld" and f.task != "blockworld/problem10"]
    quick += [f for f in problem_files() if f.task in ("tyreworld/p01", "tyreworld/p05")]
    for file in quick:
        plan = shortest_plan(parse_problem(read_problem(data_root, file), file.domain, file.task))
        assert plan.calls is not None
        assert len(plan.calls) == file.optimal_steps
