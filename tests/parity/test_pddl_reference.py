"""Our simulator against the reference semantics: AgentBoard's domain files under an interpreter written for this test.

The interpreter shares nothing with the adapter: its own reader of s-expressions, its own types, its own effects
(delete, then add). For all 60 problems a stored plan of the published optimal length wins in both, and along each plan
both agree on which actions are possible and what they change. ``pddl_plans.csv`` holds plans found by this project.
"""

from __future__ import annotations

import csv
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.pddl.data import ROOT, ProblemFile, list_problem_files, read_problem
from adapters.pddl.domain import Atom
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.phrases import read_command
from adapters.pddl.problem import Problem, parse_problem
from adapters.pddl.world import build_world

DATA = Path(os.environ.get("BENCH_DATA", "no-such-folder")).resolve()
PLANS = Path(__file__).parent / "pddl_plans.csv"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not (DATA / ROOT).is_dir(), reason=f"$BENCH_DATA holds no {ROOT}"),
]


def expression(text: str) -> Any:
    """Read one s-expression into nested lists."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|\??[^\s()?]+", re.sub(r";.*", "", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def typed(items: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    queue = list(items)
    while queue:
        item = queue.pop(0)
        if item == "-":
            kind = queue.pop(0)
            found += [(name, kind) for name in waiting]
            waiting = []
        else:
            waiting.append(item)
    return found + [(name, "object") for name in waiting]


def parts(formula: Any) -> list[Any]:
    return list(formula[1:]) if formula[0] == "and" else [formula]


@dataclass
class Reference:
    """One problem under AgentBoard's domain file. States are frozensets of tuples."""

    parents: dict[str, str]
    objects: dict[str, str]
    actions: dict[str, dict[str, Any]]
    start: frozenset[tuple[str, ...]]
    goal: list[tuple[str, ...]]

    @classmethod
    def load(cls, domain_text: str, problem_text: str) -> Reference:
        domain = {part[0]: part[1:] for part in expression(domain_text)[1:] if part[0] != ":action"}
        actions = [part for part in expression(domain_text)[1:] if part[0] == ":action"]
        problem = {part[0]: part[1:] for part in expression(problem_text)[1:]}
        return cls(
            dict(typed(domain.get(":types", []))),
            dict(typed(domain.get(":constants", [])) + typed(problem[":objects"])),
            {a[1]: dict(zip(a[2::2], a[3::2], strict=True)) for a in actions},
            frozenset(tuple(fact) for fact in problem[":init"]),
            [tuple(fact) for fact in parts(problem[":goal"][0])],
        )

    def is_a(self, name: str, kind: str) -> bool:
        have = self.objects[name]
        while have != kind and have in self.parents:
            have = self.parents[have]
        return kind in ("object", have)

    def after(self, state: frozenset[tuple[str, ...]], call: Atom) -> frozenset[tuple[str, ...]] | None:
        """Return the next state, None if the action is not possible."""
        action = self.actions[call.name]
        slots = typed(action[":parameters"])
        if not all(self.is_a(arg, kind) for arg, (_, kind) in zip(call.args, slots, strict=True)):
            return None
        binding = {name: arg for arg, (name, _) in zip(call.args, slots, strict=True)}

        def bound(fact: list[str]) -> tuple[str, ...]:
            return tuple(binding.get(word, word) for word in fact)

        if not all(bound(fact) in state for fact in parts(action[":precondition"])):
            return None
        effects = parts(action[":effect"])
        gone = {bound(effect[1]) for effect in effects if effect[0] == "not"}
        return (state - gone) | {bound(effect) for effect in effects if effect[0] != "not"}


def plans() -> dict[str, list[str]]:
    with PLANS.open(encoding="utf-8", newline="") as table:
        return {row["task"]: row["plan"].split("; ") for row in csv.DictReader(table)}


def load(file: ProblemFile) -> tuple[Reference, Problem]:
    text = read_problem(DATA, file)
    domain_text = (DATA / ROOT / "pddlgym/pddl" / f"{file.domain}.pddl").read_text(encoding="utf-8")
    return Reference.load(domain_text, text), parse_problem(text, file.domain, file.path)


def flat(state: frozenset[Atom]) -> frozenset[tuple[str, ...]]:
    return frozenset((atom.name, *atom.args) for atom in state)


def random_call(reference: Reference, rng: random.Random) -> Atom:
    """Return a call that is rarely possible: any action with any objects, of the right types half of the time."""
    name = rng.choice(sorted(reference.actions))
    slots = typed(reference.actions[name][":parameters"])
    strict = rng.random() < 0.5
    pools = [[o for o in sorted(reference.objects) if not strict or reference.is_a(o, kind)] for _, kind in slots]
    return Atom(name, tuple(rng.choice(pool) for pool in pools))


def test_there_is_a_plan_of_the_published_length_for_each_problem() -> None:
    assert {file.task: file.optimal_steps for file in list_problem_files()} == {
        task: len(plan) for task, plan in plans().items()
    }


@pytest.mark.parametrize("file", list_problem_files(), ids=lambda file: file.task)
def test_plans_win_in_both_and_both_agree_along_them(file: ProblemFile) -> None:
    reference, problem = load(file)
    rng = random.Random(file.task)
    world, objects = build_world(problem), {name for name, _ in problem.objects}
    assert flat(problem.init) == reference.start
    assert sorted((a.name, *a.args) for a in problem.goal) == sorted(reference.goal)
    env = PddlEnvironment(problem)
    env.reset()
    state, theirs = problem.init, reference.start
    plan = plans()[file.task]
    for number, phrase in enumerate(plan, start=1):
        call = read_command(phrase, file.domain, objects).call
        assert call is not None
        for probe in [a.call for a in world.valid(state)] + [random_call(reference, rng) for _ in range(60)]:
            ours = world.action(probe)
            expected = reference.after(theirs, probe)
            possible = ours is not None and ours.applies(state)
            assert possible == (expected is not None), probe
            assert not possible or flat(ours.result(state)) == expected  # type: ignore[union-attr]
        ground = world.action(call)
        following = reference.after(theirs, call)
        assert ground is not None
        assert following is not None
        state, theirs = ground.result(state), following
        observation = env.step(phrase)
        assert observation.valid
        assert observation.won == (number == len(plan)) == all(fact in theirs for fact in reference.goal)
    assert observation.progress == 1.0


@pytest.mark.parametrize("name", ["barman", "blockworld", "gripper", "tyreworld"])
def test_both_list_the_same_actions_at_the_start(name: str) -> None:
    """Exhaustive where the reference can try every combination of objects: the smallest problem of each domain."""
    file = min((f for f in list_problem_files() if f.domain == name), key=lambda f: (len(load(f)[0].objects), f.task))
    reference, problem = load(file)
    listed = {action.call for action in build_world(problem).valid(problem.init)}
    found = set()
    for action, parsed in reference.actions.items():
        slots = typed(parsed[":parameters"])
        calls = [Atom(action)]
        for index, (_, kind) in enumerate(slots):
            names = sorted(o for o in reference.objects if reference.is_a(o, kind))
            calls = [Atom(action, (*c.args, n)) for c in calls for n in names if index == len(c.args)]
        found |= {c for c in calls if reference.after(reference.start, c) not in (None, reference.start)}
    assert found == listed
