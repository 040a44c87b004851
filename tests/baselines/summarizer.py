"""A scripted summarizer, and memories built with it: for the strategies that condense their past."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Memory, Model, Params, Strategy, count_words
from bench.types import Artifact, Event, Frame, Message


@dataclass
class Summarizer:
    """Replies ``text`` to every prompt of one role, and keeps the prompts."""

    text: str = "A is on B."
    role: str = "summarize"
    prompts: list[str] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        assert role == self.role
        self.prompts.append("\n".join(message.content for message in messages))
        return self.text


def build_memory(
    strategy: Strategy,
    model: Model | Callable[[Sequence[Message], str], str],
    budget: int | None = 40,
    files: Mapping[str, str] | None = None,
    **params: str,
) -> Memory:
    """Return the strategy's memory; ``files`` are those of its artifact."""
    chat = ScriptedModel(model) if callable(model) else model
    checked = Params(strategy.params, params, who=strategy.name)
    frame, artifact = Frame("f", "Act."), Artifact(files or {})
    kit = Kit(chat, HashEmbedder(), frame, Budget(budget, count_words), checked, artifact=artifact)
    return strategy.build(kit).memory


def make_steps(history: Any, n: int) -> list[Event]:
    """Return the goal and ``n`` steps of two events each."""
    events: list[Event] = history.episode(*((f"go {i}", f"Door {i} is open.") for i in range(1, n + 1)))
    return events
