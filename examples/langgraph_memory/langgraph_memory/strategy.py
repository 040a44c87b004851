"""A memory written in LangGraph: a window of messages and a running summary. Source: an example.

The graph knows nothing of memfrontier. The strategy hands it events as messages, with a chat model whose calls are
metered, and reads its state to show a context.
"""

from __future__ import annotations

from typing import Any

from langchain_core.messages import HumanMessage

from bench.agents import default_agent, render
from bench.models.openai_api.client import MeteredClient
from bench.protocols import Kit, Param, Strategy
from bench.replies import trim_to_sentence
from bench.types import Context, Event, EventKind, Query, Role
from langgraph_memory.chat import MeteredChat
from langgraph_memory.graph import build_graph

__all__ = ["STRATEGY"]


class GraphMemory:
    """Events go into the graph; its state is what is shown."""

    def __init__(self, kit: Kit):
        self._count = kit.budget.count
        window, words = kit.params.integer("window"), kit.params.integer("words")
        self._client = MeteredClient(kit.model, kit.embedder, role=Role.SUMMARIZE)
        self._graph = build_graph(MeteredChat.wrap(self._client, 2 * words), window=window, words=words)
        self._state: dict[str, Any] = {"messages": [], "summary": "", "cited": []}

    def observe(self, event: Event) -> None:
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        message = HumanMessage(render([event]), id=event.ref)
        with self._client.guard():  # raises a failed call even where the framework swallows it
            self._state = self._graph.invoke({**self._state, "messages": [*self._state["messages"], message]})

    def recall(self, query: Query) -> Context:
        found = [message for message in self._state["messages"] if message.id != query.ref]
        shown, summary, room = list(found), self._state["summary"], query.budget_tokens
        while room is not None and shown and self._count(_join(summary, shown)) > room:
            shown.pop(0)  # the oldest is dropped first
        if room is not None and self._count(_join(summary, shown)) > room:
            summary = trim_to_sentence(summary, room, self._count)
        refs = (*(self._state["cited"] if summary else ()), *(message.id for message in shown))
        return Context(_join(summary, shown), refs, truncated=(summary, shown) != (self._state["summary"], found))


def _join(summary: str, messages: list[HumanMessage]) -> str:
    return "\n\n".join(filter(None, [summary, "\n".join(str(message.content) for message in messages)]))


STRATEGY = Strategy(
    "langgraph-memory-v1",
    default_agent(GraphMemory),
    params=(
        Param("window", 4, "how many messages stay as they were; up to twice as many until the next fold", minimum=1),
        Param("words", 300, "how many words the summary may have", minimum=1),
    ),
    needs="langgraph",
    source="example of the documentation: summary and window as in LangGraph's guide to memory",
)
"""The strategy."""
