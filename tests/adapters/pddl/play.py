"""Play episodes with the offline rules under small memories: what the end-to-end tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.pddl.offline import RULES
from bench.agents import Reader, render
from bench.drive import play
from bench.protocols import Embedder, Environment, EpisodeSuite, Kit, Memory, Vectors
from bench.types import Context, EndReason, Event, Message, Query, Reply, Step, Task


class RulesModel:
    """A model that is nothing but the rules; it keeps what it was shown."""

    name = "rules"

    def __init__(self) -> None:
        self.calls: list[tuple[Message, ...]] = []

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.calls.append(tuple(messages))
        return Reply(next(rule for rule in RULES if rule.matches(messages, role)).reply(messages, role))


class NoEmbedder(Embedder):
    """For kits whose memory embeds nothing."""

    name = "none"

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError(texts)


class Recent(Memory):
    """The last ``steps`` steps, or all of them; the opening and the current observation are shown anyway."""

    def __init__(self, steps: int | None = None):
        self.events: list[Event] = []
        self.steps = steps

    def observe(self, event: Event) -> None:
        self.events.append(event)

    def recall(self, query: Query) -> Context:
        first = 1 if self.steps is None else query.step - self.steps
        return Context(render(e for e in self.events if e.step >= max(1, first) and e.ref != query.ref))


@dataclass(frozen=True)
class Outcome:
    end: EndReason
    steps: tuple[Step, ...]
    calls: tuple[tuple[Message, ...], ...]


def episode(suite: EpisodeSuite, task: Task, memory: Memory, env: Environment | None = None) -> Outcome:
    """Play one task to its end."""
    env = env or suite.open(task)
    opening = env.reset()
    model = RulesModel()
    record: list[Step] = []
    end = play(Reader(memory, Kit(model, NoEmbedder(), opening.frame)), env, opening, suite.limits(), record)
    env.close()
    return Outcome(end, tuple(record), tuple(model.calls))


def wins(suite: EpisodeSuite, tasks: Sequence[Task], memory: Callable[[], Memory]) -> dict[str, int]:
    """Return how many tasks of each group are won."""
    won = dict.fromkeys((task.group for task in tasks), 0)
    for task in tasks:
        won[task.group] += episode(suite, task, memory()).end is EndReason.WON
    return won
