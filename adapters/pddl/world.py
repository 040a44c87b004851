"""A small STRIPS simulator: the ground actions of one problem and their results.

States are frozensets of facts. Knows no sentences, no progress and no step cap.
Difference from a generic PDDL engine: conjunctions of literals only; the four domains use positive ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from adapters.pddl.domain import Atom, GroundAction, Operator, State
from adapters.pddl.problem import Problem
from bench.errors import DataError

__all__ = ["MOST_ACTIONS", "World", "build_world"]

MOST_ACTIONS = 200_000
"""Ground actions of one problem; more would take gigabytes."""


class World:
    """The ground actions of one problem, sorted."""

    def __init__(self, problem: Problem):
        """Raises: DataError for a problem with more than ``MOST_ACTIONS`` ground actions."""
        self.problem = problem
        every = (action for op in problem.domain.operators for action in _ground(op, problem))
        actions = list(islice(every, MOST_ACTIONS + 1))
        if len(actions) > MOST_ACTIONS:
            raise DataError(
                f"pddl {problem.domain.name}: expected at most {MOST_ACTIONS:,} ground actions, got more; take "
                "a problem with fewer objects, or give them narrower types"
            )
        self.actions = tuple(sorted(actions, key=lambda action: action.call))
        self._by_call = {action.call: action for action in self.actions}

    def action(self, call: Atom) -> GroundAction | None:
        """Return the ground action; None if types or static facts make it impossible."""
        return self._by_call.get(call)

    def valid(self, state: State) -> tuple[GroundAction, ...]:
        """Return the actions whose conditions hold and which would change the state, sorted."""
        return tuple(a for a in self.actions if a.applies(state) and a.result(state) != state)

    def is_goal(self, state: State) -> bool:
        """True if every goal fact holds now."""
        return all(atom in state for atom in self.problem.goal)


@lru_cache(maxsize=128)
def build_world(problem: Problem) -> World:
    """Return the world of a problem; grounding is done once per process."""
    return World(problem)


def _ground(op: Operator, problem: Problem) -> Iterator[GroundAction]:
    """Yield the operator's instances that types and static facts allow."""
    world = problem.domain
    candidates = [[name for name, kind in problem.objects if world.is_a(kind, want)] for want in op.types]
    static = [atom for atom in op.pre if atom.name in world.static]
    for binding in _bind(op, candidates, static, problem.init, {}):
        yield op.ground(tuple(binding[v] for v in op.variables))


def _bind(
    op: Operator, candidates: list[list[str]], static: list[Atom], init: State, binding: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Extend ``binding`` variable by variable; a missing static fact prunes the branch."""
    if len(binding) == len(op.variables):
        yield binding
        return
    variable = op.variables[len(binding)]
    for name in candidates[len(binding)]:
        longer = {**binding, variable: name}
        if any(longer.get(one, one) == longer.get(other, other) for one, other in op.distinct):
            continue
        ready = (a.bind(longer) for a in static if variable in a.args)
        if all(a in init for a in ready if not any(arg.startswith("?") for arg in a.args)):
            yield from _bind(op, candidates, static, init, longer)
