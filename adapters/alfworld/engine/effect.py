"""One effect of an action, compiled for one game: which facts it makes true or false in a world. Knows no text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from adapters.alfworld.engine.condition import literals
from adapters.alfworld.engine.domain import Effect
from adapters.alfworld.engine.facts import Fact, World
from adapters.alfworld.engine.search import Compiler, Env, Slots, Step

__all__ = ["CompiledEffect", "Reachable"]

Reachable: TypeAlias = "Callable[[], World]"
"""Returns everything that could become true if nothing were ever made false."""


class CompiledEffect:
    """One effect, compiled. Immutable."""

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
        self._real = compiler.search(parts, effect.parameters, bound, slots, self._collect_fact)
        self._possible = ideal.search(parts, effect.parameters, bound, slots, self._collect_fact)

    def find_facts(self, world: World, env: Env) -> tuple[Fact, ...]:
        """Return the facts for which the condition holds."""
        return (self._build_fact(env),) if self.plain else self._search(self._real, world, env)

    def find_possible_facts(self, near: World, reachable: Reachable, env: Env) -> tuple[Fact, ...]:
        """Return the facts for which the condition could hold at some time.

        ``near`` is a world of possible facts: a search there first avoids most calls of ``reachable``.
        """
        if self.plain:
            return (self._build_fact(env),)
        found = self._search(self._possible, near, env)
        return (
            found if (found and self._single) or self._independent else self._search(self._possible, reachable(), env)
        )

    def _search(self, search: Step, world: World, env: Env) -> tuple[Fact, ...]:
        found: dict[Fact, None] = {}
        env[0] = found
        search(world, env)
        return tuple(found)

    def _collect_fact(self, _world: World, env: Env) -> bool:
        env[0][self._build_fact(env)] = None
        return False

    def _build_fact(self, env: Env) -> Fact:
        return Fact(self._name, tuple([value or env[slot] for slot, value in self._args]))
