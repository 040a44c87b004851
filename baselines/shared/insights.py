"""The insight pool: short general statements with counts, which a model revises by operations. Knows no suite.

Source: ExpeL (arXiv 2308.10144, sec. 4.2). An operation names an insight by its id, never by its place or its text.
Each call is one line of an append-only log, and playing the log again gives the same pool. An insight is one file, so
that the harness can leave out those that come from the task at hand or its twins.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Literal

from baselines.shared.artifacts import list_files, name_file
from bench.types import Artifact

__all__ = ["Insight", "InsightList", "InsightPool", "Kind", "Operation", "Rejection", "read_insights"]

MOST_OPERATIONS = 4
"""Operations of one call; what comes behind them is rejected."""
_FIRST_COUNT, _DOWN, _DOWN_OVERFULL, _OVERFULL = 2, 1, 3, 5
_LOG = "operations.jsonl"
_TAIL = re.compile(r"\(insight (?P<id>\d{1,9}), count (?P<count>\d{1,9})\)")


class Kind(StrEnum):
    """What an operation does, in the order in which those of one call are applied."""

    DOWNVOTE = "downvote"  # count - 1, or - 3 where the pool is over-full
    UPVOTE = "upvote"  # count + 1
    EDIT = "edit"  # another text, count + 1
    ADD = "add"  # a new insight with count 2


class Rejection(StrEnum):
    """Why an operation, or a whole reply, was not applied."""

    NO_JSON = "no JSON"
    NOT_AN_OPERATION = "not an operation"
    ID_ZERO = "id 0"
    UNKNOWN_ID = "unknown id"
    SECOND_ON_ID = "second operation on one id"
    EMPTY_TEXT = "empty text"
    DUPLICATE = "duplicate text"
    TOO_MANY = f"more than {MOST_OPERATIONS} in a call"


@dataclass(frozen=True, slots=True)
class Operation:
    """One change that a model asks for."""

    kind: Kind
    id: int = 0
    """Of the insight; not used by ``add``."""
    text: str = ""
    """One line; used by ``add`` and ``edit`` alone."""


@dataclass(frozen=True, slots=True)
class Insight:
    """One statement. ``id`` counts from 1 and is never used again."""

    id: int
    text: str
    count: int = _FIRST_COUNT
    sources: tuple[str, ...] = ()
    """The tasks that its text was written from, sorted; not known when it is read from its file."""


@dataclass(frozen=True, slots=True)
class InsightList:
    """Insights as an acting prompt shows them: their texts alone."""

    texts: tuple[str, ...]

    def render(self) -> str:
        """Return them below their name; empty for none."""
        return "\n".join(["Insights:", *(f"- {text}" for text in self.texts)]) if self.texts else ""


class InsightPool:
    """Insights, the highest count first, equal counts in the order in which they got there.

    ``soft``: ``capacity`` is a wish that the prompt passes on (``is_full``). ``hard``: of more than ``capacity``
    insights the one with the lowest count, the oldest of equals, is evicted.
    """

    def __init__(self, capacity: int, mode: Literal["soft", "hard"] = "soft"):
        self._capacity, self._mode = capacity, mode
        self._insights: list[Insight] = []
        self._next_id = 1
        self._log: list[str] = [json.dumps({"capacity": capacity, "mode": mode})]
        self.rejected: Counter[Rejection] = Counter()
        """How many operations were not applied, by reason."""

    @property
    def insights(self) -> tuple[Insight, ...]:
        return tuple(self._insights)

    @property
    def is_full(self) -> bool:
        return len(self._insights) >= self._capacity

    @property
    def log(self) -> str:
        """The calls so far, a line of JSON each, below one with the capacity."""
        return "\n".join(self._log) + "\n"

    def apply(
        self, operations: Iterable[Operation], tasks: Iterable[str], rejected: Mapping[Rejection, int] | None = None
    ) -> None:
        """Apply what one call asks for; ``tasks`` are those that it was shown.

        What cannot be applied is counted, with ``rejected``, which the reader of the reply refused.
        """
        sources, refused = tuple(sorted(set(tasks))), Counter(rejected or {})
        applied = self._select(operations, refused)
        self._change(applied, sources)
        self.rejected.update(refused)
        entry = {
            "tasks": sources,
            "applied": [asdict(one) for one in applied],
            "rejected": {str(reason): n for reason, n in sorted(refused.items())},
        }
        self._log.append(json.dumps(entry, ensure_ascii=False))

    def _select(self, operations: Iterable[Operation], refused: Counter[Rejection]) -> list[Operation]:
        """Return the operations that can be applied together, in the order of applying; count the others."""
        applied: list[Operation] = []
        texts = {_normalise(one.text) for one in self._insights}
        for operation in operations:
            if reason := self._find_fault(operation, applied, texts):
                refused[reason] += 1
            else:
                applied.append(operation)
                texts |= {_normalise(operation.text)} if operation.kind in (Kind.EDIT, Kind.ADD) else set()
        return sorted(applied, key=lambda operation: list(Kind).index(operation.kind))

    def _find_fault(self, operation: Operation, before: Sequence[Operation], texts: set[str]) -> Rejection | None:
        if operation.kind is not Kind.ADD:
            if operation.id == 0:
                return Rejection.ID_ZERO
            if operation.id not in {one.id for one in self._insights}:
                return Rejection.UNKNOWN_ID
            if operation.id in {one.id for one in before if one.kind is not Kind.ADD}:
                return Rejection.SECOND_ON_ID
        if operation.kind in (Kind.EDIT, Kind.ADD):
            if not _normalise(operation.text):
                return Rejection.EMPTY_TEXT
            if _normalise(operation.text) in texts:
                return Rejection.DUPLICATE
        return Rejection.TOO_MANY if len(before) >= MOST_OPERATIONS else None

    def _change(self, operations: Iterable[Operation], sources: tuple[str, ...]) -> None:
        """Apply operations that are in order; delete, sort, evict."""
        down = _DOWN_OVERFULL if len(self._insights) >= self._capacity + _OVERFULL else _DOWN
        found = {one.id: one for one in self._insights}
        for operation in operations:
            if operation.kind is Kind.ADD:
                found[self._next_id] = Insight(self._next_id, operation.text, sources=sources)
                self._next_id += 1
                continue
            old = found[operation.id]
            if operation.kind is Kind.EDIT:
                both = tuple(sorted({*old.sources, *sources}))
                found[old.id] = replace(old, text=operation.text, count=old.count + 1, sources=both)
            else:
                found[old.id] = replace(old, count=old.count + (1 if operation.kind is Kind.UPVOTE else -down))
        self._insights = sorted((one for one in found.values() if one.count > 0), key=lambda one: -one.count)
        while self._mode == "hard" and len(self._insights) > self._capacity:
            self._insights.remove(min(self._insights, key=lambda one: (one.count, one.id)))

    def write(self, folder: str) -> Artifact:
        """Return one file for each insight, in order, and the log. ``folder`` ends with a slash, or is empty."""
        files, sources = {f"{folder}{_LOG}": self.log}, dict[str, tuple[str, ...]]()
        for rank, one in enumerate(self._insights, start=1):
            name = name_file(folder, rank)
            files[name] = f"{one.text}\n(insight {one.id}, count {one.count})\n"
            sources[name] = one.sources
        return Artifact(files, sources)

    @classmethod
    def replay(cls, log: str) -> InsightPool:
        """Return the pool that a log describes. Raises: ValueError for a text that is no log."""
        try:
            first, *calls = map(json.loads, log.rstrip("\n").split("\n"))
            pool = cls(**first)
            for call in calls:
                operations = [Operation(Kind(one["kind"]), one["id"], one["text"]) for one in call["applied"]]
                rejected = {Rejection(reason): n for reason, n in call["rejected"].items()}
                pool.apply(operations, call["tasks"], rejected)
        except (ValueError, KeyError, TypeError) as cause:
            raise ValueError(
                f"insights: expected a log of operations, got an error ({cause}); learn it again"
            ) from cause
        return pool


def read_insights(artifact: Artifact, folder: str) -> tuple[Insight, ...]:
    """Return the insights of a folder, in order; what is not written as ``InsightPool.write`` does is a plain text.

    Files without a text are passed over, and so is everything outside the folder.
    """
    found = (_read(text, number) for number, text in enumerate(list_files(artifact, folder).values(), start=1))
    return tuple(one for one in found if one.text)


def _read(text: str, number: int) -> Insight:
    tail = _TAIL.search(text)
    plain = " ".join(_TAIL.sub("", text).split())
    return Insight(int(tail["id"]), plain, int(tail["count"])) if tail else Insight(number, plain)


def _normalise(text: str) -> str:
    """Return a text as it is compared with others: letter case, spaces and marks at the end do not count."""
    return " ".join(text.casefold().split()).rstrip(" .!")
