"""A scripted model for A-MEM, and an agent built with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from baselines.a_mem.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Agent, Budget, Kit, Params, Vectors, count_words
from bench.types import Context, Event, EventKind, Frame, Message, Query, Shape

LinkReply = Callable[[Sequence[Message]], str]


NO_CHANGE = '{"should_evolve": false}'


@dataclass
class Scribe:
    """Describes a note by its words of five letters or more, and says to ``link`` what it is told to; keeps prompts."""

    link: LinkReply = lambda _messages: NO_CHANGE
    broken: Sequence[str] = ()
    """Roles whose replies are no JSON."""
    requests: list[tuple[str, tuple[Message, ...]]] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        self.requests.append((role, tuple(messages)))
        if role in self.broken:
            return "I would rather not."
        text = messages[1].content
        if role == "link":
            return self.link(messages)
        if role == "answer":
            return "Answer: Oslo"
        words = [word.strip(".?,") for word in text.split(": ")[-1].split() if len(word) >= 5] or ["thing"]
        return json.dumps({"keywords": words, "context": f"About {words[0]}.", "tags": [words[0]]})

    def find_requests(self, role: str) -> list[str]:
        return [messages[-1].content for one, messages in self.requests if one == role]


class Embedder(HashEmbedder):
    """Keeps what it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts.append(tuple(texts))
        return super().embed(texts)


@dataclass
class Trial:
    """One agent with the model and the embedder it was built from."""

    scribe: Scribe
    embedder: Embedder
    agent: Agent
    n_turns: int = 0

    def tell(self, *texts: str) -> None:
        """One turn each, by Ann and Bob in turn, a day each."""
        for text in texts:
            at, self.n_turns = self.n_turns, self.n_turns + 1
            self.agent.memory.observe(Event(f"t{at}", EventKind.TURN, text, 1, ("Ann", "Bob")[at % 2], f"{at + 1} May"))

    def ask(self, text: str, budget: int | None = None) -> Context:
        return self.agent.memory.recall(Query(text, text, 0, Shape.CONVERSATION, budget))


def trial(scribe: Scribe | None = None, **given: str) -> Trial:
    scribe, embedder = scribe or Scribe(), Embedder()
    kit = Kit(
        ScriptedModel(scribe),
        embedder,
        Frame("frame", "Answer.", label="Answer:"),
        Budget(None, count_words),
        Params(STRATEGY.params, given, who="a-mem"),
    )
    return Trial(scribe, embedder, STRATEGY.build(kit))


def evolve(*actions: str, **fields: object) -> LinkReply:
    return lambda _messages: json.dumps({"should_evolve": True, "actions": actions, **fields})


FOX, RIVER, TEA = "A clever foxhound came along.", "Broad river there.", "Green teacups."
