"""A manager and a memory with scripted replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from baselines.horma.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Params, count_words
from bench.types import Artifact, Event, EventKind, Frame, Message
from tests.baselines.horma.workspaces import TALK, make_turn


@dataclass
class Script:
    """Says the replies of each role in order, the last one again and again; keeps the prompts."""

    organise: Sequence[str] = ("none",)
    navigate: Sequence[str] = ("done",)
    prompts: dict[str, list[tuple[Message, ...]]] = field(default_factory=dict)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        seen = self.prompts.setdefault(role, [])
        seen.append(tuple(messages))
        if role in ("answer", "act"):
            return "Answer: Oslo" if role == "answer" else "Action: look"
        replies = self.organise if role == "organise" else self.navigate
        return replies[min(len(seen), len(replies)) - 1]


def make_kit(script: Script, budget: int | None = None, artifact: Artifact = Artifact(), **given: str) -> Kit:
    params = Params(STRATEGY.params, given, who="horma")
    frame = Frame("frame", "Answer.")
    return Kit(ScriptedModel(script), HashEmbedder(), frame, Budget(budget, count_words), params, artifact=artifact)


def list_talk() -> list[Event]:
    """Two sessions with their ends."""
    events = list[Event]()
    for at, turn in enumerate(TALK):
        events.append(make_turn(*turn))
        if at + 1 == len(TALK) or TALK[at + 1][0][:2] != turn[0][:2]:
            events.append(Event(turn[0][:2], EventKind.SESSION_END, "", int(turn[0][1])))
    return events


def list_steps(*observations: str) -> list[Event]:
    """A goal, then for each observation an action ``act N`` before it."""
    events = [Event("goal", EventKind.GOAL, "A room.\n\nYour task is to: put a mug in the desk.")]
    for step, text in enumerate(observations, start=1):
        events += [Event(f"a{step}", EventKind.ACTION, f"act {step}", step)]
        events += [Event(f"o{step}", EventKind.OBSERVATION, text, step)]
    return events
