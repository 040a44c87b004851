"""The package ``mem0ai`` as it is published, for long conversations. Knows no suite.

Source: mem0ai 2.2 (github.com/mem0ai/mem0): additive extraction in one call per batch, with the last ten messages and
the ten nearest memories; search by vectors. Its prompts, its parsing and its search are its own; see ``package.py`` for
what is switched off (telemetry, entity links, BM25) and for the date that is put in the place of today's.
Differs in: batches of two messages as in the authors' LoCoMo harness, one store for both speakers, who are the user and
the assistant and whose names stand before what they say; a memory cites all messages of its batch, since the library
does not tell; memories are shown dated by session and in time order. A batch over which the library raises (some
replies that are no proper JSON) is not remembered, and a note says so. It serves conversations only: its prompt speaks
of a user and an assistant.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.mem0_package.package import Hit, Message, Package, load
from bench.agents import DefaultAgent
from bench.errors import BenchError
from bench.models.openai_api.client import MeteredClient
from bench.protocols import Agent, Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Query, Shape, Stimulus

__all__ = ["STRATEGY", "PackageMemory"]

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


def _build(kit: Kit) -> Agent:
    memory = PackageMemory(kit)

    def notes(_stimulus: Stimulus) -> tuple[str, ...]:
        """Say how many batches the library lost."""
        return (f"lost: {memory.lost} batches so far",) if memory.lost else ()

    return DefaultAgent(memory, kit, notes=notes)


STRATEGY = Strategy(
    name="mem0-package-v1",
    build=_build,
    serves=frozenset({Shape.CONVERSATION}),
    needs="mem0",
    params=(
        Param("k", 10, "how many memories are shown", minimum=1),
        Param("batch", 2, "how many turns are added at once", minimum=1),
    ),
    source="the package mem0ai 2.2 (additive); entity links and BM25 off, one store, a memory cites its whole batch",
)
"""The row."""
