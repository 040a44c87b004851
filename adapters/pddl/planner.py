"""Shortest plans: A* with the landmark-cut heuristic over the ground actions of one problem.

It proves the plan lengths of the generated problems and checks the stored ones; no episode and no offline rule uses it.
Source of the heuristic: Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the difference
anyway?", ICAPS 2009. It is admissible, so the first plan found is a shortest one.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from adapters.pddl.domain import Atom
from adapters.pddl.problem import Problem
from adapters.pddl.world import World, build_world

__all__ = ["Plan", "find_shortest_plan"]

_INFINITE = 1 << 30


@dataclass(frozen=True, slots=True)
class Plan:
    """``calls`` is None if there is no plan or the search stopped early; ``expanded`` counts the expanded states."""

    calls: tuple[Atom, ...] | None
    expanded: int


def find_shortest_plan(problem: Problem, max_expanded: int = 20000) -> Plan:
    """Return a shortest plan, or none after ``max_expanded`` states. Deterministic."""
    task = _Task(build_world(problem))
    start = task.start
    if task.estimate(start) == _INFINITE:
        return Plan(None, 0)
    frontier = [(task.estimate(start), 0, 0, start)]
    came: dict[int, tuple[int, int]] = {}
    best = {start: 0}
    closed: set[int] = set()
    count = 0
    while frontier and len(closed) < max_expanded:
        _, _, _, state = heapq.heappop(frontier)
        if state in closed:
            continue
        if state & task.goal == task.goal:
            return Plan(task.trace_path(state, came), len(closed))
        closed.add(state)
        for index, (pre, add, delete) in enumerate(task.masks):
            after = (state & ~delete) | add
            if state & pre != pre or best[state] + 1 >= best.get(after, _INFINITE):
                continue
            best[after], came[after] = best[state] + 1, (state, index)
            closed.discard(after)
            if (rest := task.estimate(after)) < _INFINITE:
                count += 1
                heapq.heappush(frontier, (best[after] + rest, rest, count, after))
    return Plan(None, len(closed))


class _Task:
    """The problem as bit masks; the relaxed problem as lists of numbers."""

    def __init__(self, world: World):
        atoms = sorted({a for action in world.actions for a in action.pre | action.add} | world.problem.init)
        atoms += [a for a in world.problem.goal if a not in atoms]
        number = {atom: i for i, atom in enumerate(atoms)}
        self.calls = [action.call for action in world.actions]
        self.masks = []
        self._pre, self._add = [], []
        for action in world.actions:
            add = action.add - action.pre
            self.masks.append(
                tuple(
                    sum(1 << number[a] for a in part)
                    for part in (
                        action.pre,
                        action.add,
                        frozenset(a for a in action.delete - action.add if a in number),
                    )
                )
            )
            self._pre.append(sorted(number[a] for a in action.pre))
            self._add.append(sorted(number[a] for a in add))
        self.start = sum(1 << number[a] for a in world.problem.init)
        self.goal = sum(1 << number[a] for a in world.problem.goal)
        self._end = len(atoms)  # an extra fact for the whole goal, added by an extra action of cost 0
        self._pre.append(sorted(number[a] for a in world.problem.goal))
        self._add.append([self._end])
        self._users: list[list[int]] = [[] for _ in range(self._end + 1)]
        self._makers: list[list[int]] = [[] for _ in range(self._end + 1)]
        for op, (pre, effect) in enumerate(zip(self._pre, self._add, strict=True)):
            for fact in pre:
                self._users[fact].append(op)
            for fact in effect:
                self._makers[fact].append(op)
        self._estimates: dict[int, int] = {}

    def trace_path(self, state: int, came: dict[int, tuple[int, int]]) -> tuple[Atom, ...]:
        """Return the calls that led to ``state``."""
        calls: list[Atom] = []
        while state in came:
            state, index = came[state]
            calls.append(self.calls[index])
        return tuple(reversed(calls))

    def estimate(self, state: int) -> int:
        """Return a lower bound on the steps from ``state`` to the goal; ``_INFINITE`` if there is no way."""
        if state not in self._estimates:
            self._estimates[state] = self._compute_landmark_cut([i for i in range(self._end) if state >> i & 1])
        return self._estimates[state]

    def _compute_landmark_cut(self, facts: list[int]) -> int:
        cost = [1] * (len(self._pre) - 1) + [0]
        total = 0
        while True:
            reached, support = self._compute_hmax(facts, cost)
            if reached[self._end] == _INFINITE:
                return _INFINITE
            if reached[self._end] == 0:
                return total
            cut = self._find_cut(facts, cost, support)
            price = min(cost[op] for op in cut)
            total += price
            for op in cut:
                cost[op] -= price

    def _compute_hmax(self, facts: list[int], cost: list[int]) -> tuple[list[int], list[int]]:
        """Return each fact's h-max value, and for each action its most expensive condition (-1 = unreachable)."""
        reached = [_INFINITE] * (self._end + 1)
        missing = [len(pre) for pre in self._pre]
        support = [-1] * len(self._pre)
        queue = [(0, fact) for fact in facts]
        for fact in facts:
            reached[fact] = 0
        while queue:
            value, fact = heapq.heappop(queue)
            if value > reached[fact]:
                continue
            for op in self._users[fact]:
                missing[op] -= 1
                if not missing[op]:
                    support[op] = fact  # facts come in order of value, so the last one is the most expensive
                    for effect in self._add[op]:
                        if value + cost[op] < reached[effect]:
                            reached[effect] = value + cost[op]
                            heapq.heappush(queue, (reached[effect], effect))
        return reached, support

    def _find_cut(self, facts: list[int], cost: list[int], support: list[int]) -> list[int]:
        """Return actions of which every relaxed plan uses one: those that enter the zone of free ways to the goal."""
        zone = {self._end}
        stack = [self._end]
        while stack:
            for op in self._makers[stack.pop()]:
                if cost[op] == 0 and support[op] >= 0 and support[op] not in zone:
                    zone.add(support[op])
                    stack.append(support[op])
        enabled_by: dict[int, list[int]] = {}
        for op, fact in enumerate(support):
            enabled_by.setdefault(fact, []).append(op)
        seen, stack, cut = set(facts), list(facts), []
        while stack:
            for op in enabled_by.get(stack.pop(), ()):
                if any(effect in zone for effect in self._add[op]):
                    cut.append(op)
                    continue
                fresh = [effect for effect in self._add[op] if effect not in seen]
                seen.update(fresh)
                stack += fresh
        return cut
