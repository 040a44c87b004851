"""Trials, a scripted model and a counting embedder for the tests of strategies that learn across tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.protocols import Budget, Kit, Params, Strategy, Vectors
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

__all__ = ["FRAME", "CountingEmbedder", "Script", "make_kit", "make_trial"]

FRAME = Frame("kitchen", "Act in a kitchen.", max_tokens=100)
Reply = str | Callable[[str], str]


class Script:
    """Replies by role, a text or a function of the request, and keeps what was asked.

    A list of texts is said in order; one for all roles says its last text again and again.
    """

    def __init__(self, replies: Mapping[str, Reply | Sequence[str]] | list[str]):
        given = replies if isinstance(replies, Mapping) else {}
        self._replies = {role: list(one) if isinstance(one, list) else one for role, one in given.items()}
        self._any = list(replies) if isinstance(replies, list) else []
        self.asked: list[tuple[str, tuple[Message, ...]]] = []

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        self.asked.append((str(role), tuple(messages)))
        if self._any:
            return self._any.pop(0) if len(self._any) > 1 else self._any[0]
        found = self._replies[role]
        if isinstance(found, list):
            return str(found.pop(0))
        return found(messages[-1].content) if callable(found) else str(found)

    @property
    def calls(self) -> Counter[str]:
        """How many calls were made, by role."""
        return Counter(role for role, _ in self.asked)

    def requests(self, role: str = "") -> list[str]:
        """Return what the calls of one role, or all, showed in their last message."""
        return [messages[-1].content for one, messages in self.asked if role in ("", one)]


class CountingEmbedder(HashEmbedder):
    """Keeps the texts of every call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        return super().embed(texts)


def make_trial(task: str, opening: str, *steps: tuple[str, str], won: bool, attempt: int = 1) -> Trial:
    """Return the record of an episode; ``steps`` are actions with their observations."""
    key = TrialKey("kitchen", "train", task, "full-history", "scripted", attempt=attempt)
    seen, record = "", list[Step]()
    for index, (action, observation) in enumerate(steps, start=1):
        stimulus = Stimulus(Shape.EPISODE, seen, opening, index)
        record.append(Step(index, stimulus, Decision(action), Observation(observation, won=won)))
        seen = observation
    end = EndReason.WON if won else EndReason.STEP_CAP
    return Trial(key, Status.DONE, end, steps=tuple(record), opening=opening)


def make_kit(
    strategy: Strategy,
    script: Script,
    *,
    artifact: Artifact | None = None,
    budget: int | None = None,
    embedder: CountingEmbedder | None = None,
    **given: str,
) -> Kit:
    """Return a kit with scripted replies; ``given`` are parameters as a user writes them."""
    return Kit(
        ScriptedModel(script),
        embedder or CountingEmbedder(),
        FRAME,
        Budget(budget, count_tokens),
        Params(strategy.params, given),
        artifact=artifact or Artifact(),
    )
