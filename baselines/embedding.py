"""Dense retrieval: the k past steps or turns whose vectors are nearest to the query, shown in time order. Knows no
suite; the embedder comes with the kit.

Source: the embedding rows of HORMA and LongMemEval, "index turns or steps, top-k by cosine"; k, encoder and query are
not published. Here a unit is one action with its observation, or one turn, note or feedback; its text is what was said,
without step numbers and labels. The query of an episode is the goal's task paragraph (paragraphs that name a task or a
goal; all of them if none does) with the current observation; the query of a conversation is the question.
Differs in: the step whose observation is the current one is not a candidate, for it would always win; equal scores
(to six decimals) go to the later unit; under a budget the best-ranked that fit are taken.
"""

from __future__ import annotations

import re
from itertools import chain

import numpy as np
import numpy.typing as npt

from bench.agents import reader, render
from bench.protocols import Kit, Param, Strategy, Vectors
from bench.types import Context, Event, EventKind, Phase, Query, Shape

__all__ = ["STRATEGY", "EmbeddingMemory"]

_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_DECIMALS = 6  # float32 sums; the seventh is noise


class EmbeddingMemory:
    """Units of the past with one vector each, made once."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._k = kit.params.integer("k")
        self._units: list[tuple[Event, ...]] = []
        self._action: Event | None = None
        self._blocks: list[Vectors] = []
        self._embedded = 0
        self._queries: dict[str, npt.NDArray[np.float32]] = {}

    def observe(self, event: Event) -> None:
        """Add the event to the units; embed at each observation, and in one call at the end of a session."""
        if event.kind is EventKind.ACTION:
            self._action = event
        elif event.kind is EventKind.OBSERVATION:
            self._units.append((event,) if self._action is None else (self._action, event))
            self._action = None
            self._embed_new()
        elif event.kind is EventKind.MARK:
            self._embed_new()
        elif event.kind is not EventKind.GOAL:
            self._units.append((event,))

    def recall(self, query: Query) -> Context:
        """Return the k nearest units that fit the budget, in time order. Read-only but for caches of vectors."""
        with self._kit.phase(Phase.WRITE):  # what no session end has embedded yet is a write that is late
            self._embed_new()
        past = [i for i, unit in enumerate(self._units) if all(event.ref != query.ref for event in unit)]
        if not past:
            return Context()
        scores = self._scores(_query_text(query))
        best = sorted(past, key=lambda i: (-scores[i], -i))[: self._k]
        shown = self._fitting(best, query.budget_tokens)
        events = self._events(shown)
        return Context(render(events), tuple(event.ref for event in events), truncated=len(shown) < len(best))

    def _embed_new(self) -> None:
        texts = [_unit_text(unit) for unit in self._units[self._embedded :]]
        if texts:
            self._blocks.append(self._kit.embedder.embed(texts))
            self._embedded += len(texts)

    def _scores(self, text: str) -> list[float]:
        if text not in self._queries:
            self._queries[text] = self._kit.embedder.embed([text])[0]
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks)]
        # einsum, not @: a threaded product of this size waits more than it works when workers share cores.
        scores = np.einsum("ij,j->i", self._blocks[0], self._queries[text])
        return [round(float(score), _DECIMALS) for score in scores]

    def _fitting(self, best: list[int], budget_tokens: int | None) -> list[int]:
        if budget_tokens is None:
            return best
        shown: list[int] = []
        for i in best:
            if self._kit.budget.count(render(self._events([*shown, i]))) <= budget_tokens:
                shown.append(i)
        return shown

    def _events(self, indexes: list[int]) -> list[Event]:
        return list(chain.from_iterable(self._units[i] for i in sorted(indexes)))


def _unit_text(unit: tuple[Event, ...]) -> str:
    return "\n".join(f"{event.speaker}: {event.text}" if event.speaker else event.text for event in unit)


def _query_text(query: Query) -> str:
    if query.shape is Shape.CONVERSATION:
        return query.text
    paragraphs = [part for part in re.split(r"\n\s*\n", query.goal) if part.strip()]
    task = [part for part in paragraphs if _NAMES_TASK.search(part)] or paragraphs
    return "\n".join([*task, query.text])


STRATEGY = Strategy(
    name="embedding-v1",
    build=reader(EmbeddingMemory),
    params=(Param("k", 5, "how many past steps (episode) or turns (conversation) are shown", minimum=1),),
    source="dense top-k by cosine in time order (HORMA, LongMemEval; k, encoder and query unpublished)",
)
"""The row."""
