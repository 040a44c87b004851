"""Lexical retrieval: the k past steps or turns that BM25 scores highest for the query, shown in time order. Knows no
suite.

Source: the BM25 rows of LongMemEval and of retrieval practice, with the library bm25s (its Lucene variant, k1 = 1.5,
b = 0.75). A unit is one action with its observation, or one turn, note or feedback. The query of an episode is the
goal's task paragraph (paragraphs that name a task or a goal; all of them if none does) with the current observation;
the query of a conversation is the question.
Differs in: words are maximal runs of letters and digits in lower case, without stop words removed or stems cut, since
the library's own splitter drops one-character words and with them the 1 of "shelf 1"; the step whose observation is the
current one is not a candidate; equal scores (to six decimals) go to the later unit; under a budget the best-ranked that
fit are taken.
"""

from __future__ import annotations

import re
from itertools import chain

import bm25s

from bench.agents import reader, render
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Event, EventKind, Query, Shape

__all__ = ["STRATEGY", "BM25Memory"]

_WORD = re.compile(r"[^\W_]+")
_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_DECIMALS = 6  # scores are float32 sums


class BM25Memory:
    """Units of the past as word ids, and an index that is rebuilt when it is asked after something new."""

    def __init__(self, kit: Kit):
        self._count = kit.budget.count
        self._k = kit.params.integer("k")
        self._units: list[tuple[Event, ...]] = []
        self._action: Event | None = None
        self._vocabulary: dict[str, int] = {}
        self._word_ids: list[list[int]] = []
        self._index = bm25s.BM25()
        self._indexed = 0

    def observe(self, event: Event) -> None:
        """Add the event to the units; an action waits for its observation."""
        if event.kind is EventKind.ACTION:
            self._action = event
        elif event.kind is EventKind.OBSERVATION:
            self._add((event,) if self._action is None else (self._action, event))
            self._action = None
        elif event.kind not in (EventKind.GOAL, EventKind.MARK):
            self._add((event,))

    def recall(self, query: Query) -> Context:
        """Return the k best units that fit the budget, in time order. Read-only but for the cached index."""
        past = [i for i, unit in enumerate(self._units) if all(event.ref != query.ref for event in unit)]
        if not past:
            return Context()
        scores = self._scores(_query_text(query))
        best = sorted(past, key=lambda i: (-scores[i], -i))[: self._k]
        shown = self._fitting(best, query.budget_tokens)
        events = self._events(shown)
        return Context(render(events), tuple(event.ref for event in events), truncated=len(shown) < len(best))

    def _add(self, unit: tuple[Event, ...]) -> None:
        self._units.append(unit)
        words = _words(_unit_text(unit))
        self._word_ids.append([self._vocabulary.setdefault(word, len(self._vocabulary)) for word in words])

    def _scores(self, text: str) -> list[float]:
        # Word weights depend on all units, so one new unit means a new index: about 1 ms for 50 steps.
        query = [self._vocabulary[word] for word in _words(text) if word in self._vocabulary]
        if not query:
            return [0.0] * len(self._units)
        if self._indexed < len(self._units):
            index = bm25s.BM25()
            index.index((self._word_ids, self._vocabulary), create_empty_token=False, show_progress=False)
            self._index, self._indexed = index, len(self._units)
        return [round(float(score), _DECIMALS) for score in self._index.get_scores_from_ids(query)]

    def _fitting(self, best: list[int], budget_tokens: int | None) -> list[int]:
        if budget_tokens is None:
            return best
        shown: list[int] = []
        for i in best:
            if self._count(render(self._events([*shown, i]))) <= budget_tokens:
                shown.append(i)
        return shown

    def _events(self, indexes: list[int]) -> list[Event]:
        return list(chain.from_iterable(self._units[i] for i in sorted(indexes)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _unit_text(unit: tuple[Event, ...]) -> str:
    return "\n".join(f"{event.speaker}: {event.text}" if event.speaker else event.text for event in unit)


def _query_text(query: Query) -> str:
    if query.shape is Shape.CONVERSATION:
        return query.text
    paragraphs = [part for part in re.split(r"\n\s*\n", query.goal) if part.strip()]
    task = [part for part in paragraphs if _NAMES_TASK.search(part)] or paragraphs
    return "\n".join([*task, query.text])


STRATEGY = Strategy(
    name="bm25-v1",
    build=reader(BM25Memory),
    params=(Param("k", 5, "how many past steps (episode) or turns (conversation) are shown", minimum=1),),
    source="BM25 top-k in time order (LongMemEval's flat-bm25; library bm25s, Lucene variant); all words kept",
)
"""The row."""
