"""One play of a game: what was said, what may be commanded, what holds; and the steps from one moment to the next.

Knows how a moment follows from another, not how a game file is read. A session is used by one thread at a time;
sessions of one game, and copies, may be used by several at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from adapters.alfworld.engine.applicable import Change, Schema
from adapters.alfworld.engine.expression import Info
from adapters.alfworld.engine.facts import EMPTY, Fact, Relation, Row, World, changed
from adapters.alfworld.engine.query import Types
from bench.errors import DataError

__all__ = ["NOTHING", "Rules", "Session", "Told"]

NOTHING = "Nothing happens."


class Rules(Protocol):
    """What a session asks of its game. Nothing in it changes during play."""

    who: str
    strict: bool
    schemas: tuple[Schema, ...]

    @property
    def infos(self) -> Mapping[str, Info]: ...

    types: Types
    type_of: Mapping[str, str]
    goal_predicates: frozenset[str]
    fixed: tuple[bool, ...]
    """By schema, whether no action changes a fact on which the wording of its command depends."""

    def won(self, world: World) -> bool: ...

    def command(self, at: int, args: Row, told: Told) -> str: ...

    def feedback(self, at: int, args: Row, told: Told) -> str: ...

    def reachable(self) -> World: ...


class Told:
    """The facts that the texts and the player's ``facts`` are made from. Immutable but for doubts being settled.

    Under ``strict`` these are the official engine's: a fact made false is kept as ``not_fact``, if it could ever be
    true. Whether it could is dear to find out and seldom asked for, so it is a doubt until a negative fact is asked
    for.
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
        """All facts, every doubt settled."""
        return self._settled(self._known[1])

    def relation(self, name: str) -> Relation:
        world, doubts = self._known
        if doubts and name.startswith("not_"):
            world = self._settled(frozenset(fact for fact in doubts if f"not_{fact.name}" == name))
        return world.get(name, EMPTY)

    def _settled(self, some: frozenset[Fact]) -> World:
        """Return the facts after settling some doubts, and keep them: in one assignment, since copies share this."""
        world, doubts = self._known
        if some:
            reach = self._rules.reachable()
            known = [fact for fact in some if fact.arguments in reach.get(fact.name, EMPTY).rows]
            world = changed(world, (), [_not(fact) for fact in known])
            self._known = (world, doubts - some)
        return world

    def after(self, change: Change, world: World) -> Told:
        """Return what is told after a change that led to ``world``."""
        if not self._rules.strict:
            return Told(self._rules, world)
        told, doubts = self._known
        known = [fact for fact in change.doubtful if fact.arguments in told.get(fact.name, EMPTY).rows]
        gone = frozenset((*change.listed_dropped, *known))
        new = [fact for fact in change.listed_added if fact not in gone]
        dropped = [*gone, *(_not(fact) for fact in new)]
        doubts = (doubts - frozenset(new)) | frozenset(change.doubtful)
        return Told(self._rules, changed(told, dropped, [*new, *(_not(fact) for fact in gone)]), doubts)


@dataclass(frozen=True, slots=True)
class Instance:
    """A ground action: the schema's place in the game, and the arguments."""

    at: int
    args: Row


Commands: TypeAlias = "Mapping[str, tuple[Instance, ...]]"


class Session:
    """A game being played. ``feedback`` is the last text; a command that does not apply gives ``Nothing happens.``"""

    __slots__ = (
        "_applicable",
        "_commands",
        "_named",
        "_rules",
        "_sorted",
        "_told",
        "_won",
        "_worded",
        "_world",
        "feedback",
        "moves",
    )

    def __init__(self, rules: Rules, world: World, told: Told, feedback: str):
        self._rules = rules
        self._world = world
        self._told = told
        self._won = rules.won(world)
        self._applicable: list[tuple[Row, ...] | None] = [None] * len(rules.schemas)
        self._worded: list[Commands | None] = [None] * len(rules.schemas)
        self._commands: Commands | None = None
        self._sorted: tuple[str, ...] | None = None
        self._named: dict[str, tuple[Relation, tuple[Fact, ...]]] = {}
        self.feedback = feedback
        self.moves = 0

    @property
    def won(self) -> bool:
        return self._won

    @property
    def done(self) -> bool:
        """Whether the game is over: only when it is won, and a later command may take that back."""
        return self._won

    @property
    def score(self) -> int:
        return int(self._won)

    @property
    def admissible(self) -> tuple[str, ...]:
        """The commands that apply now, sorted, each once."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self._instances()))
        return self._sorted

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts, sorted, with the ids of the game file."""
        world = self._told.world
        return tuple(Fact(name, row) for name in sorted(world) for row in world[name].ordered)

    def named_facts(self, predicates: Collection[str] | None = None) -> tuple[Fact, ...]:
        """Return facts with display names, sorted by predicate and id; only those of ``predicates`` when given."""
        told = self._told.world if predicates is None else {name: self._told.relation(name) for name in predicates}
        found: list[Fact] = []
        for name in sorted(told):
            relation, facts = self._named.get(name, (None, ()))
            if relation is not told[name]:
                facts = tuple(Fact(name, tuple(map(self._name, row))) for row in told[name].ordered)
                self._named[name] = (told[name], facts)
            found.extend(facts)
        return tuple(found)

    def _name(self, entity: str) -> str:
        info = self._rules.infos.get(entity)
        if info is None:
            raise DataError(
                f"{self._rules.who}: expected every object in :init, got {entity!r} without a name; unsupported"
            )
        return info.name

    def copy(self) -> Session:
        """Return an independent session at the same moment; it shares everything that does not change."""
        twin: Session = object.__new__(Session)
        for name in Session.__slots__:
            setattr(twin, name, getattr(self, name))
        twin._applicable = list(self._applicable)
        twin._worded = list(self._worded)
        twin._named = dict(self._named)
        return twin

    def step(self, command: str) -> str:
        """Carry out a command and return the feedback. Raises DataError where the game's own data gives no answer."""
        found = self._instances().get(command.strip())
        if found is None:
            self.feedback = NOTHING
            return NOTHING
        at, args = found[0].at, found[0].args
        change = self._rules.schemas[at].change(self._world, args)
        world = changed(self._world, change.dropped, change.added)
        told = self._told.after(change, world)
        feedback = self._rules.feedback(at, args, told)
        for other in found[1:]:
            self._expect_same(command, other, change, told, feedback)
        self._move(world, told)
        self.feedback = feedback
        self.moves += 1
        return feedback

    def _expect_same(self, command: str, other: Instance, change: Change, told: Told, feedback: str) -> None:
        """Refuse a command that means two things: which one the official engine takes is not known."""
        same = self._rules.schemas[other.at].change(self._world, other.args) == change
        if not same or self._rules.feedback(other.at, other.args, told) != feedback:
            names = f"{self._rules.schemas[other.at].name} {' '.join(other.args)}"
            raise DataError(f"{self._rules.who}: expected {command!r} to mean one thing, got also {names}; unsupported")

    def _move(self, world: World, told: Told) -> None:
        """Go to the next moment, keeping what is known of it."""
        if world is not self._world:
            stale = {name for name, relation in world.items() if self._world.get(name) is not relation}
            if stale & self._rules.goal_predicates:
                self._won = self._rules.won(world)
            for at, schema in enumerate(self._rules.schemas):
                if schema.depends & stale:
                    self._applicable[at] = self._worded[at] = None
            self._world = world
        self._told = told
        self._commands = None
        self._sorted = None

    def _instances(self) -> Commands:
        """Return command -> the ground actions that it stands for."""
        if self._commands is None:
            commands: dict[str, tuple[Instance, ...]] = {}
            for at in range(len(self._worded)):
                worded = self._worded[at] or self._word(at)
                if commands.keys().isdisjoint(worded):
                    commands.update(worded)
                else:
                    commands.update((command, (*commands.get(command, ()), *same)) for command, same in worded.items())
            self._commands = commands
        return self._commands

    def _word(self, at: int) -> Commands:
        """Return the commands for one schema; kept while nothing changes on which it, or its wording, depends."""
        rows = self._applicable[at]
        if rows is None:
            rows = self._applicable[at] = self._rules.schemas[at].instances(self._world)
        worded: dict[str, tuple[Instance, ...]] = {}
        for args in rows:
            command = self._rules.command(at, args, self._told)
            worded[command] = (*worded.get(command, ()), Instance(at, args))
        if self._rules.fixed[at]:
            self._worded[at] = worded
        return worded


def _not(fact: Fact) -> Fact:
    return Fact(f"not_{fact.name}", fact.arguments)
