"""The memories themselves: facts with their vectors in one matrix that grows, found by nearness. Knows no model.

Nothing is embedded here, and a vector is kept as long as its fact. Numbers of facts are never used again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.protocols import Vectors

__all__ = ["Fact", "FactStore", "Turn"]

_DECIMALS = 6  # float32 sums; the seventh is noise
_FIRST_ROWS = 64


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: who said what and when; ``at`` counts the messages of the trial."""

    ref: str
    speaker: str
    text: str
    date: str
    at: int
    person: str = ""
    """The speaker where that is a person with facts of their own; empty in an episode."""

    @property
    def line(self) -> str:
        """The message as prompts show it."""
        speech = f"{self.speaker}: {self.text}"
        return f"[{self.date}] {speech}" if self.date else speech


@dataclass(frozen=True, slots=True)
class Fact:
    """One memory. ``date`` is when it was said, as the suite shows it; ``at`` the newest message it rests on."""

    text: str
    date: str
    speaker: str
    refs: tuple[str, ...]
    at: int

    @property
    def line(self) -> str:
        """The fact as prompts and contexts show it."""
        return f"[{self.date}] {self.text}" if self.date else self.text


class FactStore:
    """Facts by number, from 0, and the row of each in a matrix of unit vectors."""

    def __init__(self) -> None:
        self._facts: list[Fact | None] = []
        self._matrix: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._numbers: dict[str, int] = {}
        self.version = 0
        """Grows with every change of a text, so that an index can tell that it is stale."""

    def __len__(self) -> int:
        return sum(fact is not None for fact in self._facts)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the facts that are there, oldest first."""
        return [number for number, fact in enumerate(self._facts) if fact is not None]

    def get(self, number: int) -> Fact | None:
        """Return a fact, None if it was deleted."""
        return self._facts[number]

    def find_number(self, text: str) -> int | None:
        """Return the number of the fact with exactly this text, None if there is none."""
        return self._numbers.get(_hash_text(text))

    def add(self, fact: Fact, vector: Vectors) -> int:
        """Store a new fact and return its number."""
        number = len(self._facts)
        self._make_room(vector.shape[0])
        self._facts.append(None)
        self._put(number, fact, vector)
        return number

    def replace(self, number: int, fact: Fact, vector: Vectors) -> None:
        """Let another fact stand in the place of one that is there."""
        self.remove(number)
        self._put(number, fact, vector)

    def remove(self, number: int) -> None:
        """Forget a fact."""
        old = self._facts[number]
        if old is not None and self._numbers.get(_hash_text(old.text)) == number:
            del self._numbers[_hash_text(old.text)]
        self._facts[number] = None
        for other, fact in enumerate(self._facts):  # an equal one that stood behind it is known from now on
            if old is not None and fact is not None and fact.text == old.text:
                self._numbers.setdefault(_hash_text(fact.text), other)
                break
        self.version += 1

    def cite(self, number: int, refs: Iterable[str]) -> None:
        """Let a fact rest on further messages too."""
        fact = self._facts[number]
        if fact is not None:
            self._facts[number] = replace(fact, refs=tuple(dict.fromkeys((*fact.refs, *refs))))

    def find_nearest(self, vector: Vectors, count: int | None = None) -> list[int]:
        """Return the numbers of the facts nearest to a vector, best first; equal ones the later first."""
        # einsum, not @: a threaded product of this size waits more than it works when workers share cores.
        scores = np.einsum("ij,j->i", self._matrix[: len(self._facts)], vector) if self._facts else np.zeros(0)
        rounded = np.round(scores.astype(np.float64), _DECIMALS)
        order = np.lexsort((-np.arange(len(rounded)), -rounded))
        return [number for number in order.tolist() if self._facts[number] is not None][:count]

    def find_candidates(self, vectors: Vectors, count: int) -> list[int]:
        """Return the numbers of the ``count`` facts nearest to each of several vectors, each once, oldest first."""
        return sorted({number for vector in vectors for number in self.find_nearest(vector, count)})

    def render_lines(self, numbers: Sequence[int]) -> list[str]:
        """Return facts as prompts show them."""
        return [fact.line for number in numbers if (fact := self._facts[number]) is not None]

    def get_texts(self, numbers: Sequence[int]) -> list[str]:
        """Return facts without their dates."""
        return [fact.text for number in numbers if (fact := self._facts[number]) is not None]

    def _put(self, number: int, fact: Fact, vector: Vectors) -> None:
        self._facts[number] = fact
        self._matrix[number] = vector
        self._numbers.setdefault(_hash_text(fact.text), number)
        self.version += 1

    def _make_room(self, columns: int) -> None:
        rows = len(self._facts)
        if rows < self._matrix.shape[0]:
            return
        larger = np.zeros((max(_FIRST_ROWS, 2 * rows), columns), dtype=np.float32)
        if rows:
            larger[:rows] = self._matrix
        self._matrix = larger


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
