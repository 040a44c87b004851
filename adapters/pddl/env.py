"""One episode of one problem: text in, text out, progress and validity.

An observation is the whole state in blockworld and gripper, and the changes in barman, tyreworld and a user's domain
(new facts, then facts that no longer hold). Before the goal of a user's domain stand the objects and their types.
The two commands that only ask cost a step, are valid and change nothing.
Progress = running maximum of (goal facts that hold / goal facts), in 0..1. It is 0 until the first action that changes
the state; from then on goal facts of the initial state count too. Success = all goal facts hold at the same time.
"""

from __future__ import annotations

from adapters.pddl.domain import State, is_own
from adapters.pddl.frames import load_frame
from adapters.pddl.phrases import CHECK, LOOK, Command, find_names, read_command
from adapters.pddl.plain import describe_call, describe_objects
from adapters.pddl.problem import Problem
from adapters.pddl.wording import FAILED, GOAL_LEAD, REACHED, START_LEAD, UNCHANGED, UNKNOWN, VALID_LEAD, load_wording
from adapters.pddl.world import build_world
from bench.errors import EnvError
from bench.types import Frame, Observation, Opening

__all__ = ["CHANGES_ONLY", "PddlEnvironment"]

CHANGES_ONLY = frozenset({"barman", "tyreworld"})
"""Domains whose observations are changes only; there ``look around`` returns the whole state."""


class PddlEnvironment:
    """An ``Environment``: made for one problem, reset once, closed once."""

    def __init__(self, problem: Problem, frame: Frame | None = None, *, hint: bool = False):
        """``frame``: None = the suite's own. ``hint``: list the valid actions after an action that is not."""
        self._problem = problem
        self._frame = frame or load_frame(problem.domain.key)
        self._hint = hint
        self._world = build_world(problem)
        self._words = load_wording(problem.domain.key)
        self._objects = frozenset(name for name, _ in problem.objects)
        self._state: State = problem.init
        self._progress = 0.0
        self._open = False

    def reset(self) -> Opening:
        """Return the goal, which stays in every prompt, and the initial state as the first observation."""
        self._state, self._progress, self._open = self._problem.init, 0.0, True
        goal = f"{GOAL_LEAD} {self._words.sentences(self._problem.goal)}"
        if is_own(self._problem.domain.key):
            goal = f"{describe_objects(self._problem)} {goal}"
        return Opening(goal, self._frame, f"{START_LEAD} {self._words.sentences(self._state)}")

    def step(self, action: str) -> Observation:
        """Take one action. Raises: EnvError before reset and after the end."""
        if not self._open:
            raise EnvError("pddl: expected a step within an open episode, got one before reset or after its end")
        command = read_command(action, self._problem.domain.key, self._objects)
        if command.asks == CHECK or (command.asks == LOOK and self._changes_only):
            return self._answer(command)
        if command.call is None:
            return self._refuse(action.strip(), f"{UNKNOWN}{self._explain(action)}", "unparsable")
        written = self._words.phrase(command.call)
        ground = self._world.action(command.call)
        if ground is None or not ground.applies(self._state):
            return self._refuse(written, f"{FAILED}{self._explain(action, written)}", "precondition", action)
        if ground.result(self._state) == self._state:
            return self._refuse(written, UNCHANGED, "no-effect", action)
        return self._take(ground.result(self._state), written, action)

    def close(self) -> None:
        """End the episode."""
        self._open = False

    @property
    def _changes_only(self) -> bool:
        key = self._problem.domain.key
        return key in CHANGES_ONLY or is_own(key)

    def _explain(self, action: str, written: str = "") -> str:
        """Return how an action of a user's domain was read and how it is written: its words alone do not tell."""
        domain = self._problem.domain
        name = next(find_names(action.lower(), domain.key), ("", 0, 0))[0]
        if not name or not is_own(domain.key):
            return ""
        read = f" It was read as: {written}." if written else ""
        return f"{read} It is written: {describe_call(domain.operator(name), self._words)}."

    def _answer(self, command: Command) -> Observation:
        text = self._words.state(self._state) if command.asks == LOOK else self._list_valid()
        return Observation(text, progress=self._progress, executed=command.asks, helper=True)

    def _list_valid(self) -> str:
        phrases = sorted(self._words.phrase(a.call) for a in self._world.valid(self._state))
        return f"{VALID_LEAD} {'; '.join(phrases) or 'none'}."

    def _refuse(self, executed: str, text: str, reason: str, given: str = "") -> Observation:
        return Observation(
            f"{text} {self._list_valid()}" if self._hint else text,
            progress=self._progress,
            valid=False,
            executed=executed,
            repairs=_name_repairs(given, executed) if given else (),
            invalid_reason=reason,
        )

    def _take(self, after: State, written: str, given: str) -> Observation:
        before, self._state = self._state, after
        satisfied = max(self._problem.count_satisfied(after), self._problem.count_satisfied(self._problem.init))
        self._progress = max(self._progress, satisfied / len(self._problem.goal))
        won = self._world.is_goal(after)
        self._open = not won
        text = self._describe_change(before, after) + (f" {REACHED}" if won else "")
        return Observation(text, won, won, self._progress, executed=written, repairs=_name_repairs(given, written))

    def _describe_change(self, before: State, after: State) -> str:
        if not self._changes_only:
            return self._words.state(after)
        parts = (self._words.sentences(after - before), self._words.sentences(before - after, holds=False))
        return " ".join(part for part in parts if part)


def _name_repairs(given: str, written: str) -> tuple[str, ...]:
    """Return the names of the repairs between the text that the agent gave and the action that was executed."""
    if given == written:
        return ()
    return ("case-or-space",) if " ".join(given.lower().split()) == written else ("rephrased",)
