"""A scripted model for the library, and small conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import pytest

from baselines.mem0_package.memory import PackageMemory
from baselines.mem0_package.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Model, Params, count_words
from bench.types import (
    Event,
    EventKind,
    Frame,
    Message,
    Query,
    Shape,
)

needs_library = pytest.mark.skipif(find_spec("mem0") is None, reason="needs the library mem0ai (extra [mem0])")


ChatFunction = Callable[[Sequence[Message], str], str]


def memories(*texts: object) -> str:
    return json.dumps({"memory": [{"id": str(at), "text": text} for at, text in enumerate(texts)]})


class Script:
    """Replies in order, the last again and again; keeps the prompts."""

    def __init__(self, *replies: str):
        self._replies = list(replies)
        self.prompts: list[tuple[Message, ...]] = []

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        if role == "answer":
            return "Oslo"
        assert role == "extract"
        self.prompts.append(tuple(messages))
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def kit(model: Model | ChatFunction, **settings: str) -> Kit:
    chat = ScriptedModel(model) if callable(model) else model
    params = Params(STRATEGY.params, settings, who="mem0-package")
    return Kit(chat, HashEmbedder(), Frame("f", "Answer."), Budget(None, count_words), params)


def conversation(*lines: str, date: str = "8 May, 2023", first: int = 0) -> list[Event]:
    events = []
    for number, line in enumerate(lines, start=first):
        speaker, _, text = line.partition(": ")
        events.append(Event(f"t{number}", EventKind.TURN, text, 1, speaker, date))
    return [*events, Event(f"m{first}", EventKind.SESSION_END, "", 1, time=date)]


def feed(memory: PackageMemory, events: Sequence[Event]) -> PackageMemory:
    for event in events:
        memory.observe(event)
    return memory


def question(text: str, budget: int | None = None) -> Query:
    return Query(text, text, 1, Shape.CONVERSATION, budget)
