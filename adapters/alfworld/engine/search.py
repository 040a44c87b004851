"""Compiles conditions of one game into chains of closures that search a world for bindings.

The order of a search is chosen once, from the sizes of the initial relations; it never changes what is found. Knows no
action, no effect and no text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from adapters.alfworld.engine.condition import (
    ROOT_TYPE,
    And,
    Condition,
    Exists,
    ForAll,
    Literal,
    Or,
    Parameter,
    free_variables,
)
from adapters.alfworld.engine.facts import EMPTY, World

__all__ = ["Compiler", "Env", "Slots", "Step", "Test"]

Env: TypeAlias = "list[Any]"
"""The values of the variables by slot; slot 0 is the caller's."""
Test: TypeAlias = "Callable[[World, Env], bool]"
Step: TypeAlias = "Callable[[World, Env], bool]"
"""Continues the search; true stops it."""
Link: TypeAlias = "Callable[[Step], Step]"


@dataclass(slots=True)
class Slots:
    """Where each variable lives in the environment."""

    at: dict[str, int] = field(default_factory=dict)

    def of(self, variable: str) -> int:
        return self.at.setdefault(variable, len(self.at) + 1)

    def env(self) -> Env:
        return [None] * (len(self.at) + 1)


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles for one game. Negations of the ``assumed`` predicates count as true, and then so does every forall."""

    initial: World
    members: Mapping[str, tuple[str, ...]]
    assumed: frozenset[str] = frozenset()

    def test(self, condition: Condition, slots: Slots) -> Test:
        """Return a test of a condition whose free variables are bound."""
        if isinstance(condition, Literal):
            return self._literal(condition, slots)
        if isinstance(condition, Exists):
            return self.search((condition.body,), condition.parameters, free_variables(condition), slots, _stop)
        if isinstance(condition, ForAll):
            if self.assumed:
                return lambda _world, _env: True
            counter = self.search(
                (_negate(condition.body),), condition.parameters, free_variables(condition), slots, _stop
            )
            return lambda world, env: not counter(world, env)
        tests = tuple(self.test(part, slots) for part in condition.parts)
        if len(tests) == 1:
            return tests[0]
        if isinstance(condition, And):
            return lambda world, env: all(test(world, env) for test in tests)
        return lambda world, env: any(test(world, env) for test in tests)

    def search(
        self,
        parts: Iterable[Condition],
        parameters: Iterable[Parameter],
        bound: frozenset[str],
        slots: Slots,
        finish: Step,
    ) -> Step:
        """Return a search for values of ``parameters`` under which all ``parts`` hold; ``finish`` gets each of them."""
        types = {parameter.name: parameter.type for parameter in parameters}
        conjuncts = list(_flatten(parts, types))
        known = set(bound)
        links: list[Link] = []
        while True:
            ready = [part for part in conjuncts if free_variables(part) <= known]
            conjuncts = [part for part in conjuncts if part not in ready]
            links.extend(_check(self.test(part, slots)) for part in ready)
            atoms = [
                part for part in conjuncts if isinstance(part, Literal) and not part.negated and part.predicate != "="
            ]
            if atoms:
                best = min(atoms, key=lambda atom: self._cost(atom, known))
                links.append(self._rows(best, known, types, slots))
                known |= free_variables(best)
                conjuncts.remove(best)
                continue
            unknown = [name for name in types if name not in known]
            if not unknown:
                break
            links.append(_members(slots.of(unknown[0]), self.members.get(types[unknown[0]], ())))
            known.add(unknown[0])
        step = finish
        for link in reversed(links):
            step = link(step)
        return step

    def _cost(self, atom: Literal, known: set[str]) -> float:
        """Return about how many rows match, from the initial relation."""
        relation = self.initial.get(atom.predicate, EMPTY)
        groups = [len(relation.by(at)) for at, arg in enumerate(atom.args) if arg in known or not arg.startswith("?")]
        return (len(relation) + 0.5) / max((*groups, 1))

    def _literal(self, literal: Literal, slots: Slots) -> Test:
        args = tuple((slots.of(arg), "") if arg.startswith("?") else (0, arg) for arg in literal.args)
        expected, name = not literal.negated, literal.predicate
        if literal.negated and name in self.assumed:
            return lambda _world, _env: True
        if name == "=":
            (left, one), (right, other) = args
            return lambda _world, env: ((one or env[left]) == (other or env[right])) is expected
        if len(args) == 1 and args[0][0]:
            slot = args[0][0]
            return lambda world, env: ((env[slot],) in world.get(name, EMPTY).rows) is expected
        return lambda world, env: (
            (tuple([value or env[slot] for slot, value in args]) in world.get(name, EMPTY).rows) is expected
        )

    def _rows(self, atom: Literal, known: set[str], types: Mapping[str, str], slots: Slots) -> Link:
        """Return the link that tries each row of a relation and binds the atom's new variables."""
        checks: list[tuple[int, int, str]] = []
        binds: list[tuple[int, int, frozenset[str] | None]] = []
        fresh: set[str] = set()
        for at, arg in enumerate(atom.args):
            if not arg.startswith("?"):
                checks.append((at, 0, arg))
            elif arg in known or arg in fresh:
                checks.append((at, slots.of(arg), ""))
            else:
                fresh.add(arg)
                kind = types[arg]
                binds.append((at, slots.of(arg), None if kind == ROOT_TYPE else frozenset(self.members.get(kind, ()))))
        relation = self.initial.get(atom.predicate, EMPTY)
        old = [check for check in checks if check[2] or atom.args[check[0]] in known]
        key = max(old, key=lambda check: len(relation.by(check[0])), default=None)
        checks = [check for check in checks if check is not key]
        return _scan(atom.predicate, key, tuple(checks), tuple(binds))


def _scan(
    name: str,
    key: tuple[int, int, str] | None,
    checks: tuple[tuple[int, int, str], ...],
    binds: tuple[tuple[int, int, frozenset[str] | None], ...],
) -> Link:
    position, slot, constant = key or (0, 0, "")

    def link(go_on: Step) -> Step:
        def step(world: World, env: Env) -> bool:
            relation = world.get(name, EMPTY)
            rows = relation.by(position).get(constant or env[slot], ()) if key else relation.sorted_rows
            for row in rows:
                for at, target, kind in binds:
                    value = row[at]
                    if kind is not None and value not in kind:
                        break
                    env[target] = value
                else:
                    if all(row[at] == (value or env[source]) for at, source, value in checks) and go_on(world, env):
                        return True
            return False

        def only(world: World, env: Env) -> bool:
            relation = world.get(name, EMPTY)
            for row in relation.by(position).get(constant or env[slot], ()) if key else relation.sorted_rows:
                value = row[first]
                if kind is None or value in kind:
                    env[target] = value
                    if go_on(world, env):
                        return True
            return False

        if len(binds) == 1 and not checks:
            ((first, target, kind),) = binds
            return only
        return step

    return link


def _check(test: Test) -> Link:
    def link(go_on: Step) -> Step:
        return lambda world, env: test(world, env) and go_on(world, env)

    return link


def _members(slot: int, names: tuple[str, ...]) -> Link:
    def link(go_on: Step) -> Step:
        def step(world: World, env: Env) -> bool:
            for name in names:
                env[slot] = name
                if go_on(world, env):
                    return True
            return False

        return step

    return link


def _stop(_world: World, _env: Env) -> bool:
    return True


def _flatten(parts: Iterable[Condition], types: dict[str, str]) -> Iterable[Condition]:
    """Yield the conjuncts under and/exists, noting the variables that exists adds."""
    for part in parts:
        if isinstance(part, And):
            yield from _flatten(part.parts, types)
        elif isinstance(part, Exists):
            types.update((parameter.name, parameter.type) for parameter in part.parameters)
            yield from _flatten((part.body,), types)
        else:
            yield part


def _negate(condition: Condition) -> Condition:
    if isinstance(condition, Literal):
        return Literal(condition.predicate, condition.args, not condition.negated)
    if isinstance(condition, And):
        return Or(tuple(_negate(part) for part in condition.parts))
    if isinstance(condition, Or):
        return And(tuple(_negate(part) for part in condition.parts))
    if isinstance(condition, Exists):
        return ForAll(condition.parameters, _negate(condition.body))
    return Exists(condition.parameters, _negate(condition.body))
