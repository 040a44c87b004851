"""What the PDDL tests share: the data root, suites, and episodes played by the offline rules under small memories."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.pddl.data import ROOT
from adapters.pddl.offline.rules import RULES
from adapters.pddl.suite import SUITE, PddlSuite
from bench.agents import DefaultAgent, render
from bench.drivers import run_episode
from bench.models.offline.rule_table import RuleTable
from bench.protocols import Embedder, Kit, Memory, Params, SuiteOptions, Vectors
from bench.types import Context, EndReason, Event, EventKind, Message, Query, Reply, Step, Task


class RulesModel:
    """A model that is nothing but the rules; it keeps what it was shown."""

    name = "rules"

    def __init__(self) -> None:
        self.calls: list[tuple[Message, ...]] = []

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.calls.append(tuple(messages))
        rule = RuleTable(RULES).find(messages, role)
        assert rule is not None
        return Reply(rule.reply(messages))


class NoEmbedder(Embedder):
    """For kits whose memory embeds nothing."""

    name = "none"
    in_process = True

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError(texts)


class Recent(Memory):
    """The last ``steps`` steps, or all of them; the goal and the current observation are shown anyway."""

    def __init__(self, steps: int | None = None):
        self.events: list[Event] = []
        self.steps = steps

    def observe(self, event: Event) -> None:
        self.events.append(event)

    def recall(self, query: Query) -> Context:
        first = 0 if self.steps is None else query.step - self.steps
        shown = (e for e in self.events if e.kind is not EventKind.GOAL and e.ref != query.ref)
        return Context(render(e for e in shown if e.step >= first))


@dataclass(frozen=True)
class Outcome:
    end: EndReason
    steps: tuple[Step, ...]
    calls: tuple[tuple[Message, ...], ...]


class Arena:
    """What tests play with: suites, episodes, win counts."""

    @staticmethod
    def suite(split: str, data_root: Path = Path(), step_cap: int = 0, **params: str) -> PddlSuite:
        suite = SUITE.build(SuiteOptions(split, Params(SUITE.params, params), data_root, step_cap))
        assert isinstance(suite, PddlSuite)
        return suite

    @staticmethod
    def episode(suite: PddlSuite, task: Task, recent_steps: int | None = None) -> Outcome:
        """Play one task to its end; the memory shows the last steps, or all of them."""
        env = suite.open(task)
        opening = env.reset()
        model = RulesModel()
        record: list[Step] = []
        agent = DefaultAgent(Recent(recent_steps), Kit(model, NoEmbedder(), opening.frame))
        end = run_episode(agent, env, opening, suite.limits(), record)
        env.close()
        return Outcome(end, tuple(record), tuple(model.calls))

    def wins(self, suite: PddlSuite, recent_steps: int | None = None) -> dict[str, int]:
        """Return how many tasks of each group are won."""
        won = dict.fromkeys((task.group for task in suite.tasks()), 0)
        for task in suite.tasks():
            won[task.group] += self.episode(suite, task, recent_steps).end is EndReason.WON
        return won


@pytest.fixture(scope="session")
def arena() -> Arena:
    return Arena()


@pytest.fixture(scope="session")
def data_root() -> Path:
    root = Path(os.environ.get("BENCH_DATA", "no-such-folder")).resolve()
    if not (root / ROOT).is_dir():
        pytest.skip(f"$BENCH_DATA holds no {ROOT}")
    return root
