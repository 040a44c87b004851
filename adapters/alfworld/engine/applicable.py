"""Ground actions of one game: which apply in a world, what each changes, and which facts could ever become true.

The instances of a schema are found by search in a world, where the translator of ``fast_downward_textworld`` (the
source of the semantics) grounds all of them in advance. Knows no text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from adapters.alfworld.engine.condition import And, Condition, Literal, Or, free_variables, literals
from adapters.alfworld.engine.domain import Action, Domain
from adapters.alfworld.engine.effect import CompiledEffect, Reachable
from adapters.alfworld.engine.facts import EMPTY, Fact, Relation, Row, World, apply_changes
from adapters.alfworld.engine.search import Compiler, Env, Slots, Step

__all__ = ["Change", "Schema", "compute_reachable_world"]

Pairs: TypeAlias = "tuple[tuple[int, int], ...]"
"""Positions of arguments, two by two."""


@dataclass(frozen=True, slots=True)
class Change:
    """The facts that an action changes."""

    added: tuple[Fact, ...]
    dropped: tuple[Fact, ...]
    listed_added: tuple[Fact, ...]
    """Facts that the official engine adds to its list: it ignores conditions that are possible."""
    listed_dropped: tuple[Fact, ...]
    """Facts that it adds in the negative; of two contrary entries this one wins."""
    doubtful: tuple[Fact, ...]
    """The same, but only if the fact could ever be true; the official engine does not know other facts."""


class Schema:
    """One action of the domain, compiled for one game. Immutable."""

    def __init__(self, action: Action, compiler: Compiler, fluents: frozenset[str], reachable: Reachable):
        self.action = action
        self.name = action.name
        self.depends = frozenset(part.predicate for part in literals(action.precondition)) & fluents
        self._compiler = compiler
        self._reachable = reachable
        self._slots = Slots()
        self._parameter_slots = tuple(self._slots.of(parameter.name) for parameter in action.parameters)
        self._parameters = frozenset(parameter.name for parameter in action.parameters)
        self._effects = tuple(
            CompiledEffect(effect, self._parameters, compiler, fluents, self._slots) for effect in action.effects
        )
        self._plain = all(effect.plain for effect in self._effects)
        self._searches = tuple(self._compile_search(branch) for branch in _split_branches(action.precondition))

    def find_instances(self, world: World) -> tuple[Row, ...]:
        """Return the arguments with which the action applies and changes something, each once."""
        found: dict[Row, None] = {}
        for search in self._searches:
            env = self._slots.env()
            env[0] = found
            search(world, env)
        return tuple(found)

    def compute_change(self, world: World, args: Row) -> Change:
        """Return the changes by the action in ``world``."""
        env = self._build_env(args)
        added: list[Fact] = []
        listed: list[Fact] = []
        certain: set[Fact] = set()
        for effect in self._effects:
            if not effect.negated:
                facts = effect.find_facts(world, env)
                added.extend(facts)
                listed.extend(effect.find_possible_facts(world, self._reachable, env))
                if effect.plain:
                    certain.update(facts)
        near = world if self._plain else apply_changes(world, (), listed)
        dropped: list[Fact] = []
        gone: list[Fact] = []
        doubtful: list[Fact] = []
        for effect in self._effects:
            if effect.negated:
                facts = effect.find_facts(world, env)
                dropped.extend(facts)
                for fact in effect.find_possible_facts(near, self._reachable, env):
                    if fact not in certain:
                        (gone if fact in listed or self._has_held(world, fact) else doubtful).append(fact)
        return Change(tuple(added), tuple(dropped), tuple(listed), tuple(gone), tuple(doubtful))

    def find_additions(self, reach: World, args: Row) -> Iterable[Fact]:
        """Yield what the action could make true, given everything that could be true."""
        env = self._build_env(args)
        for effect in self._effects:
            if not effect.negated:
                yield from effect.find_possible_facts(reach, lambda: reach, env)

    def _build_env(self, args: Row) -> Env:
        env = self._slots.env()
        for slot, value in zip(self._parameter_slots, args, strict=True):
            env[slot] = value
        return env

    def _has_held(self, world: World, fact: Fact) -> bool:
        """True if the fact holds now or in the initial world."""
        row, name = fact.arguments, fact.name
        return row in world.get(name, EMPTY).rows or row in self._compiler.initial.get(name, EMPTY).rows

    def _can_hold(self, world: World, fact: Fact) -> bool:
        """True if the fact can be true at some time: only then the official engine knows it."""
        return self._has_held(world, fact) or fact.arguments in self._reachable().get(fact.name, EMPTY).rows

    def _compile_search(self, branch: Condition) -> Step:
        slots, changes = self._parameter_slots, self._build_change_test(branch)

        def finish(world: World, env: Env) -> bool:
            args = tuple([env[slot] for slot in slots])
            if changes is None or changes(world, args):
                env[0][args] = None
            return False

        return self._compiler.search((branch,), self.action.parameters, frozenset(), self._slots, finish)

    def _build_change_test(self, branch: Condition) -> Callable[[World, Row], bool] | None:
        """Return the test that an instance changes something; None if every instance does.

        For the official engine an instance that only makes true what it requires does not exist: to go where one is.
        """
        required = {part.predicate for part in literals(branch) if not part.negated}
        adds = [effect for effect in self.action.effects if not effect.literal.negated]
        if any(effect.literal.predicate not in required or not effect.plain for effect in adds):
            return None
        if any(not effect.plain for effect in self.action.effects):
            return None
        met = [p for p in _split_conjuncts(branch) if isinstance(p, Literal) and free_variables(p) <= self._parameters]
        effects = [effect.literal for effect in self.action.effects]
        places = {parameter.name: at for at, parameter in enumerate(self.action.parameters)}
        quick = _pair_arguments(effects, met, places)

        def changes(world: World, args: Row) -> bool:
            for alternatives in quick:
                if not any(all(args[one] == args[other] for one, other in pairs) for pairs in alternatives):
                    return True
            value = {name: args[at] for name, at in places.items()}
            ground = {(p.predicate, tuple(value.get(arg, arg) for arg in p.args), p.negated) for p in met}
            results = {(p.predicate, tuple(value.get(arg, arg) for arg in p.args), p.negated) for p in effects}
            positive = {(name, row) for name, row, negated in results if not negated}
            for name, row, negated in results - ground:
                if not negated or ((name, row) not in positive and self._can_hold(world, Fact(name, row))):
                    return True
            return False

        return changes


def _pair_arguments(
    effects: Sequence[Literal], met: Sequence[Literal], places: Mapping[str, int]
) -> tuple[tuple[Pairs, ...], ...]:
    """Return, for each added fact, the argument pairs that must be equal for a condition to be the same fact.

    One entry per condition with its predicate; empty if a literal has a constant: then the quick test does not apply.
    """
    if any(not arg.startswith("?") for part in (*effects, *met) for arg in part.args):
        return ()
    return tuple(
        tuple(
            tuple((places[one], places[other]) for one, other in zip(effect.args, part.args, strict=True))
            for part in met
            if (part.predicate, part.negated) == (effect.predicate, False)
            and places.keys() >= {*effect.args, *part.args}
        )
        for effect in effects
        if not effect.negated
    )


def compute_reachable_world(initial: World, domain: Domain, members: Mapping[str, tuple[str, ...]]) -> World:
    """Return all facts that some sequence of actions could make true if nothing were ever made false."""
    reach: dict[str, set[Row]] = {name: set(relation.rows) for name, relation in initial.items()}
    world: World = dict(initial)
    ideal = Compiler(initial, members, frozenset(domain.arities))
    schemas = [Schema(action, ideal, domain.fluents, lambda: world) for action in domain.actions]
    tried: dict[str, set[Row]] = {schema.name: set() for schema in schemas}
    stale = set(world)
    first = True
    while first or stale:
        fresh: dict[str, set[Row]] = {}
        for schema in schemas:
            conditional = any(not effect.plain for effect in schema.action.effects)
            if not first and not conditional and not schema.depends & stale:
                continue
            for args in schema.find_instances(world):
                if conditional or args not in tried[schema.name]:
                    tried[schema.name].add(args)
                    for fact in schema.find_additions(world, args):
                        if fact.arguments not in reach.get(fact.name, ()):
                            fresh.setdefault(fact.name, set()).add(fact.arguments)
        for name, rows in fresh.items():
            reach.setdefault(name, set()).update(rows)
        world = {**world, **{name: Relation(reach[name]) for name in fresh}}
        stale, first = set(fresh), False
    return world


def _split_branches(condition: Condition) -> tuple[Condition, ...]:
    """Return the alternatives of a precondition that is one disjunction, else the precondition."""
    parts = list(_split_conjuncts(condition))
    if len(parts) == 1 and isinstance(parts[0], Or):
        return parts[0].parts
    return (condition,)


def _split_conjuncts(condition: Condition) -> Iterable[Condition]:
    if isinstance(condition, And):
        for part in condition.parts:
            yield from _split_conjuncts(part)
    else:
        yield condition
