"""Small histories and a way to build a baseline's memory outside a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bench.embedders.hash import HashEmbedder
from bench.protocols import Budget, Embedder, Kit, Memory, Params, Strategy, count_words
from bench.types import Event, EventKind, Frame, Message, Query, Reply, Shape

GOAL = "You are in a room. You see a shelf 1, a desk 1.\n\nYour task is to: put a mug in the desk."


class Parrot:
    """A model that always says the same."""

    name = "parrot"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        return Reply("Action: look")


class History:
    """Builders of streams and queries, so that every test reads alike."""

    goal = GOAL

    def episode(self, *pairs: tuple[str, str]) -> list[Event]:
        """Goal, then action and observation of each step."""
        events = [Event("goal", EventKind.GOAL, GOAL)]
        for i, (action, observation) in enumerate(pairs, start=1):
            events += [
                Event(f"a{i}", EventKind.ACTION, action, i),
                Event(f"o{i}", EventKind.OBSERVATION, observation, i),
            ]
        return events

    def conversation(self, *turns: str, session_of: int = 2) -> list[Event]:
        """Turns of two speakers with a mark after every ``session_of``."""
        events = []
        for i, text in enumerate(turns):
            session = i // session_of
            events.append(Event(f"t{i}", EventKind.TURN, text, session, ("Ann", "Bob")[i % 2], f"{session + 1} May"))
            if (i + 1) % session_of == 0:
                events.append(Event(f"m{session}", EventKind.SESSION_END, "", session))
        return events

    def now(self, events: Sequence[Event], budget: int | None = None) -> Query:
        """Ask for the step after the last event, as the driver does."""
        last = events[-1]
        text = "" if last.kind is EventKind.GOAL else last.text
        return Query(text, GOAL, last.step + 1, Shape.EPISODE, budget, last.ref)

    def question(self, text: str, budget: int | None = None) -> Query:
        return Query(text, f"{text} (asked on 9 May)", 1, Shape.CONVERSATION, budget)

    def kit(
        self,
        strategy: Strategy,
        given: dict[str, str] | None = None,
        *,
        embedder: Embedder | None = None,
        count: Callable[[str], int] = count_words,
        budget: int | None = None,
    ) -> Kit:
        params = Params(strategy.params, given, who=strategy.name)
        frame = Frame("frame", "Act.")
        return Kit(Parrot(), embedder or HashEmbedder(), frame, Budget(budget, count), params)

    def memory(self, strategy: Strategy, events: Sequence[Event], given: dict[str, str] | None = None) -> Memory:
        return self.feed(strategy.build(self.kit(strategy, given)).memory, events)

    def feed(self, memory: Memory, events: Sequence[Event]) -> Memory:
        for event in events:
            memory.observe(event)
        return memory


@pytest.fixture(scope="session")
def history() -> History:
    return History()
