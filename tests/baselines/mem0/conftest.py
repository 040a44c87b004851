"""A Mem0 memory outside a run, with a model that replies by role and keeps the prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from baselines.mem0.memory import Mem0Memory
from baselines.mem0.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Embedder, Kit, Params, Vectors, count_words
from bench.types import Event, EventKind, Frame, Message, Query, Shape


def facts(*given: tuple[str, Sequence[int]]) -> str:
    return json.dumps({"facts": [{"text": text, "turns": list(turns)} for text, turns in given]})


def operations(*given: dict[str, Any]) -> str:
    return json.dumps({"operations": list(given)})


@dataclass
class ScriptedReplies:
    """Replies of each role in order, the last again and again; keeps what it was asked."""

    replies: dict[str, list[str]]
    asked: list[tuple[str, tuple[Message, ...]]] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        self.asked.append((role, tuple(messages)))
        left = self.replies[role]
        return left.pop(0) if len(left) > 1 else left[0]

    def prompts(self, role: str) -> list[str]:
        """The user texts of a role's calls, a retry's joined to its first."""
        return ["\n".join(m.content for m in messages if m.role == "user") for r, messages in self.asked if r == role]


@dataclass
class CountingEmbedder:
    """The hash embedder, which keeps what it was asked."""

    calls: list[tuple[str, ...]] = field(default_factory=list)
    name = "hash"
    in_process = True

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(tuple(texts))
        return HashEmbedder().embed(texts)


class Mem0Setup:
    """Builders, so that every test reads alike."""

    facts = staticmethod(facts)
    operations = staticmethod(operations)
    says = ScriptedReplies
    counting = CountingEmbedder

    def kit(
        self, model: Callable[[Sequence[Message], str], str], embedder: Embedder | None = None, **given: str
    ) -> Kit:
        params = Params(STRATEGY.params, given, who="mem0")
        frame, budget = Frame("f", "Answer."), Budget(None, count_words)
        return Kit(ScriptedModel(model), embedder or HashEmbedder(), frame, budget, params)

    def memory(
        self, model: Callable[[Sequence[Message], str], str], embedder: Embedder | None = None, **given: str
    ) -> Mem0Memory:
        return Mem0Memory(self.kit(model, embedder, **given))

    def conversation(self, *lines: str, date: str = "8 May, 2023", first: int = 0) -> list[Event]:
        """Turns ``Name: text`` of one session, with its mark."""
        events = []
        for number, line in enumerate(lines, start=first):
            speaker, _, text = line.partition(": ")
            events.append(Event(f"t{number}", EventKind.TURN, text, 1, speaker, date))
        return [*events, Event(f"m{first}", EventKind.SESSION_END, "", 1, time=date)]

    def feed(self, memory: Mem0Memory, events: Sequence[Event]) -> Mem0Memory:
        for event in events:
            memory.observe(event)
        return memory

    def question(self, text: str, budget: int | None = None) -> Query:
        return Query(text, text, 1, Shape.CONVERSATION, budget)


@pytest.fixture(scope="session")
def mem0() -> Mem0Setup:
    return Mem0Setup()
