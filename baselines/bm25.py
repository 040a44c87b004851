"""Lexical retrieval: the k past steps, turns, chunks or sessions that BM25 scores highest for the query, shown in time
order. Knows no suite.

Source: the BM25 rows of LongMemEval and of retrieval practice, in Lucene's variant with k1 = 1.5 and b = 0.75. A unit
is one action with its observation, or one turn, note or feedback; a chunk is so many of them in a row, never across the
end of a session; in an episode, which has no sessions, ``unit=session`` means chunks. The query of an episode is the
goal's task paragraph (paragraphs that name a task or a goal; all of them if none does) with the current observation;
the query of a conversation is the question. ``index=user`` is LongMemEval's: only what a speaker named User says is
searched, units without a word of theirs cannot be found (in a talk without such a speaker: none), and a unit is shown
whole.
Differs in: words are maximal runs of letters and digits in lower case, without stop words removed or stems cut, since
one-character words matter (the 1 of "shelf 1"); the unit that holds the current observation is not a candidate; equal
scores (to six decimals) go to the later unit; under a budget the best-ranked that fit are taken. Scores equal those of
the library bm25s to the bit, but are summed here over the query's own words: the library builds its whole index again
for every new step.
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
from bench.protocols import Kit, Param, Params, Strategy
from bench.types import Context, Event, EventKind, Query, Shape

__all__ = ["STRATEGY", "BM25Memory"]

_WORD = re.compile(r"[^\W_]+")
_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_K1, _B = 1.5, 0.75
_DECIMALS = 6  # scores are float32 sums
_RANKED_REFS, _RANKED_UNITS = 50, 10  # a ranking has at least so many of both, where there are


class BM25Memory:
    """Units of the past, and where each word stands in them."""

    def __init__(self, kit: Kit):
        self._count = kit.budget.count
        self._k = kit.params.integer("k")
        self._units = _Units(kit.params)
        self._index = _Index()

    def observe(self, event: Event) -> None:
        """Add the event to the units and their words to the index; an action waits for its observation."""
        for text in self._units.take(event):
            self._index.add(len(self._units.events) - 1, text)

    def recall(self, query: Query) -> Context:
        """Return the k best units that fit the budget, in time order. Read-only."""
        ranked = _ranked(self.scores(_query_text(query)), self._units.candidates(query.ref))
        best = ranked[: self._k]
        shown = self._fitting(best, query.budget_tokens)
        events = self._units.in_time_order(shown)
        refs = tuple(event.ref for event in events)
        return Context(render(events), refs, len(shown) < len(best), self._units.refs(ranked))

    def scores(self, text: str) -> npt.NDArray[np.float32]:
        """Return the BM25 score of every unit for a text."""
        return self._index.scores(text, len(self._units.events))

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


class _Index:
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
    name="bm25-v1",
    build=reader(BM25Memory),
    params=(
        Param("k", 5, "how many past steps (episode), turns (conversation), chunks or sessions are shown", minimum=1),
        Param("unit", "turn", "what is found and shown as one", choices=("turn", "session", "chunk")),
        Param("chunk", 4, "turns or steps of a chunk", minimum=1),
        Param("index", "all", "whose words are searched; user = the speaker User alone", choices=("all", "user")),
    ),
    source="BM25 top-k in time order (LongMemEval's flat-bm25; Lucene variant, k1 1.5, b 0.75); all words kept",
)
"""The row."""
