"""The memory around the library ``mem0ai``: batches of turns go in, memories come out. Knows no suite."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.mem0_package.package import Hit, Message, Package, load
from bench.errors import BenchError
from bench.models.openai_api.client import MeteredClient
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Query

__all__ = ["PackageMemory"]

_RANKED_REFS = 50


class PackageMemory:
    """Batches of turns go into the library, its memories come out."""

    def __init__(self, kit: Kit):
        load()  # a missing library is told at once, not after the first turns
        self._kit = kit
        self._k, self._batch = kit.params.integer("k"), kit.params.integer("batch")
        self._client = MeteredClient(kit.model, kit.embedder, role="extract", leave_out=("response_format",))
        self._package: Package | None = None
        self._pending: list[Event] = []
        self._user = ""
        self._heard = 0
        self.lost = 0
        """Batches over which the library raised."""

    def observe(self, event: Event) -> None:
        """Take a turn into the batch; a full batch and the end of a session are written down."""
        if event.kind is EventKind.SESSION_END:
            self._write()
        elif event.kind is not EventKind.GOAL and event.text.strip():
            self._heard += 1
            self._pending.append(event)
            if len(self._pending) >= self._batch:
                self._write()

    def recall(self, query: Query) -> Context:
        """Return the memories that the library finds and that fit the budget, in time order. Read-only.

        Turns that wait for their batch to fill stand as they were said, before any memory.
        """
        ranked = [*self._waiting(), *self._found(query.text)]
        best = ranked[: self._k]
        shown = self._fitting(best, query.budget_tokens)
        order = list(dict.fromkeys(ref for hit in ranked for ref in hit.refs))
        refs = dict.fromkeys(ref for hit in shown for ref in hit.refs)
        return Context(_text(shown), tuple(refs), len(shown) < len(best), tuple(order[:_RANKED_REFS]))

    def _write(self) -> None:
        batch, self._pending = self._pending, []
        if not batch:
            return
        if self._package is None:
            width = self._kit.embedder.embed([batch[0].text]).shape[1]
            self._package = Package(self._client, width)
        messages = [Message(self._role(event), _said(event)) for event in batch]
        before = self._package.unusable
        try:
            with self._client.guard():
                self._package.add(messages, batch[-1].time, [event.ref for event in batch], self._heard)
        except BenchError:
            raise
        except Exception:  # the library's own: it trusts a reply to be of the form that it asked for
            self.lost += 1
        else:
            self.lost += self._package.unusable > before

    def _role(self, event: Event) -> str:
        self._user = self._user or event.speaker
        return "user" if event.speaker == self._user else "assistant"

    def _waiting(self) -> list[Hit]:
        return [Hit(_said(event), event.time, (event.ref,), self._heard) for event in reversed(self._pending)]

    def _found(self, text: str) -> list[Hit]:
        if self._package is None or not text.strip():
            return []
        with self._client.guard():
            return self._package.search(text, max(self._k, _RANKED_REFS))

    def _fitting(self, best: list[Hit], budget_tokens: int | None) -> list[Hit]:
        if budget_tokens is None:
            return best
        shown: list[Hit] = []
        for hit in best:
            if self._kit.budget.count(_text([*shown, hit])) <= budget_tokens:
                shown.append(hit)
        return shown


def _said(event: Event) -> str:
    text = " ".join(event.text.split())
    return f"{event.speaker}: {text}" if event.speaker else text


def _text(hits: Sequence[Hit]) -> str:
    in_time = sorted(hits, key=lambda hit: hit.at)
    return "\n".join(f"[{hit.date}] {hit.text}" if hit.date else hit.text for hit in in_time)
