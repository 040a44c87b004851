"""Recorded attempts as a learner gets them, and a model that keeps its prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Params, Strategy, count_words
from bench.types import (
    Artifact,
    Decision,
    EndReason,
    Frame,
    Message,
    Observation,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)

__all__ = ["Script", "make_kit", "make_trial"]


def make_trial(task: str, opening: str, *steps: tuple[str, str], won: bool, attempt: int = 1) -> Trial:
    """Return an attempt of (action, observation) pairs."""
    made = tuple(
        Step(i, Stimulus(Shape.EPISODE, "", opening, i), Decision(action), Observation(answer))
        for i, (action, answer) in enumerate(steps, start=1)
    )
    end = EndReason.WON if won else EndReason.STEP_CAP
    return Trial(TrialKey("", "", task, "", "", attempt=attempt), Status.DONE, end, steps=made, opening=opening)


@dataclass
class Script:
    """Says the same, or the next of several texts, and keeps the role and the messages of each call."""

    replies: list[str]
    seen: list[tuple[str, tuple[Message, ...]]] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        self.seen.append((role, tuple(messages)))
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    @property
    def requests(self) -> list[str]:
        return [messages[1].content for _, messages in self.seen]


def make_kit(strategy: Strategy, script: Script, artifact: Artifact | None = None, **given: str) -> Kit:
    """Return a kit whose model plays the script."""
    params = Params(strategy.params, given, who=strategy.name)
    budget = Budget(None, count_words)
    return Kit(
        ScriptedModel(script), HashEmbedder(), Frame("f", "Act."), budget, params, artifact=artifact or Artifact()
    )
