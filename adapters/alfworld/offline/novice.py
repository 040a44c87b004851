"""The novice's rule for household tasks (role ``act``): a player that lacks what is to be learned, and can be taught.

Known beforehand: the commands that the frame lists and the sentences of the games; be at a place to act there; open
what is closed; hold one thing at a time; English verbs and their forms; hot is heated and cold is cooled; "two" is
twice. It knows no appliance, no usual place and nothing of lamps.

Everything else comes from what the prompt teaches (``adapters.shared.lessons``): the frame's rules and examples, the
experience of other tasks, earlier attempts at this one. What it was not taught it tries out: a treatment at each place,
here first; for a thing it searches the places in the order in which the room lists them. With nothing to go by it looks
at what it shall look at, uses the other thing, takes the first and uses the other again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adapters.alfworld.offline.novice_search import order_places
from adapters.alfworld.offline.prompt import Prompt
from adapters.alfworld.offline.rules import ActRule, Decision, Goal, read_house
from adapters.alfworld.offline.sense import kind_of
from adapters.shared.lessons import Lessons, is_kind, read_lessons
from bench.protocols import OfflineRule, Params

__all__ = ["build_rules"]


@dataclass(frozen=True, slots=True)
class _NoviceDecision(Decision):
    """One decision of a player that knows its lessons and no more."""

    lessons: Lessons
    tried: frozenset[str]
    """The actions that the prompt shows."""

    def actions(self) -> Iterator[str]:
        """Yield the possible actions, best first."""
        steps = _find_recipe(self.goal, self.lessons)
        if self.goal.lamp and not self.world.holding and not steps:
            yield from self._look_literally()
        elif self.goal.lamp and "take X" not in steps and not self._has_used():
            yield from self._light()
        yield from Decision.actions(self)  # a class with slots has no bare super()

    def _order(self, thing: str) -> tuple[str, ...]:
        return order_places(thing, self.rooms, self.world, self.lessons)

    def _has_used(self) -> bool:
        return any(action.startswith(f"use {self.goal.lamp} ") for action in self.tried)

    def _look_literally(self) -> Iterator[str]:
        """Yield what the words of a task to look at a thing say: look at it, then at the other, which is used."""
        world, goal = self.world, self.goal
        if not any(action.startswith(f"examine {goal.thing} ") for action in self.tried):
            for thing, place in world.where(goal.thing):
                yield from self._reach(place)
                yield f"examine {thing}"
            yield from self._search(goal.thing)
        elif not self._has_used():
            yield from self._light()

    def _treat(self, in_hand: str) -> Iterator[str]:
        """Yield the way to the tools it was taught, then to every place in turn."""
        treat, places = self.goal.treat, self._try_order()
        taught = self.lessons.tools.get(treat, ())
        for kind in taught:
            for tool in places:
                if is_kind(kind, kind_of(tool)) and f"{treat} {in_hand} with {tool}" not in self.tried:
                    yield f"{treat} {in_hand} with {tool}" if tool in self.world.at else f"go to {tool}"
        for tool in places:
            if f"{treat} {in_hand} with {tool}" in self.tried or self._is_useless(treat, kind_of(tool)):
                continue
            yield from self._reach(tool)
            yield f"{treat} {in_hand} with {tool}"

    def _try_order(self) -> list[str]:
        """Return every place, those in reach first, then as the room lists them."""
        return sorted(self.rooms, key=lambda place: place not in self.world.at)

    def _is_useless(self, treat: str, kind: str) -> bool:
        return any(verb == treat and is_kind(told, kind) for verb, told in self.lessons.failed_tools)


def _find_recipe(goal: Goal, lessons: Lessons) -> tuple[str, ...]:
    """Return the steps of the first recipe with the verbs of the task; empty if there is none."""
    verbs = {"examine"} if goal.lamp else {"put", goal.treat} - {""}
    return next((recipe.steps for recipe in lessons.recipes if recipe.verbs == verbs), ())


class _NoviceRule(ActRule):
    """The rule for role ``act``."""

    def build(self, prompt: Prompt, goal: Goal) -> Decision:
        """Return the decision that a prompt asks for, with what it teaches."""
        tried = frozenset(line.text for line in prompt.memory if line.label == "action")
        return _NoviceDecision(goal, *read_house(prompt), _learn(prompt), tried)


def _learn(prompt: Prompt) -> Lessons:
    """Return what the frame, the experience of other tasks and earlier attempts teach."""
    return read_lessons(f"{prompt.system}\n\n{prompt.teaching.experience}", prompt.teaching.attempts)


def build_rules(_params: Params) -> tuple[OfflineRule, ...]:
    """Return what the novice knows about this frame."""
    return (_NoviceRule(),)
