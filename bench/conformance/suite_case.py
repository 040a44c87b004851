"""A suite under test: built as often as a rule needs it, and its tasks played by a model that has everything in view.

Part of ``bench.conformance.suites``. Knows no suite by name and no rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from bench.agents import DefaultAgent, render
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.errors import StrategyError
from bench.protocols import Environment, Kit, Model, SuiteOptions, SuiteSpec
from bench.types import Context, EndReason, Event, EventKind, Observation, Opening, Query, Shape, Step, Task

__all__ = ["GARBAGE", "Play", "SuiteCase"]

GARBAGE = ("", "   ", "xyzzy plugh", "\x00\U0001f600", "Action: Action:", "zq " * 300, "'; DROP--")
"""Actions and answers that no suite understands."""
_TASKS = 2


@dataclass(frozen=True, slots=True)
class Play:
    """One episode as it was played."""

    opening: Opening
    steps: tuple[Step, ...]
    end: EndReason

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(step.decision.text for step in self.steps)

    @property
    def observations(self) -> tuple[Observation, ...]:
        return tuple(step.observation for step in self.steps)


class _Everything:
    """A memory that shows every event."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def observe(self, event: Event) -> None:
        if event.kind is not EventKind.GOAL:
            self._events.append(event)

    def recall(self, query: Query) -> Context:
        return Context(render([event for event in self._events if event.ref != query.ref]))


@dataclass(frozen=True)
class SuiteCase:
    """A suite with what it is built from, and the model that plays it."""

    spec: SuiteSpec
    options: SuiteOptions
    model: Model

    @property
    def is_episode(self) -> bool:
        return self.spec.shape is Shape.EPISODE

    @contextmanager
    def build(self, **changes: Any) -> Iterator[Any]:
        """Give a new build, and close it at the end. ``changes`` are options."""
        suite = self.spec.build(replace(self.options, **changes))
        try:
            yield suite
        finally:
            suite.close()

    def choose(self, suite: Any) -> list[Task]:
        """Return the first task and one from the middle of the list."""
        tasks = list(suite.tasks())
        return list(dict.fromkeys((tasks[0], tasks[len(tasks) // _TASKS]))) if tasks else []

    def play(self, suite: Any, task: Task) -> Play:
        """Play one episode; one whose prompts the model does not understand ends there."""
        steps: list[Step] = []
        with self.open(suite, task) as (env, opening):
            kit = Kit(self.model, HashEmbedder(), opening.frame)
            end = EndReason.ERROR
            with suppress(StrategyError):
                end = run_episode(DefaultAgent(_Everything(), kit), env, opening, suite.limits(), steps)
        return Play(opening, tuple(steps), end)

    @contextmanager
    def open(self, suite: Any, task: Task) -> Iterator[tuple[Environment, Opening]]:
        """Give an environment after its reset, and close it at the end."""
        env: Environment = suite.open(task)
        try:
            yield env, env.reset()
        finally:
            env.close()

    def replay(self, suite: Any, task: Task, actions: Sequence[str]) -> tuple[Opening, tuple[Observation, ...]]:
        """Return what an environment says to these actions."""
        with self.open(suite, task) as (env, opening):
            return opening, tuple(env.step(action) for action in actions)
