"""Units: the past of a retrieval strategy, cut into what is found and shown as one, and the text it searches for. Knows
no suite and no way of scoring.

A unit is one action with its observation, or one turn, note or feedback; a chunk is so many of them in sequence, never
across the end of a session; in an episode, which has no sessions, ``unit=session`` means chunks. What is searched of a
unit is what was said, without step numbers and labels; with ``index=user`` only what a speaker named User says, and
units without a word of theirs cannot be found (in a conversation without such a speaker: none). A unit is shown whole.
The unit that holds the current observation is not a candidate; equal scores (to six decimals) go to the later unit;
under a budget the best-ranked that fit are taken.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from bench.agents import render
from bench.protocols import Params
from bench.types import Context, Event, EventKind, Query, Shape

__all__ = ["Units", "build_query_text", "rank_units"]

_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_DECIMALS = 6  # scores are float32 sums; the seventh is noise
_RANKED_REFS, _RANKED_UNITS = 50, 10  # a ranking has at least so many of both, where there are
_NONE = -1  # no unit


class Units:
    """Everything observed but goals and marks; a unit's number is its place in time. Reads the parameters ``unit``,
    ``chunk``, ``index`` and ``k``."""

    def __init__(self, params: Params, count: Callable[[str], int]):
        self._kind, self._chunk, self._k = params.text("unit"), params.integer("chunk"), params.integer("k")
        self._users_only = params.text("index") == "user"
        self._count = count
        self._events: list[list[Event]] = []
        self._searchable = array("q")
        """The units that can be searched, in time order."""
        self._holder: dict[str, int] = {}
        self._action: Event | None = None
        self._parts = 0  # turns or steps in the last unit
        self._complete = True

    def __len__(self) -> int:
        return len(self._events)

    @property
    def n_complete(self) -> int:
        """How many units, from the first, will not grow any more."""
        return len(self._events) - (not self._complete)

    def add(self, event: Event) -> list[str]:
        """Add an event to the last unit or to a new one; return what of it is to be searched, as the last unit's.

        An action waits for its observation.
        """
        if event.kind is EventKind.ACTION:
            self._action = event
        elif event.kind is EventKind.SESSION_END:
            self._complete = True
        elif event.kind is EventKind.OBSERVATION and self._action is not None:
            action, self._action = self._action, None
            return self._add_part([action, event])
        elif event.kind is not EventKind.GOAL:
            return self._add_part([event])
        return []

    def _add_part(self, part: list[Event]) -> list[str]:
        if not self._continues_unit(part[0]):
            self._events.append([])
            self._parts = 0
        unit = self._events[-1]
        unit += part
        self._parts += 1
        self._holder.update((event.ref, len(self._events) - 1) for event in part)
        grows = self._kind == "session" and unit[0].kind is EventKind.TURN
        self._complete = self._kind == "turn" or (self._parts >= self._chunk and not grows)
        searched = [event for event in part if not self._users_only or event.speaker in ("", "User")]
        if searched and (not self._searchable or self._searchable[-1] != len(self._events) - 1):
            self._searchable.append(len(self._events) - 1)
        return [f"{event.speaker}: {event.text}" if event.speaker else event.text for event in searched]

    def _continues_unit(self, event: Event) -> bool:
        """True if the last unit goes on; a session may end without a mark."""
        return not self._complete and (event.kind is not EventKind.TURN or event.step == self._events[-1][-1].step)

    def find_candidates(self, now: str) -> npt.NDArray[np.int64]:
        """Return the units that may be found: all that can be searched, less the one that holds the event ``now``."""
        found: npt.NDArray[np.int64] = np.array(self._searchable, dtype=np.int64)
        others: npt.NDArray[np.int64] = found[found != self._holder.get(now, _NONE)]
        return others

    @property
    def n_ranked(self) -> int:
        """How many units of a ranking are looked at, at most: a unit holds at least one event."""
        return max(self._k, _RANKED_REFS)

    def list_refs(self) -> frozenset[str]:
        """Return the refs of all units that may be found."""
        return frozenset(event.ref for i in self.find_candidates("") for event in self._events[i])

    def build_context(self, ranking: Sequence[int], budget_tokens: int | None) -> Context:
        """Return the first ``k`` units of a ranking that fit the budget, in time order."""
        best = ranking[: self._k]
        chosen = self._select_fitting(best, budget_tokens)
        events = self._sort_events(chosen)
        refs = tuple(event.ref for event in events)
        return Context(render(events), refs, len(chosen) < len(best), self._collect_refs(ranking))

    def _select_fitting(self, best: Sequence[int], budget_tokens: int | None) -> Sequence[int]:
        if budget_tokens is None or self._count(render(self._sort_events(best))) <= budget_tokens:
            return best
        chosen: list[int] = []
        for i in best:
            if self._count(render(self._sort_events([*chosen, i]))) <= budget_tokens:
                chosen.append(i)
        return chosen

    def _sort_events(self, units: Iterable[int]) -> list[Event]:
        return list(chain.from_iterable(self._events[i] for i in sorted(units)))

    def _collect_refs(self, ranking: Iterable[int]) -> tuple[str, ...]:
        """Return the refs of the first units of a ranking."""
        refs: list[str] = []
        for place, i in enumerate(ranking):
            if place >= _RANKED_UNITS and len(refs) >= _RANKED_REFS:
                break
            refs += [event.ref for event in self._events[i]]
        return tuple(refs)


def rank_units(
    scores: npt.NDArray[np.float32], candidates: npt.NDArray[np.int64], first: int | None = None
) -> list[int]:
    """Return the candidates, best first; of equal scores the later one. ``first``: only so many, or a few more."""
    keys = np.rint(scores[candidates].astype(np.float64) * 10**_DECIMALS)
    if first is not None and first < len(keys):
        good = keys >= np.partition(keys, len(keys) - first)[len(keys) - first]
        candidates, keys = candidates[good], keys[good]
    ranking: list[int] = candidates[np.argsort(keys, kind="stable")[::-1]].tolist()
    return ranking


def build_query_text(query: Query) -> str:
    """Return what to search for: the question of a conversation; of an episode the goal's task paragraph (paragraphs
    that name a task or a goal; all of them if none does) with the current observation."""
    if query.shape is Shape.CONVERSATION:
        return query.text
    paragraphs = [part for part in re.split(r"\n\s*\n", query.goal) if part.strip()]
    task = [part for part in paragraphs if _NAMES_TASK.search(part)] or paragraphs
    return "\n".join([*task, query.text])
