"""A scripted model that gives commands, and an agent built with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from baselines.files_grep.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Agent, Budget, Kit, Params, count_words
from bench.types import Context, Event, EventKind, Frame, Message, Query, Shape

TALK = (
    "I painted a bowl.",
    "A bowl? What colour?",
    "Blue; painting calms me.",
    "I moved to Oslo.",
    "Oslo is blue too.",
)


@dataclass
class Searcher:
    """Says its commands in order, then that it is done; keeps the prompts."""

    commands: Sequence[str] = ()
    prompts: list[tuple[Message, ...]] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        if role == "answer":
            return "Answer: Oslo"
        assert role == "navigate"
        self.prompts.append(tuple(messages))
        place = len(messages) // 2 - 1
        return self.commands[place] if place < len(self.commands) else "done"

    @property
    def results(self) -> list[str]:
        """What the commands brought, as the last prompt has it."""
        return [message.content for message in self.prompts[-1][3::2]]


def agent(searcher: Searcher, **given: str) -> Agent:
    params = Params(STRATEGY.params, given, who="files-grep")
    frame = Frame("frame", "Answer.", label="Answer:")
    return STRATEGY.build(Kit(ScriptedModel(searcher), HashEmbedder(), frame, Budget(None, count_words), params))


def build_filled(searcher: Searcher, *texts: str, **given: str) -> Agent:
    """A talk of two, three turns a session."""
    built = agent(searcher, **given)
    for at, text in enumerate(texts or TALK):
        session = 1 + at // 3
        built.memory.observe(Event(f"t{at}", EventKind.TURN, text, session, ("Ann", "Bob")[at % 2], f"{session} May"))
        if at % 3 == 2:
            built.memory.observe(Event(f"m{at}", EventKind.SESSION_END, "", session))
    return built


def ask(built: Agent, budget: int | None = None) -> Context:
    return built.memory.recall(Query("Where?", "Where? (asked on 9 June)", 1, Shape.CONVERSATION, budget))
