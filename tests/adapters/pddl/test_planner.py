"""Shortest plans, and the plan lengths that the suite states."""

from __future__ import annotations

import csv
from collections import deque
from pathlib import Path

import pytest

from adapters.pddl.data import list_problem_files, read_problem
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.generate import GeneratedTask, generate_tasks, problem_text
from adapters.pddl.planner import find_shortest_plan
from adapters.pddl.problem import Problem, parse_problem
from adapters.pddl.world import build_world

PLANS = Path(__file__).parent / "generated_plans.csv"
QUICK = {"barman/g01", "gripper/g01", "gripper/g08", "tyreworld/g01"} | {f"blockworld/g{i:02d}" for i in range(1, 7)}


def search_breadth_first(problem: Problem) -> int | None:
    """Return the length of a shortest plan by breadth-first search."""
    world, depth = build_world(problem), {problem.init: 0}
    queue = deque([problem.init])
    while queue:
        state = queue.popleft()
        if world.is_goal(state):
            return depth[state]
        for action in world.valid(state):
            after = action.result(state)
            if after not in depth:
                depth[after] = depth[state] + 1
                queue.append(after)
    return None


@pytest.mark.parametrize("name", ["blockworld/1", "blockworld/2", "gripper/1", "gripper/2", "gripper/8", "tyreworld/1"])
def test_find_shortest_plan_equals_breadth_first_search(name: str) -> None:
    domain_name, number = name.split("/")
    problem = parse_problem(problem_text(domain_name, int(number)), domain_name, name)
    plan = find_shortest_plan(problem)
    assert plan.calls is not None
    assert len(plan.calls) == search_breadth_first(problem)


def test_find_shortest_plan_returns_executable_plan() -> None:
    problem = parse_problem(problem_text("barman", 1), "barman", "g")
    world, state = build_world(problem), problem.init
    for call in find_shortest_plan(problem).calls or ():
        action = world.action(call)
        assert action is not None
        assert action.applies(state)
        state = action.result(state)
    assert world.is_goal(state)


def test_find_shortest_plan_of_unsolvable_problem_is_none() -> None:
    text = problem_text("gripper", 1).replace("(free left)", "").replace("(free right)", "")
    plan = find_shortest_plan(parse_problem(text, "gripper", "g"))
    assert (plan.calls, plan.expanded) == (None, 0)


def test_find_shortest_plan_stops_at_max_expanded() -> None:
    plan = find_shortest_plan(parse_problem(problem_text("gripper", 3), "gripper", "g"), max_expanded=5)
    assert (plan.calls, plan.expanded) == (None, 5)


@pytest.mark.parametrize("item", [i for i in generate_tasks() if i.task in QUICK], ids=lambda item: item.task)
def test_generated_csv_has_shortest_lengths(item: GeneratedTask) -> None:
    plan = find_shortest_plan(parse_problem(item.text, item.domain, item.task))
    assert item.proved
    assert plan.calls is not None
    assert len(plan.calls) == item.optimal_steps


def test_stored_plan_wins_each_generated_problem() -> None:
    with PLANS.open(encoding="utf-8", newline="") as table:
        plans = {row["task"]: row["plan"].split("; ") for row in csv.DictReader(table)}
    for item in generate_tasks():
        env = PddlEnvironment(parse_problem(item.text, item.domain, item.task))
        env.reset()
        observations = [env.step(action) for action in plans[item.task]]
        assert all(observation.valid for observation in observations)
        assert [observation.won for observation in observations].index(True) + 1 == item.optimal_steps
        assert observations[-1].progress == 1.0


@pytest.mark.data
def test_agentboard_csv_has_shortest_lengths(data_root: Path) -> None:
    """Eleven instances; plans of the stated length for all sixty are in the parity tests."""
    quick = [f for f in list_problem_files() if f.domain == "blockworld" and f.task != "blockworld/problem10"]
    quick += [f for f in list_problem_files() if f.task in ("tyreworld/p01", "tyreworld/p05")]
    for file in quick:
        plan = find_shortest_plan(parse_problem(read_problem(data_root, file), file.domain, file.task))
        assert plan.calls is not None
        assert len(plan.calls) == file.optimal_steps
