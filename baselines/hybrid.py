"""Hybrid retrieval: the k past steps, turns, chunks or sessions that BM25 and vectors together rank highest, shown in
time order. Knows no suite; the embedder comes with the kit.

Source: reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): a unit's points are the sum over both rankings of
1 / (rrf + rank), with rrf = 60. The rankings are those of the rows bm25 and embedding, with their units, queries, words
and parameters: a unit is one action with its observation, or one turn, note or feedback, a chunk of them within a
session, or a session (in an episode: a chunk); ``index=user`` searches only what a speaker named User says.
Differs in: a unit that shares no word with the query has no place in the ranking by words; equal points go to the later
unit; the unit that holds the current observation is not a candidate; under a budget the best-ranked that fit are taken.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from bench.agents import reader, render
from bench.protocols import Embedder, Kit, Param, Params, Strategy, Vectors
from bench.types import Context, Event, EventKind, Phase, Query, Shape

__all__ = ["STRATEGY", "HybridMemory", "fuse"]

_WORD = re.compile(r"[^\W_]+")
_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_K1, _B = 1.5, 0.75
_DECIMALS = 6  # scores are float32 sums
_RANKED_REFS, _RANKED_UNITS = 50, 10  # a ranking has at least so many of both, where there are


def fuse(rankings: Sequence[Sequence[int]], constant: int) -> list[int]:
    """Return every unit of the rankings, most points first; of equal points the later one."""
    points: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, unit in enumerate(ranking, start=1):
            points[unit] += 1 / (constant + rank)
    return sorted(points, key=lambda unit: (-points[unit], -unit))


class HybridMemory:
    """Units of the past, where each word stands in them, and a vector of each."""

    def __init__(self, kit: Kit):
        self._phase, self._count = kit.phase, kit.budget.count
        self._k, self._rrf = kit.params.integer("k"), kit.params.integer("rrf")
        self._units = _Units(kit.params)
        self._lexical, self._dense = _Lexical(), _Dense(kit.embedder)

    def observe(self, event: Event) -> None:
        """Add the event to the units and both indexes; embed at each observation and at the end of a session."""
        for text in self._units.take(event):
            self._lexical.add(len(self._units.events) - 1, text)
            self._dense.add(len(self._units.events) - 1, text)
        if event.kind in (EventKind.OBSERVATION, EventKind.MARK):
            self._dense.embed(self._units.complete)

    def recall(self, query: Query) -> Context:
        """Return the k best units that fit the budget, in time order. Read-only but for caches of vectors."""
        candidates = self._units.candidates(query.ref)
        if not candidates:
            return Context()
        with self._phase(Phase.WRITE):  # what no session end has embedded yet is a write that is late
            self._dense.embed(candidates[-1] + 1)
        ranked = self._ranked(_query_text(query), candidates)
        best = ranked[: self._k]
        shown = self._fitting(best, query.budget_tokens)
        events = self._units.in_time_order(shown)
        refs = tuple(event.ref for event in events)
        return Context(render(events), refs, len(shown) < len(best), self._units.refs(ranked))

    def _ranked(self, text: str, candidates: list[int]) -> list[int]:
        size = len(self._units.events)
        by_words = self._lexical.scores(text, size)
        found = [unit for unit in candidates if by_words[unit] > 0]
        by_vector = _ranked(self._dense.scores(text, size), candidates)
        return fuse([_ranked(by_words, found), by_vector], self._rrf)

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


@dataclass
class _Postings:
    """The units that hold a word, in order, and how often each does."""

    units: array[int] = field(default_factory=lambda: array("i"))
    counts: array[int] = field(default_factory=lambda: array("i"))

    def add(self, unit: int, count: int) -> None:
        """Count more in a unit, which is the last one so far or new."""
        if self.units and self.units[-1] == unit:
            self.counts[-1] += count
        else:
            self.units.append(unit)
            self.counts.append(count)

    def where(self) -> npt.NDArray[np.intc]:
        return np.frombuffer(self.units, dtype=np.intc)

    def how_often(self) -> npt.NDArray[np.float32]:
        return np.frombuffer(self.counts, dtype=np.intc).astype(np.float32)


class _Lexical:
    """Where each word stands; grows with the past, and weighs words only when asked."""

    def __init__(self) -> None:
        self._postings: defaultdict[str, _Postings] = defaultdict(_Postings)
        self._lengths = _Postings()

    def add(self, unit: int, text: str) -> None:
        """Add words to a unit, which is the last one so far or new."""
        words = _words(text)
        self._lengths.add(unit, len(words))
        for word, count in Counter(words).items():
            self._postings[word].add(unit, count)

    def scores(self, text: str, size: int) -> npt.NDArray[np.float32]:
        """Return the score of each of ``size`` units; a word that the query says twice counts twice."""
        totals = np.zeros(size, dtype=np.float32)
        words = [word for word in _words(text) if word in self._postings]
        if not words:
            return totals
        lengths = np.zeros(size)
        lengths[self._lengths.where()] = self._lengths.counts
        norms = _K1 * (1 - _B + _B * lengths / (sum(self._lengths.counts) / len(self._lengths.counts)))
        weights = {word: self._weights(self._postings[word], norms) for word in dict.fromkeys(words)}
        for word in words:  # in the query's order: float32 sums depend on it
            totals[self._postings[word].where()] += weights[word]
        return totals

    def _weights(self, word: _Postings, norms: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        """Return what a word adds to each unit that holds it, rounded where the library rounds."""
        n, df = len(self._lengths.units), len(word.units)
        idf = np.float32(math.log(1 + (n - df + 0.5) / (df + 0.5)))
        often = word.how_often()
        return (idf * (often / (norms[word.where()] + often))).astype(np.float32)


class _Dense:
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


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _query_text(query: Query) -> str:
    if query.shape is Shape.CONVERSATION:
        return query.text
    paragraphs = [part for part in re.split(r"\n\s*\n", query.goal) if part.strip()]
    task = [part for part in paragraphs if _NAMES_TASK.search(part)] or paragraphs
    return "\n".join([*task, query.text])


STRATEGY = Strategy(
    name="hybrid-v1",
    build=reader(HybridMemory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are searched; user = the speaker User alone", choices=("all", "user")),
        Param("rrf", 60, "the constant of reciprocal rank fusion; larger = ranks far down count more", minimum=0),
    ),
    source="reciprocal rank fusion (Cormack et al. 2009, constant 60) of BM25 and dense top-k, in time order",
)
"""The row."""
