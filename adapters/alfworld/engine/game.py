"""A game file, compiled: domain, text grammar and problem, ready to be played any number of times.

The domain and the grammar are compiled once per text and shared by all games; the caches are bounded. A Game is
immutable and safe to share between threads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adapters.alfworld.engine.applicable import Schema, compute_reachable_world
from adapters.alfworld.engine.condition import And, Condition, Exists, ForAll, Literal, Or, Parameter, literals
from adapters.alfworld.engine.domain import Domain, compile_domain
from adapters.alfworld.engine.expression import Info
from adapters.alfworld.engine.facts import Row, World
from adapters.alfworld.engine.names import display_names
from adapters.alfworld.engine.player_facts import PlayerFacts
from adapters.alfworld.engine.problem import Problem, read_problem
from adapters.alfworld.engine.query import Binding, Entity, Types
from adapters.alfworld.engine.search import Compiler, Slots
from adapters.alfworld.engine.session import Session
from adapters.alfworld.engine.text import Dependencies, Grammar, compile_grammar
from adapters.alfworld.engine.twl import Wording
from bench.errors import DataError

__all__ = ["Game"]

_INTRO = "#intro#"
_TEXTS = ("pddl_domain", "grammar", "pddl_problem")


class Game:
    """One game. ``Game.load(data).start()`` begins a play."""

    def __init__(self, domain: Domain, grammar: Grammar, problem: Problem, *, who: str, strict: bool):
        self.who = who
        self.strict = strict
        self.walkthrough: tuple[str, ...] = ()
        """The commands that win the game, if the file has them."""
        self.types = Types(domain.supertypes)
        self.type_of = problem.types
        self._grammar = grammar
        self._problem = problem
        self._domain = domain
        self._compiler = Compiler(problem.initial, problem.members)
        self.schemas = tuple(
            Schema(action, self._compiler, domain.fluents, self.reachable) for action in domain.actions
        )
        self.infos: Mapping[str, Info] = _build_infos(problem.initial, problem.types)
        self._wordings = tuple(self._find_wording(action.name) for action in domain.actions)
        texts = [_INTRO, *(text for wording in self._wordings for text in (wording.template, wording.feedback))]
        grammar.check(texts, self.types.names)
        self._dependencies = tuple(grammar.analyse(wording.template) for wording in self._wordings)
        self._key_arguments = tuple(
            _find_key_arguments(dependencies, action.parameters)
            for dependencies, action in zip(self._dependencies, self._domain.actions, strict=True)
        )
        self.fixed = tuple(_is_fixed(dependencies, domain.fluents) for dependencies in self._dependencies)
        self._commands: dict[tuple[int, Row], str] = {}
        self._reach: World | None = None
        self._goal = self._compiler.test(problem.goal, slots := Slots())
        self._goal_env = slots
        self.goal_predicates = frozenset(literal.predicate for literal in literals(problem.goal)) & domain.fluents
        ideal = self._compiler.test(_assume_fluents(problem.goal, domain.fluents), other := Slots())
        if not ideal(problem.initial, other.env()):
            raise DataError(
                f"{who}: expected a goal that the objects can meet, got an unsolvable problem; leave it out"
            )

    @classmethod
    def load(cls, data: bytes | str, *, name: str = "game.tw-pddl", strict: bool = True) -> Game:
        """Compile the content of a game file. Raises DataError naming the file and what is wrong with it."""
        try:
            content: Any = json.loads(data)
        except ValueError as cause:
            raise DataError(
                f"{name}: expected one whole JSON object, got {len(data)} characters that break off or are not JSON "
                f"({cause}); fetch the file again"
            ) from None
        if not isinstance(content, dict) or not all(isinstance(content.get(key), str) for key in _TEXTS):
            got = sorted(content) if isinstance(content, dict) else type(content).__name__
            raise DataError(f"{name}: expected the texts {', '.join(_TEXTS)}, got {got}; fetch the file again")
        if content.get("solvable") is False:
            raise DataError(f"{name}: expected a solvable game, got one that its file marks unsolvable; leave it out")
        try:
            domain = compile_domain(content["pddl_domain"], strict=strict)
            grammar = compile_grammar(content["grammar"])
            problem = read_problem(content["pddl_problem"], domain, strict=strict)
            game = cls(domain, grammar, problem, who=name, strict=strict)
        except RecursionError:
            raise DataError(f"{name}: expected brackets that nest reasonably, got them too deep; unsupported") from None
        except DataError as cause:
            message = str(cause)
            raise cause if message.startswith(name) else DataError(f"{name}: {message}") from None
        if content.get("solvable") is not True and not game.goal_reachable:
            raise DataError(
                f"{name}: expected a goal that actions can bring about, got an unsolvable problem; leave it out"
            )
        game.walkthrough = tuple(str(command) for command in content.get("walkthrough") or ())
        return game

    def start(self) -> Session:
        """Begin a play."""
        facts = PlayerFacts(self, self._problem.initial)
        return Session(self, self._problem.initial, facts, self._derive(_INTRO, facts, {}))

    @property
    def command_templates(self) -> tuple[str, ...]:
        """The templates of all commands that the grammar knows, sorted."""
        return tuple(sorted({wording.template for wording in self._grammar.wordings.values()}))

    @property
    def goal_reachable(self) -> bool:
        """True if the goal could be met if nothing were ever made false: a necessary condition, expensive to compute.

        ``load`` checks it only if the file does not say that the game is solvable.
        """
        ideal = Compiler(self._problem.initial, self._problem.members, frozenset(self._domain.arities))
        return ideal.test(self._problem.goal, slots := Slots())(self.reachable(), slots.env())

    def meets_goal(self, world: World) -> bool:
        return self._goal(world, self._goal_env.env())

    def command(self, at: int, args: Row, facts: PlayerFacts) -> str:
        """Return the command for a ground action."""
        if not self.fixed[at]:
            return self._derive_command(at, args, facts)
        key = (at, tuple([args[i] for i in self._key_arguments[at]]))
        command = self._commands.get(key)
        if command is None:
            command = self._commands[key] = self._derive_command(at, args, facts)
        return command

    def feedback(self, at: int, args: Row, facts: PlayerFacts) -> str:
        """Return the feedback of a ground action; ``facts`` are those after it."""
        return self._derive(self._wordings[at].feedback, facts, self._bind(at, args))

    def reachable(self) -> World:
        """Return all facts that could become true if nothing were ever made false. Computed on first use."""
        if self._reach is None:
            self._reach = compute_reachable_world(self._problem.initial, self._domain, self._problem.members)
        return self._reach

    def _derive_command(self, at: int, args: Row, facts: PlayerFacts) -> str:
        command = self._derive(self._wordings[at].template, facts, self._bind(at, args))
        if "{" in command or "}" in command:
            raise DataError(f"{self.who}: expected a command without braces, got {command!r}; unsupported")
        return command

    def _bind(self, at: int, args: Row) -> Binding:
        """Return the action's parameters as placeholders, with the type of the parameter, not that of the object."""
        parameters = self._domain.actions[at].parameters
        return {
            (parameter.name.removeprefix("?"), parameter.type): Entity(arg, parameter.type)
            for parameter, arg in zip(parameters, args, strict=True)
        }

    def _derive(self, text: str, facts: PlayerFacts, binding: Binding) -> str:
        try:
            return self._grammar.derive(text, facts, binding)
        except DataError as cause:
            raise DataError(f"{self.who}: {cause}") from None

    def _find_wording(self, action: str) -> Wording:
        wording = self._grammar.wordings.get(action)
        if wording is None:
            raise DataError(f"grammar: expected a template and a feedback for action {action!r}, got none")
        return wording


def _build_infos(world: World, types: Mapping[str, str]) -> dict[str, Info]:
    """Return the names of the entities in the initial facts; other entities have none."""
    ids = {name for relation in world.values() for row in relation.rows for name in row}
    unknown = sorted(ids - types.keys())
    if unknown:
        raise DataError(f"pddl_problem: expected declared objects in :init, got {unknown[0]!r}; fetch the file again")
    return {name: Info(name, types[name], display_name) for name, display_name in display_names(ids).items()}


def _find_key_arguments(dependencies: Dependencies, parameters: tuple[Parameter, ...]) -> tuple[int, ...]:
    """Return the arguments that determine a command's text: all of them if the template binds other entities."""
    own = {parameter.name.removeprefix("?") for parameter in parameters}
    every = not dependencies.variables <= own
    return tuple(at for at, p in enumerate(parameters) if every or p.name.removeprefix("?") in dependencies.variables)


def _is_fixed(dependencies: Dependencies, fluents: frozenset[str]) -> bool:
    """True if no action changes a fact on which the text depends."""
    return not any(name in fluents or name.startswith("not_") for name in dependencies.predicates)


def _assume_fluents(condition: Condition, fluents: frozenset[str]) -> Condition:
    """Return the condition with everything that an action may change assumed true."""
    if isinstance(condition, Literal):
        return And(()) if condition.predicate in fluents else condition
    if isinstance(condition, And | Or):
        return type(condition)(tuple(_assume_fluents(part, fluents) for part in condition.parts))
    if isinstance(condition, Exists):
        return Exists(condition.parameters, _assume_fluents(condition.body, fluents))
    return ForAll(condition.parameters, _assume_fluents(condition.body, fluents))
