"""Ground actions of one game: which apply in a world, what each changes, and what could ever become true.

What applies is kept per action schema and found anew only when a predicate changed on which the schema depends. Knows
no text. Source: what the translator of ``fast_downward_textworld`` grounds, found by search instead of in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from adapters.alfworld.engine.condition import And, Condition, Literal, Or, free_variables, literals
from adapters.alfworld.engine.domain import Action, Domain, Effect
from adapters.alfworld.engine.facts import EMPTY, Fact, Relation, Row, World, changed
from adapters.alfworld.engine.search import Compiler, Env, Slots, Step

__all__ = ["Change", "Reachable", "Schema", "reachable_world"]

Reachable: TypeAlias = "Callable[[], World]"
"""Everything that could become true if nothing were ever made false."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an action does."""

    added: tuple[Fact, ...]
    dropped: tuple[Fact, ...]
    listed_added: tuple[Fact, ...]
    """What the official engine adds to its facts: conditions are not looked at, only whether they are possible."""
    listed_dropped: tuple[Fact, ...]
    """What it adds to its facts in the negative; of two contrary entries this one stays."""
    doubtful: tuple[Fact, ...]
    """The same, if the fact could ever be true: then the official engine knows of it, else it is left out."""


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
            _Effect(effect, self._parameters, compiler, fluents, self._slots) for effect in action.effects
        )
        self._plain = all(effect.plain for effect in self._effects)
        self._searches = tuple(self._search(branch) for branch in _branches(action.precondition))

    def instances(self, world: World) -> tuple[Row, ...]:
        """Return the arguments under which the action applies and changes something, each once."""
        found: dict[Row, None] = {}
        for search in self._searches:
            env = self._slots.env()
            env[0] = found
            search(world, env)
        return tuple(found)

    def change(self, world: World, args: Row) -> Change:
        """Return what the action does in ``world``."""
        env = self._env(args)
        added: list[Fact] = []
        listed: list[Fact] = []
        certain: set[Fact] = set()
        for effect in self._effects:
            if not effect.negated:
                facts = effect.facts(world, env)
                added.extend(facts)
                listed.extend(effect.listed(world, self._reachable, env))
                if effect.plain:
                    certain.update(facts)
        near = world if self._plain else changed(world, (), listed)
        dropped: list[Fact] = []
        gone: list[Fact] = []
        doubtful: list[Fact] = []
        for effect in self._effects:
            if effect.negated:
                facts = effect.facts(world, env)
                dropped.extend(facts)
                for fact in effect.listed(near, self._reachable, env):
                    if fact not in certain:
                        (gone if fact in listed or self._seen(world, fact) else doubtful).append(fact)
        return Change(tuple(added), tuple(dropped), tuple(listed), tuple(gone), tuple(doubtful))

    def additions(self, reach: World, args: Row) -> Iterable[Fact]:
        """Yield what the action could make true, given everything that could be true."""
        env = self._env(args)
        for effect in self._effects:
            if not effect.negated:
                yield from effect.listed(reach, lambda: reach, env)

    def _env(self, args: Row) -> Env:
        env = self._slots.env()
        for slot, value in zip(self._parameter_slots, args, strict=True):
            env[slot] = value
        return env

    def _seen(self, world: World, fact: Fact) -> bool:
        """Return whether the fact holds or held at first."""
        row, name = fact.arguments, fact.name
        return row in world.get(name, EMPTY).rows or row in self._compiler.initial.get(name, EMPTY).rows

    def _ever(self, world: World, fact: Fact) -> bool:
        """Return whether the fact can be true at some time: only then does the official engine know of it."""
        return self._seen(world, fact) or fact.arguments in self._reachable().get(fact.name, EMPTY).rows

    def _search(self, branch: Condition) -> Step:
        slots, collect = self._parameter_slots, self._collect(branch)

        def finish(world: World, env: Env) -> bool:
            args = tuple([env[slot] for slot in slots])
            if collect is None or collect(world, args):
                env[0][args] = None
            return False

        return self._compiler.search((branch,), self.action.parameters, frozenset(), self._slots, finish)

    def _collect(self, branch: Condition) -> Callable[[World, Row], bool] | None:
        """Return the test that an instance changes something, or None when it always does.

        An instance that only makes true what it requires does not exist for the official engine: going where one is.
        """
        required = {part.predicate for part in literals(branch) if not part.negated}
        adds = [effect for effect in self.action.effects if not effect.literal.negated]
        if any(effect.literal.predicate not in required or not effect.plain for effect in adds):
            return None
        if any(not effect.plain for effect in self.action.effects):
            return None
        met = [p for p in _conjuncts(branch) if isinstance(p, Literal) and free_variables(p) <= self._parameters]
        effects = [effect.literal for effect in self.action.effects]

        places = {parameter.name: at for at, parameter in enumerate(self.action.parameters)}
        quick = tuple(
            tuple(
                tuple((places[one], places[other]) for one, other in zip(effect.args, part.args, strict=True))
                for part in met
                if (part.predicate, part.negated) == (effect.predicate, False)
                and places.keys() >= {*effect.args, *part.args}
            )
            for effect in effects
            if not effect.negated
        )
        constant = any(not arg.startswith("?") for part in (*effects, *met) for arg in part.args)

        def changes(world: World, args: Row) -> bool:
            for required in () if constant else quick:
                if not any(all(args[one] == args[other] for one, other in pairs) for pairs in required):
                    return True
            value = {name: args[at] for name, at in places.items()}
            ground = {(p.predicate, tuple(value.get(arg, arg) for arg in p.args), p.negated) for p in met}
            wanted = {(p.predicate, tuple(value.get(arg, arg) for arg in p.args), p.negated) for p in effects}
            positive = {(name, row) for name, row, negated in wanted if not negated}
            for name, row, negated in wanted - ground:
                if not negated or ((name, row) not in positive and self._ever(world, Fact(name, row))):
                    return True
            return False

        return changes


class _Effect:
    """One effect, compiled."""

    def __init__(
        self, effect: Effect, parameters: frozenset[str], compiler: Compiler, fluents: frozenset[str], slots: Slots
    ):
        self.negated = effect.literal.negated
        self.plain = effect.plain
        self._name = effect.literal.predicate
        self._args = tuple((slots.of(arg), "") if arg.startswith("?") else (0, arg) for arg in effect.literal.args)
        self._single = not effect.parameters
        self._independent = all(literal.negated for literal in literals(effect.condition))
        if self.plain:
            return
        ideal = Compiler(compiler.initial, compiler.members, compiler.assumed | fluents)
        parts, bound = (effect.condition,), parameters
        self._real = compiler.search(parts, effect.parameters, bound, slots, self._found)
        self._possible = ideal.search(parts, effect.parameters, bound, slots, self._found)

    def facts(self, world: World, env: Env) -> tuple[Fact, ...]:
        """Return the literals' facts for which the condition holds."""
        return (self._fact(env),) if self.plain else self._run(self._real, world, env)

    def listed(self, near: World, reachable: Reachable, env: Env) -> tuple[Fact, ...]:
        """Return the literals' facts for which the condition could hold at some time.

        ``near`` is a world of facts known to be possible: looking there first spares most calls of ``reachable``.
        """
        if self.plain:
            return (self._fact(env),)
        found = self._run(self._possible, near, env)
        return found if (found and self._single) or self._independent else self._run(self._possible, reachable(), env)

    def _run(self, search: Step, world: World, env: Env) -> tuple[Fact, ...]:
        found: dict[Fact, None] = {}
        env[0] = found
        search(world, env)
        return tuple(found)

    def _found(self, _world: World, env: Env) -> bool:
        env[0][self._fact(env)] = None
        return False

    def _fact(self, env: Env) -> Fact:
        return Fact(self._name, tuple([value or env[slot] for slot, value in self._args]))


def reachable_world(initial: World, domain: Domain, members: Mapping[str, tuple[str, ...]]) -> World:
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
            for args in schema.instances(world):
                if conditional or args not in tried[schema.name]:
                    tried[schema.name].add(args)
                    for fact in schema.additions(world, args):
                        if fact.arguments not in reach.get(fact.name, ()):
                            fresh.setdefault(fact.name, set()).add(fact.arguments)
        for name, rows in fresh.items():
            reach.setdefault(name, set()).update(rows)
        world = {**world, **{name: Relation(reach[name]) for name in fresh}}
        stale, first = set(fresh), False
    return world


def _branches(condition: Condition) -> tuple[Condition, ...]:
    """Return the alternatives of a precondition that is a disjunction as a whole."""
    parts = list(_conjuncts(condition))
    if len(parts) == 1 and isinstance(parts[0], Or):
        return parts[0].parts
    return (condition,)


def _conjuncts(condition: Condition) -> Iterable[Condition]:
    if isinstance(condition, And):
        for part in condition.parts:
            yield from _conjuncts(part)
    else:
        yield condition
