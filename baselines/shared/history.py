"""The memory that keeps everything: of full-history, and of strategies that change the turn and not the memory."""

from __future__ import annotations

from bench.agents import render
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Query

__all__ = ["FullHistory"]


class FullHistory:
    """Keeps every event that has a text of its own, and its line in the prompt.

    The text grows with each event instead of being put together at each decision, and so does that of all but the last
    event, which is what a decision is shown.
    """

    def __init__(self, kit: Kit):
        del kit  # needs no model, embedder, parameter or counter
        self._refs: list[str] = []
        self._lines: list[str] = []
        self._place: dict[str, int] = {}
        self._whole = self._earlier = ""

    def observe(self, event: Event) -> None:
        """Keep the event, unless the prompt shows it anyway (the goal) or it has no text (a mark)."""
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        line = render([event])
        self._earlier, self._whole = self._whole, f"{self._whole}\n{line}" if self._refs else line
        self._place[event.ref] = len(self._refs)
        self._refs.append(event.ref)
        self._lines.append(line)

    def recall(self, query: Query) -> Context:
        """Return everything but the current observation. Read-only; may be over budget, which is then an error."""
        now = self._place.get(query.ref)
        if now is None:
            return Context(self._whole, tuple(self._refs))
        refs = (*self._refs[:now], *self._refs[now + 1 :])
        if now == len(self._refs) - 1:
            return Context(self._earlier, refs)
        return Context("\n".join(self._lines[:now] + self._lines[now + 1 :]), refs)
