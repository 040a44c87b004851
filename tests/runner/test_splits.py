"""Split policies: every task on exactly one side, what belongs together stays together, twins counted as published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.config import LearnConfig, RunConfig
from bench.errors import UsageError
from bench.protocols import SuiteOptions
from bench.registry import resolve_suite
from bench.runner.splits import POLICIES, TWO_SPLITS, choose_side, name_kind, name_spec, rate_twins, split_tasks
from bench.types import Task

PLAIN = ("grouped-by-spec", "half-random", "seven-three")


def make_task(number: int, group: str, spec: str, room: str = "") -> Task:
    return Task(f"task-{number:03d}", "s-v1", "test", group, "c", spec=spec, room=room)


TASKS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["", "p", "q", "r", "s", "t"])), min_size=6, max_size=60
).map(lambda pairs: [make_task(i, group, spec and f"{group}-{spec}") for i, (group, spec) in enumerate(pairs)])


@given(TASKS, st.sampled_from(PLAIN), st.integers(0, 5))
def test_split_is_exhaustive_disjoint_and_repeatable(tasks: list[Task], policy: str, seed: int) -> None:
    try:
        sides = split_tasks(tasks, policy, seed)
    except UsageError:  # all tasks are twins
        assume(False)
    ids = [[task.id for task in side] for side in (sides.train, sides.test)]
    assert sorted(ids[0] + ids[1]) == [task.id for task in tasks]
    assert not set(ids[0]) & set(ids[1])
    assert split_tasks(tasks[::-1], policy, seed) == sides
    if policy != "half-random":
        assert rate_twins([name_spec(task) for task in sides.test], {name_spec(task) for task in sides.train}) == 0.0


@given(st.integers(2, 80), st.integers(0, 9))
def test_half_random_divides_each_group_in_half(size: int, seed: int) -> None:
    tasks = [make_task(i, "ab"[i % 2], "") for i in range(2 * size)]
    sides = split_tasks(tasks, "half-random", seed)
    for group in "ab":
        assert abs(2 * sum(task.group == group for task in sides.train) - size) <= 1


def test_seed_and_policy_change_the_sides() -> None:
    tasks = [make_task(i, "a", "") for i in range(40)]
    assert split_tasks(tasks, "half-random", 0) != split_tasks(tasks, "half-random", 1)


def test_seven_three_takes_seven_of_ten() -> None:
    sides = split_tasks([make_task(i, "conversation", "") for i in range(10)], "seven-three")
    assert (len(sides.train), len(sides.test)) == (7, 3)


@pytest.mark.parametrize(("policy", "needs"), [("by-room", "room"), ("by-difficulty", "difficulty")])
def test_policy_refuses_tasks_without_what_it_needs(policy: str, needs: str) -> None:
    with pytest.raises(UsageError, match=f"tasks with a {needs} for policy {policy}"):
        split_tasks([make_task(0, "a", ""), make_task(1, "a", "")], policy)


def test_unknown_policy_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean half-random"):
        split_tasks([make_task(0, "a", "")], "half-randomly")


def test_kind_is_the_specification_without_its_room() -> None:
    assert name_kind(make_task(0, "pick", "pick-Mug-None-Desk-308", "308")) == "pick-Mug-None-Desk"
    assert name_kind(make_task(1, "pick", "")) == "task-001"
    assert rate_twins([], {"a"}) == 0.0


def ask(**fields: object) -> RunConfig:
    return RunConfig(suites=("toy",), strategies=("window",), learn=LearnConfig(**fields))  # type: ignore[arg-type]


def test_side_of_a_run_is_what_it_plays() -> None:
    tasks = [make_task(i, "a", "") for i in range(10)]
    train, test = choose_side(tasks, ask(side="train")), choose_side(tasks, ask())
    assert {task.id for task in train} | {task.id for task in test} == {task.id for task in tasks}
    assert len(train) == len(test) == 5
    assert choose_side(tasks, ask(policy=TWO_SPLITS, split="train")) == tasks
    assert choose_side(tasks, ask(side="train").model_copy(update={"leak": "official"})) == tasks
    assert choose_side(tasks, RunConfig(suites=("toy",), strategies=("window",))) == tasks


def list_tasks(name: str, split: str, root: Path) -> Sequence[Task]:
    suite = resolve_suite(name, split)
    built = suite.spec.build(SuiteOptions(suite.split, suite.params, root, 0))
    try:
        return built.tasks()
    finally:
        built.close()


@pytest.mark.parametrize(("suite", "split"), [("alfworld", "procedural"), ("pddl", "generated")])
def test_generated_suites_offer_what_policies_need(suite: str, split: str, tmp_path: Path) -> None:
    tasks = list_tasks(suite, split, tmp_path)
    assert all(task.spec for task in tasks)
    assert all(task.spec.endswith(f"-{task.room}") for task in tasks if task.room)
    for policy in ("grouped-by-spec", "by-room" if suite == "alfworld" else "by-difficulty"):
        sides = split_tasks(tasks, policy)
        assert len(sides.train) == len(sides.test) == len(tasks) // 2


@pytest.mark.data
def test_twins_of_alfworld_are_as_many_as_published_sources_say(data_root: Path) -> None:
    unseen = list_tasks("alfworld", "valid_unseen", data_root)
    assert (len({task.spec for task in unseen}), len({task.room for task in unseen})) == (47, 4)
    halves = split_tasks(unseen, "half-random")
    twins = rate_twins([task.spec for task in halves.test], {task.spec for task in halves.train})
    assert 0.65 < twins < 0.8
    rooms = split_tasks(unseen, "by-room")
    assert not {task.room for task in rooms.train} & {task.room for task in rooms.test}
    assert {policy for policy in POLICIES if policy != "by-difficulty"} >= {"by-room", "grouped-by-spec"}


@pytest.mark.data
def test_planning_problems_of_one_shape_are_twins(data_root: Path) -> None:
    tasks = list_tasks("pddl", "agentboard", data_root)
    easy = split_tasks(tasks, "by-difficulty")
    assert {task.difficulty for task in easy.train} == {"easy"}
    assert {task.difficulty for task in easy.test} == {"hard"}
    assert len({task.spec for task in tasks}) < len(tasks)
