"""One play of a game: the last text, the admissible commands, the facts, and the step to the next state.

The instances of a schema are cached until a predicate changes on which the schema depends. A session is for one thread
at a time; different sessions of one game, and copies, may be used by several threads. Knows no game file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from adapters.alfworld.engine.applicable import Change
from adapters.alfworld.engine.facts import Fact, Relation, Row, World, apply_changes
from adapters.alfworld.engine.player_facts import PlayerFacts, Rules
from bench.errors import DataError

__all__ = ["NOTHING", "Session"]

NOTHING = "Nothing happens."


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
        "_facts",
        "_named",
        "_rules",
        "_schema_commands",
        "_sorted",
        "_won",
        "_world",
        "feedback",
        "moves",
    )

    def __init__(self, rules: Rules, world: World, facts: PlayerFacts, feedback: str):
        self._rules = rules
        self._world = world
        self._facts = facts
        self._won = rules.meets_goal(world)
        self._applicable: list[tuple[Row, ...] | None] = [None] * len(rules.schemas)
        self._schema_commands: list[Commands | None] = [None] * len(rules.schemas)
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
        """True if the game is over: only while it is won, and a later command may undo that."""
        return self._won

    @property
    def score(self) -> int:
        return int(self._won)

    @property
    def admissible(self) -> tuple[str, ...]:
        """The commands that apply now, sorted, each once."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self._list_commands()))
        return self._sorted

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts, sorted, with the ids of the game file."""
        world = self._facts.world
        return tuple(Fact(name, row) for name in sorted(world) for row in world[name].sorted_rows)

    def list_named_facts(self, predicates: Collection[str] | None = None) -> tuple[Fact, ...]:
        """Return facts with display names, sorted by predicate and id; only those of ``predicates`` when given."""
        world = self._facts.world if predicates is None else {name: self._facts.relation(name) for name in predicates}
        found: list[Fact] = []
        for name in sorted(world):
            relation, facts = self._named.get(name, (None, ()))
            if relation is not world[name]:
                facts = tuple(Fact(name, tuple(map(self._name, row))) for row in world[name].sorted_rows)
                self._named[name] = (world[name], facts)
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
        """Return an independent session in the same state; it shares everything that does not change."""
        twin: Session = object.__new__(Session)
        for name in Session.__slots__:
            setattr(twin, name, getattr(self, name))
        twin._applicable = list(self._applicable)
        twin._schema_commands = list(self._schema_commands)
        twin._named = dict(self._named)
        return twin

    def step(self, command: str) -> str:
        """Carry out a command and return the feedback. Raises: DataError if its meaning is unclear."""
        found = self._list_commands().get(command.strip())
        if found is None:
            self.feedback = NOTHING
            return NOTHING
        at, args = found[0].at, found[0].args
        change = self._rules.schemas[at].compute_change(self._world, args)
        world = apply_changes(self._world, change.dropped, change.added)
        facts = self._facts.apply(change, world)
        feedback = self._rules.feedback(at, args, facts)
        for other in found[1:]:
            self._expect_same(command, other, change, facts, feedback)
        self._advance(world, facts)
        self.feedback = feedback
        self.moves += 1
        return feedback

    def _expect_same(self, command: str, other: Instance, change: Change, facts: PlayerFacts, feedback: str) -> None:
        """Raise DataError for a command with two meanings: it is unknown which one the official engine takes."""
        same = self._rules.schemas[other.at].compute_change(self._world, other.args) == change
        if not same or self._rules.feedback(other.at, other.args, facts) != feedback:
            names = f"{self._rules.schemas[other.at].name} {' '.join(other.args)}"
            raise DataError(f"{self._rules.who}: expected {command!r} to mean one thing, got also {names}; unsupported")

    def _advance(self, world: World, facts: PlayerFacts) -> None:
        """Go to the next state; caches that the change does not affect stay."""
        if world is not self._world:
            stale = {name for name, relation in world.items() if self._world.get(name) is not relation}
            if stale & self._rules.goal_predicates:
                self._won = self._rules.meets_goal(world)
            for at, schema in enumerate(self._rules.schemas):
                if schema.depends & stale:
                    self._applicable[at] = self._schema_commands[at] = None
            self._world = world
        self._facts = facts
        self._commands = None
        self._sorted = None

    def _list_commands(self) -> Commands:
        """Return command -> the ground actions that it stands for."""
        if self._commands is None:
            commands: dict[str, tuple[Instance, ...]] = {}
            for at in range(len(self._schema_commands)):
                schema_commands = self._schema_commands[at] or self._build_schema_commands(at)
                if commands.keys().isdisjoint(schema_commands):
                    commands.update(schema_commands)
                else:
                    commands.update(
                        (command, (*commands.get(command, ()), *same)) for command, same in schema_commands.items()
                    )
            self._commands = commands
        return self._commands

    def _build_schema_commands(self, at: int) -> Commands:
        """Return the commands of one schema; cached while nothing changes on which it, or its wording, depends."""
        rows = self._applicable[at]
        if rows is None:
            rows = self._applicable[at] = self._rules.schemas[at].find_instances(self._world)
        schema_commands: dict[str, tuple[Instance, ...]] = {}
        for args in rows:
            command = self._rules.command(at, args, self._facts)
            schema_commands[command] = (*schema_commands.get(command, ()), Instance(at, args))
        if self._rules.fixed[at]:
            self._schema_commands[at] = schema_commands
        return schema_commands
