"""Dense retrieval: the k past steps, turns, chunks or sessions whose vectors are nearest to the query, shown in time
order. Knows no suite; the embedder comes with the kit.

Source: the embedding rows of HORMA and LongMemEval, "index turns or steps, top-k by cosine"; k, encoder and query are
not published. Here a unit is one action with its observation, or one turn, note or feedback; its text is what was said,
without step numbers and labels. A chunk is so many units in a row, never across the end of a session; in an episode,
which has no sessions, ``unit=session`` means chunks. The query of an episode is the goal's task paragraph (paragraphs
that name a task or a goal; all of them if none does) with the current observation; the query of a conversation is the
question. ``index=user`` is LongMemEval's: only what a speaker named User says is embedded, units without a word of
theirs cannot be found (in a talk without such a speaker: none), and a unit is shown whole.
Differs in: the unit that holds the current observation is not a candidate, for it would always win; equal scores (to
six decimals) go to the later unit; under a budget the best-ranked that fit are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from bench.agents import reader, render
from bench.protocols import Embedder, Kit, Param, Params, Strategy, Vectors
from bench.types import Context, Event, EventKind, Phase, Query, Shape

__all__ = ["STRATEGY", "EmbeddingMemory"]

_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_DECIMALS = 6  # float32 sums; the seventh is noise
_RANKED_REFS, _RANKED_UNITS = 50, 10  # a ranking has at least so many of both, where there are


class EmbeddingMemory:
    """Units of the past with one vector each, made once."""

    def __init__(self, kit: Kit):
        self._phase, self._count = kit.phase, kit.budget.count
        self._k = kit.params.integer("k")
        self._units = _Units(kit.params)
        self._index = _Index(kit.embedder)

    def observe(self, event: Event) -> None:
        """Add the event to the units; embed at each observation, and in one call at the end of a session."""
        for text in self._units.take(event):
            self._index.add(len(self._units.events) - 1, text)
        if event.kind in (EventKind.OBSERVATION, EventKind.MARK):
            self._index.embed(self._units.complete)

    def recall(self, query: Query) -> Context:
        """Return the k nearest units that fit the budget, in time order. Read-only but for caches of vectors."""
        candidates = self._units.candidates(query.ref)
        if not candidates:
            return Context()
        with self._phase(Phase.WRITE):  # what no session end has embedded yet is a write that is late
            self._index.embed(candidates[-1] + 1)
        ranked = _ranked(self._index.scores(_query_text(query), len(self._units.events)), candidates)
        best = ranked[: self._k]
        shown = self._fitting(best, query.budget_tokens)
        events = self._units.in_time_order(shown)
        refs = tuple(event.ref for event in events)
        return Context(render(events), refs, len(shown) < len(best), self._units.refs(ranked))

    def _fitting(self, best: list[int], budget_tokens: int | None) -> list[int]:
        in_time_order = self._units.in_time_order
        if budget_tokens is None or self._count(render(in_time_order(best))) <= budget_tokens:
            return best
        shown: list[int] = []
        for i in best:
            if self._count(render(in_time_order([*shown, i]))) <= budget_tokens:
                shown.append(i)
        return shown


class _Units:
    """The past, cut into what is found and shown as one; ``events[i]`` are those of unit i."""

    def __init__(self, params: Params):
        self._kind, self._chunk = params.text("unit"), params.integer("chunk")
        self._users_only = params.text("index") == "user"
        self.events: list[list[Event]] = []
        self._searchable: list[bool] = []
        self._holder: dict[str, int] = {}
        self._action: Event | None = None
        self._parts = 0  # turns or steps in the last unit
        self._complete = True

    def take(self, event: Event) -> list[str]:
        """Add an event to the last unit or to a new one; return what of it is to be searched."""
        if event.kind is EventKind.ACTION:
            self._action = event
        elif event.kind is EventKind.MARK:
            self._complete = True
        elif event.kind is EventKind.OBSERVATION and self._action is not None:
            action, self._action = self._action, None
            return self._add([action, event])
        elif event.kind is not EventKind.GOAL:
            return self._add([event])
        return []

    def _add(self, part: list[Event]) -> list[str]:
        if not self._continues(part[0]):
            self.events.append([])
            self._searchable.append(False)
            self._parts = 0
        unit = self.events[-1]
        unit += part
        self._parts += 1
        self._holder.update((event.ref, len(self.events) - 1) for event in part)
        grows = self._kind == "session" and unit[0].kind is EventKind.TURN
        self._complete = self._kind == "turn" or (self._parts >= self._chunk and not grows)
        said = [event for event in part if not self._users_only or event.speaker in ("", "User")]
        self._searchable[-1] |= bool(said)
        return [f"{event.speaker}: {event.text}" if event.speaker else event.text for event in said]

    def _continues(self, event: Event) -> bool:
        """True if the last unit goes on; a session may end without a mark."""
        return not self._complete and (event.kind is not EventKind.TURN or event.step == self.events[-1][-1].step)

    @property
    def complete(self) -> int:
        """How many units, from the first, will not grow any more."""
        return len(self.events) - (not self._complete)

    def candidates(self, now: str) -> list[int]:
        """Return the units that may be found: all that can be searched, less the one that holds the event ``now``."""
        current = self._holder.get(now)
        return [i for i, searchable in enumerate(self._searchable) if searchable and i != current]

    def in_time_order(self, units: Iterable[int]) -> list[Event]:
        """Return the events of some units."""
        return list(chain.from_iterable(self.events[i] for i in sorted(units)))

    def refs(self, ranked: Iterable[int]) -> tuple[str, ...]:
        """Return the refs of the first units of a ranking."""
        refs: list[str] = []
        for place, i in enumerate(ranked):
            if place >= _RANKED_UNITS and len(refs) >= _RANKED_REFS:
                break
            refs += [event.ref for event in self.events[i]]
        return tuple(refs)


class _Index:
    """One vector for each text, in one block with room to grow, so that a new one does not move the others."""

    def __init__(self, embedder: Embedder):
        self._embedder = embedder
        self._texts: dict[int, str] = {}
        self._waiting: list[int] = []
        self._rows: list[int] = []  # which unit each vector is of
        self._block: Vectors = np.empty((0, 0), dtype=np.float32)
        self._queries: dict[str, npt.NDArray[np.float32]] = {}

    def add(self, unit: int, text: str) -> None:
        """Add a text to a unit, which is the last one so far or new; a vector it has already is void."""
        self._texts[unit] = f"{self._texts[unit]}\n{text}" if unit in self._texts else text
        if self._rows and self._rows[-1] == unit:
            self._rows.pop()
        if not self._waiting or self._waiting[-1] != unit:
            self._waiting.append(unit)

    def embed(self, end: int) -> None:
        """Embed in one call what waits of the units before ``end``."""
        ready = [unit for unit in self._waiting if unit < end]
        if not ready:
            return
        vectors = self._embedder.embed([self._texts[unit] for unit in ready])
        first, last = len(self._rows), len(self._rows) + len(ready)
        if last > len(self._block):
            larger = np.empty((max(2 * len(self._block), last), vectors.shape[1]), dtype=np.float32)
            if first:
                larger[:first] = self._block[:first]
            self._block = larger
        self._block[first:last] = vectors
        self._rows += ready
        del self._waiting[: len(ready)]

    def scores(self, text: str, size: int) -> npt.NDArray[np.float32]:
        """Return the cosine of each of ``size`` units; 0 for those without a vector."""
        if text not in self._queries:
            self._queries[text] = self._embedder.embed([text])[0]
        scores = np.zeros(size, dtype=np.float32)
        # einsum, not @: a threaded product of this size waits more than it works when workers share cores.
        scores[self._rows] = np.einsum("ij,j->i", self._block[: len(self._rows)], self._queries[text])
        return scores


def _ranked(scores: npt.NDArray[np.float32], candidates: Sequence[int]) -> list[int]:
    """Return the candidates, best first; of equal scores the later one."""
    keys = np.rint(scores[list(candidates)].astype(np.float64) * 10**_DECIMALS)
    return [candidates[i] for i in np.argsort(keys, kind="stable")[::-1]]


def _query_text(query: Query) -> str:
    if query.shape is Shape.CONVERSATION:
        return query.text
    paragraphs = [part for part in re.split(r"\n\s*\n", query.goal) if part.strip()]
    task = [part for part in paragraphs if _NAMES_TASK.search(part)] or paragraphs
    return "\n".join([*task, query.text])


STRATEGY = Strategy(
    name="embedding-v1",
    build=reader(EmbeddingMemory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are embedded; user = the speaker User alone", choices=("all", "user")),
    ),
    source="dense top-k by cosine in time order (HORMA, LongMemEval; k, encoder and query unpublished)",
)
"""The row."""
