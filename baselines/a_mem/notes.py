"""A-MEM's notes and the index over them: what a note holds, how it is written down, which notes lie near a text.

A note is frozen; evolving one puts another in its place. The index keeps one vector a note and grows by doubling. It
may lie behind the notes: a vector is of the text that was last embedded for its note. Knows no model and no prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.agents import render
from bench.protocols import Embedder, Vectors
from bench.types import Event, EventKind

__all__ = ["Index", "Note"]

_DECIMALS = 6  # float32 sums; the seventh is noise


@dataclass(frozen=True, slots=True)
class Note:
    """One turn, or one action with its observation, and what the model wrote about it."""

    events: tuple[Event, ...]
    keywords: tuple[str, ...] = ()
    context: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[int, ...] = ()
    """Places of older notes that belong to this one."""

    @property
    def refs(self) -> tuple[str, ...]:
        return tuple(event.ref for event in self.events)

    @property
    def content(self) -> str:
        """What was said or done, on one line, without date and step: what the neighbors are searched with."""
        parts = (f"{event.speaker}: {event.text}" if event.speaker else event.text for event in self.events)
        return " ".join(" ".join(parts).split())

    @property
    def line(self) -> str:
        """The events on one line, as a prompt of this strategy shows them."""
        return " ".join(render(self.events).split())

    @property
    def index_text(self) -> str:
        """What the note is found by: content, context, keywords and tags."""
        parts = (self.content, self.context, ", ".join(self.keywords), ", ".join(self.tags))
        return "\n".join(part for part in parts if part)

    @property
    def prompt_text(self) -> str:
        """The events as every strategy shows them, then one line with what was written about them, if anything was."""
        about = [self.context] if self.context else []
        about += [f"Keywords: {', '.join(self.keywords)}"] if self.keywords else []
        about += [f"Tags: {', '.join(self.tags)}"] if self.tags else []
        if not about:
            return render(self.events)
        step = "" if self.events[-1].kind is EventKind.TURN else f"[{self.events[-1].step}] "
        return f"{render(self.events)}\n{step}Note: {' | '.join(about)}"


class Index:
    """One unit vector a note, in the order of the notes."""

    def __init__(self, embedder: Embedder):
        self._embedder = embedder
        self._texts: list[str] = []
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._queries: dict[str, Vectors] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: str) -> None:
        """Embed one more note."""
        vector = self._embedder.embed([text])[0]
        if len(self._texts) == len(self._rows):
            grown = np.zeros((max(64, 2 * len(self._rows)), len(vector)), dtype=np.float32)
            if len(self._rows):
                grown[: len(self._rows)] = self._rows
            self._rows = grown
        self._rows[len(self._texts)] = vector
        self._texts.append(text)

    def refresh(self, texts: Sequence[str]) -> None:
        """Embed again the notes whose texts changed, in one call; ``texts`` are those of all notes."""
        stale = [at for at, text in enumerate(texts) if text != self._texts[at]]
        if stale:
            self._rows[stale] = self._embedder.embed([texts[at] for at in stale])
            self._texts = list(texts)

    def find_nearest(self, text: str, k: int, *, cache: bool = False) -> list[int]:
        """Return the places of the ``k`` nearest notes, best first; equal scores go to the later note.

        ``cache`` remembers the text's vector, for a query that may be asked again.
        """
        if not self._texts:
            return []
        vector = self._queries[text] if text in self._queries else self._embedder.embed([text])[0]
        if cache:
            self._queries[text] = vector
        # einsum, not @: a threaded product of this size waits more than it works when workers share cores.
        scores = np.einsum("ij,j->i", self._rows[: len(self._texts)], vector).round(_DECIMALS)
        order = np.lexsort((-np.arange(len(scores)), -scores))
        return [int(at) for at in order[:k]]
