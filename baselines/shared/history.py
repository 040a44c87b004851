"""The memory that keeps everything: of full-history, and of strategies that change the turn and not the memory."""

from __future__ import annotations

from bench.agents import render
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Query

__all__ = ["FullHistory"]


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
