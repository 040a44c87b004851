"""Everything that happened, in order and in full: the most that a memory can know, and the cost it has to beat.

Source: STANDARD in HiAgent (arXiv 2408.09559, sec. 3): m_t = (o_0, a_0, ..., o_t). Knows no suite.

Paper step -> function:

* keep each observation and action -> ``FullHistory.observe``
* show all of them -> ``FullHistory.recall``

Differences from the paper:

* The goal with its opening text and the current observation have fixed places in the prompt, so the context leaves them
  out.
* A history longer than the budget is a StrategyError (the common rule of ``bench.agents.recall``). A history that was
  cut would be another strategy (``truncation``).
"""

from __future__ import annotations

from bench.agents import default_agent, render
from bench.protocols import Kit, Strategy
from bench.types import Context, Event, EventKind, Query

__all__ = ["STRATEGY", "FullHistory"]


class FullHistory:
    """Keeps every event that has a text of its own, and its line in the prompt."""

    def __init__(self, kit: Kit):
        del kit  # needs no model, embedder, parameter or counter
        self._refs: list[str] = []
        self._lines: list[str] = []

    def observe(self, event: Event) -> None:
        """Keep the event, unless the prompt shows it anyway (the goal) or it has no text (a mark)."""
        if event.kind not in (EventKind.GOAL, EventKind.SESSION_END):
            self._refs.append(event.ref)
            self._lines.append(render([event]))

    def recall(self, query: Query) -> Context:
        """Return everything but the current observation. Read-only; may be over budget, which is then an error."""
        if query.ref not in self._refs:
            return Context("\n".join(self._lines), tuple(self._refs))
        now = len(self._refs) - 1 - self._refs[::-1].index(query.ref)
        refs = self._refs[:now] + self._refs[now + 1 :]
        return Context("\n".join(self._lines[:now] + self._lines[now + 1 :]), tuple(refs))


STRATEGY = Strategy(
    name="full-history-v1",
    build=default_agent(FullHistory),
    source="STANDARD of HiAgent (arXiv 2408.09559, sec. 3); goal and current observation in their fixed places",
)
"""The strategy."""
