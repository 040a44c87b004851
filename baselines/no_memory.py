"""No memory: the model sees the frame, the goal and the current observation or question, and nothing that came before.

Source: the usual "no memory" control (StreamBench, AgentBoard). Knows no suite.

Step -> function:

* forget everything -> ``NoMemory.observe``, ``recall``

Differences: none.
"""

from __future__ import annotations

from bench.agents import default_agent
from bench.protocols import Kit, Strategy
from bench.types import Context, Event, Query

__all__ = ["STRATEGY", "NoMemory"]


class NoMemory:
    """Hears everything and says nothing."""

    def __init__(self, kit: Kit):
        del kit  # every memory is built from a kit; this one needs nothing in it

    def observe(self, event: Event) -> None:
        """Forget the event."""

    def recall(self, query: Query) -> Context:
        """Return the empty context, whatever the query."""
        return Context()

    def reach(self) -> frozenset[str]:
        """Return nothing."""
        return frozenset()


STRATEGY = Strategy(
    name="no-memory-v1",
    build=default_agent(NoMemory),
    source="control: goal and current observation (or question) only",
)
"""The strategy."""
