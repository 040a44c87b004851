"""A corridor that notes what it is told to do, and a way to let HiAgent walk it with a scripted model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from baselines.hiagent.strategy import STRATEGY
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.protocols import Budget, Kit, Params
from bench.types import Frame, Limits, Message, Observation, Opening, Step

FRAME = Frame("corridor", "Walk the corridor.", max_tokens=60)
SEEN = "You see door {n}. Door {n} is shut. The lamp is on."


class Corridor:
    """Says which door one stands at; ``lines`` in place of that where given."""

    def __init__(self, lines: Sequence[str] = ()):
        self.told: list[str] = []
        self._lines = lines

    def reset(self) -> Opening:
        return Opening("You stand in a corridor.\n\nYour task is to: reach the end.", FRAME, "You see door 0.")

    def step(self, action: str) -> Observation:
        self.told.append(action)
        n = len(self.told)
        text = self._lines[n - 1] if n <= len(self._lines) else SEEN.format(n=n)
        return Observation(text, executed=action)

    def close(self) -> None:
        pass


@dataclass
class Walk:
    """What came of an episode: the steps, what the world was told, and every prompt with its role."""

    steps: list[Step] = field(default_factory=list)
    world: Corridor = field(default_factory=Corridor)
    asked: list[tuple[str, Sequence[Message]]] = field(default_factory=list)

    def contexts(self) -> list[str]:
        return [step.decision.context.text for step in self.steps]

    def roles(self) -> list[str]:
        return [role for role, _ in self.asked]


Walker = Callable[..., Walk]


@pytest.fixture(scope="session")
def walk() -> Walker:
    """Walk ``steps`` steps; ``replies`` is a list for the role act or a function of (messages, role)."""

    def walk(
        replies: Sequence[str] | Callable[[Sequence[Message], str], str],
        *,
        steps: int,
        lines: Sequence[str] = (),
        budget: int | None = None,
        **given: str,
    ) -> Walk:
        done = Walk(world=Corridor(lines))
        queue = [] if callable(replies) else list(replies)

        def reply(messages: Sequence[Message], role: str) -> str:
            done.asked.append((role, tuple(messages)))
            if callable(replies):
                return replies(messages, role)
            return queue.pop(0) if role == "act" else f"summary {done.roles().count('summarize')}"

        params = Params(STRATEGY.params, given, who="hiagent")
        kit = Kit(ScriptedModel(reply), HashEmbedder(), FRAME, Budget(budget, count_tokens), params)
        run_episode(STRATEGY.build(kit), done.world, done.world.reset(), Limits(step_cap=steps), done.steps)
        return done

    return walk
