"""The facts that texts and players see, which under ``strict`` differ from the true ones. Knows no command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from adapters.alfworld.engine.applicable import Change, Schema
from adapters.alfworld.engine.expression import Info
from adapters.alfworld.engine.facts import EMPTY, Fact, Relation, Row, World, apply_changes
from adapters.alfworld.engine.query import Types

__all__ = ["PlayerFacts", "Rules"]


class Rules(Protocol):
    """What a session needs of its game. Nothing in it changes during play."""

    who: str
    strict: bool
    schemas: tuple[Schema, ...]

    @property
    def infos(self) -> Mapping[str, Info]: ...

    types: Types
    type_of: Mapping[str, str]
    goal_predicates: frozenset[str]
    fixed: tuple[bool, ...]
    """By schema: true if no action changes a fact on which the wording of its command depends."""

    def meets_goal(self, world: World) -> bool: ...

    def command(self, at: int, args: Row, facts: PlayerFacts) -> str: ...

    def feedback(self, at: int, args: Row, facts: PlayerFacts) -> str: ...

    def reachable(self) -> World: ...


class PlayerFacts:
    """The facts for texts and for the player. Immutable, except that doubts are resolved.

    Under ``strict`` these are the facts of the official engine: a fact made false stays as ``not_fact`` if it could
    ever be true. To find out whether it could is expensive and seldom needed, so the fact is a doubt until a negative
    fact is read.
    """

    __slots__ = ("_known", "_rules")

    def __init__(self, rules: Rules, world: World, doubts: frozenset[Fact] = frozenset()):
        self._rules = rules
        self._known = (world, doubts)

    @property
    def infos(self) -> Mapping[str, Info]:
        return self._rules.infos

    @property
    def types(self) -> Types:
        return self._rules.types

    @property
    def type_of(self) -> Mapping[str, str]:
        return self._rules.type_of

    @property
    def world(self) -> World:
        """All facts, with every doubt resolved."""
        return self._resolve(self._known[1])

    def relation(self, name: str) -> Relation:
        world, doubts = self._known
        if doubts and name.startswith("not_"):
            world = self._resolve(frozenset(fact for fact in doubts if f"not_{fact.name}" == name))
        return world.get(name, EMPTY)

    def _resolve(self, some: frozenset[Fact]) -> World:
        """Resolve some doubts, store the facts in one assignment (copies share this object) and return them."""
        world, doubts = self._known
        if some:
            reach = self._rules.reachable()
            known = [fact for fact in some if fact.arguments in reach.get(fact.name, EMPTY).rows]
            world = apply_changes(world, (), [_negate(fact) for fact in known])
            self._known = (world, doubts - some)
        return world

    def apply(self, change: Change, world: World) -> PlayerFacts:
        """Return the facts after a change that led to ``world``."""
        if not self._rules.strict:
            return PlayerFacts(self._rules, world)
        facts, doubts = self._known
        known = [fact for fact in change.doubtful if fact.arguments in facts.get(fact.name, EMPTY).rows]
        gone = frozenset((*change.listed_dropped, *known))
        new = [fact for fact in change.listed_added if fact not in gone]
        dropped = [*gone, *(_negate(fact) for fact in new)]
        doubts = (doubts - frozenset(new)) | frozenset(change.doubtful)
        return PlayerFacts(
            self._rules, apply_changes(facts, dropped, [*new, *(_negate(fact) for fact in gone)]), doubts
        )


def _negate(fact: Fact) -> Fact:
    return Fact(f"not_{fact.name}", fact.arguments)
