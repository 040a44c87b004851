"""One episode of one problem: text in, text out, with progress and validity counted.

After an action: the whole state in blockworld and gripper, only what changed in barman and tyreworld (facts that hold
now, then facts that hold no longer). The commands that only ask cost a step, are valid, and change nothing.
Progress = running maximum of (goal facts that hold / goal facts). It is 0 until the first action that changes the
state; from then on the starting state counts too, so a goal fact that holds from the start is credited then.
Success = all goal facts hold now.
"""

from __future__ import annotations

from adapters.pddl.frames import frame
from adapters.pddl.phrases import CHECK, LOOK, Command, read_command
from adapters.pddl.problem import Problem
from adapters.pddl.wording import FAILED, GOAL_LEAD, REACHED, UNCHANGED, UNKNOWN, VALID_LEAD, wording
from adapters.pddl.world import State, world_of
from bench.errors import EnvError
from bench.types import Observation, Opening

__all__ = ["CHANGES_ONLY", "PddlEnvironment"]

CHANGES_ONLY = frozenset({"barman", "tyreworld"})
"""Domains that tell only what changed, and where one can therefore look around."""


class PddlEnvironment:
    """An ``Environment``: made for one problem, reset once, closed once."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._world = world_of(problem)
        self._words = wording(problem.domain.name)
        self._objects = frozenset(name for name, _ in problem.objects)
        self._state: State = problem.init
        self._progress = 0.0
        self._open = False

    def reset(self) -> Opening:
        """Return the goal and the whole first state; there is no observation apart."""
        self._state, self._progress, self._open = self._problem.init, 0.0, True
        goal = f"{GOAL_LEAD} {self._words.sentences(self._problem.goal)}\n{self._words.state(self._state)}"
        return Opening(goal, frame(self._problem.domain.name))

    def step(self, action: str) -> Observation:
        """Take one action. Raises: EnvError before reset and after the end."""
        if not self._open:
            raise EnvError("pddl: expected a step within an open episode, got one before reset or after its end")
        command = read_command(action, self._problem.domain.name, self._objects)
        if command.asks == CHECK or (command.asks == LOOK and self._changes_only):
            return self._answer(command)
        if command.call is None:
            return self._refuse(action.strip(), UNKNOWN, "unparsable")
        written = self._words.phrase(command.call)
        ground = self._world.action(command.call)
        if ground is None or not ground.applies(self._state):
            return self._refuse(written, FAILED, "precondition", action)
        if ground.result(self._state) == self._state:
            return self._refuse(written, UNCHANGED, "no-effect", action)
        return self._take(ground.result(self._state), written, action)

    def close(self) -> None:
        """End the episode."""
        self._open = False

    @property
    def _changes_only(self) -> bool:
        return self._problem.domain.name in CHANGES_ONLY

    def _answer(self, command: Command) -> Observation:
        if command.asks == LOOK:
            text = self._words.state(self._state)
        else:
            phrases = sorted(self._words.phrase(a.call) for a in self._world.valid(self._state))
            text = f"{VALID_LEAD} {'; '.join(phrases) or 'none'}."
        return Observation(text, progress=self._progress, executed=command.asks, helper=True)

    def _refuse(self, executed: str, text: str, reason: str, given: str = "") -> Observation:
        return Observation(
            text,
            progress=self._progress,
            valid=False,
            executed=executed,
            repairs=_repairs(given, executed) if given else (),
            invalid_reason=reason,
        )

    def _take(self, after: State, written: str, given: str) -> Observation:
        before, self._state = self._state, after
        held = max(self._problem.satisfied(after), self._problem.satisfied(self._problem.init))
        self._progress = max(self._progress, held / len(self._problem.goal))
        won = self._world.won(after)
        self._open = not won
        text = self._tell(before, after) + (f" {REACHED}" if won else "")
        return Observation(text, won, won, self._progress, executed=written, repairs=_repairs(given, written))

    def _tell(self, before: State, after: State) -> str:
        if not self._changes_only:
            return self._words.state(after)
        told = (self._words.sentences(after - before), self._words.sentences(before - after, holds=False))
        return " ".join(part for part in told if part)


def _repairs(given: str, written: str) -> tuple[str, ...]:
    """Name what was forgiven; the version of the whole is the rendering version of the suite."""
    if given == written:
        return ()
    return ("case-or-space",) if " ".join(given.lower().split()) == written else ("rephrased",)
