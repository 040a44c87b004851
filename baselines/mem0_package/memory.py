"""The memory around the library ``mem0ai``: batches of turns go in, memories come out. Knows no suite."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.mem0_package.package import Hit, Message, Package, load
from baselines.shared.budget import select_fitting
from bench.errors import BenchError
from bench.models.openai_api.client import MeteredClient
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Query

__all__ = ["PackageMemory"]

_RANKED_REFS = 50


class PackageMemory:
    """Batches of turns go into the library, its memories come out."""

    def __init__(self, kit: Kit):
        load()  # a missing library is an error at once, not after the first turns
        self._kit = kit
        self._k, self._batch = kit.params.integer("k"), kit.params.integer("batch")
        self._client = MeteredClient(kit.model, kit.embedder, role="extract", leave_out=("response_format",))
        self._package: Package | None = None
        self._pending: list[Event] = []
        self._stored: frozenset[str] | None = None  # refs; listing them is slow
        self._user = ""
        self._n_turns = 0
        self.lost = 0
        """Batches over which the library raised."""

    def observe(self, event: Event) -> None:
        """Take a turn into the batch; a full batch and the end of a session are written down."""
        if event.kind is EventKind.SESSION_END:
            self._write()
        elif event.kind is not EventKind.GOAL and event.text.strip():
            self._n_turns += 1
            self._pending.append(event)
            if len(self._pending) >= self._batch:
                self._write()

    def recall(self, query: Query) -> Context:
        """Return the memories that the library finds and that fit the budget, in time order. Read-only.

        Turns that wait for their batch to fill stand as they were said, before any memory.
        """
        ranked = [*self._list_pending(), *self._search(query.text)]
        best = ranked[: self._k]
        chosen = select_fitting(best, query.budget_tokens, _render, self._kit.budget.count)
        order = list(dict.fromkeys(ref for hit in ranked for ref in hit.refs))
        refs = dict.fromkeys(ref for hit in chosen for ref in hit.refs)
        return Context(_render(chosen), tuple(refs), len(chosen) < len(best), tuple(order[:_RANKED_REFS]))

    def reach(self) -> frozenset[str]:
        """Return the refs of the batches that memories came from, and of the turns that wait to be written down."""
        if self._stored is None:
            self._stored = frozenset() if self._package is None else self._package.list_refs()
        return self._stored | {event.ref for event in self._pending}

    def _write(self) -> None:
        self._stored = None
        batch, self._pending = self._pending, []
        if not batch:
            return
        if self._package is None:
            width = self._kit.embedder.embed([batch[0].text]).shape[1]
            self._package = Package(self._client, width)
        messages = [Message(self._role(event), _render_event(event)) for event in batch]
        before = self._package.unusable
        try:
            with self._client.guard():
                self._package.add(messages, batch[-1].time, [event.ref for event in batch], self._n_turns)
        except BenchError:
            raise
        except Exception:  # the library's own: it trusts a reply to be of the form that it asked for
            self.lost += 1
        else:
            self.lost += self._package.unusable > before

    def _role(self, event: Event) -> str:
        self._user = self._user or event.speaker
        return "user" if event.speaker == self._user else "assistant"

    def _list_pending(self) -> list[Hit]:
        return [Hit(_render_event(event), event.time, (event.ref,), self._n_turns) for event in reversed(self._pending)]

    def _search(self, text: str) -> list[Hit]:
        if self._package is None or not text.strip():
            return []
        with self._client.guard():
            return self._package.search(text, max(self._k, _RANKED_REFS))


def _render_event(event: Event) -> str:
    text = " ".join(event.text.split())
    return f"{event.speaker}: {text}" if event.speaker else text


def _render(hits: Sequence[Hit]) -> str:
    in_time = sorted(hits, key=lambda hit: hit.at)
    return "\n".join(f"[{hit.date}] {hit.text}" if hit.date else hit.text for hit in in_time)
