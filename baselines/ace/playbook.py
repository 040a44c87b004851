"""The playbook: bullets with ids and counters, which only deltas change, and which is kept free of doubles.

Source: ACE (arXiv 2510.04618, sec. 3). Knows no model and no suite. A bullet is one file, so that the harness can leave
out those that come from the task at hand or its twins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from baselines.shared.artifacts import list_files, name_file
from bench.protocols import Embedder
from bench.types import Artifact

__all__ = ["SECTIONS", "Bullet", "Operation", "Playbook", "Tag", "read_playbook"]

SECTIONS = ("strategies", "mistakes", "facts", "others")
"""In the order in which they are shown."""
_MOST_OPERATIONS = 4
"""Operations of one delta; what comes behind them is rejected."""
_FOLDER = "playbook/"
_TAIL = re.compile(
    r"\(bullet (?P<id>\d{1,9}) of (?P<section>[a-z]+), helpful (?P<helpful>\d{1,9}), harmful (?P<harmful>\d{1,9})\)"
)
_DECIMALS = 5


@dataclass(frozen=True, slots=True)
class Bullet:
    """One piece of advice. ``id`` counts from 1 and is never used again."""

    id: int
    section: str
    text: str
    helpful: int = 0
    harmful: int = 0
    sources: tuple[str, ...] = ()
    """The tasks that its text was written from, sorted; not known when it is read from its file."""
    born: int = 0
    """The number of the delta that added it; not known when it is read from its file."""

    @property
    def support(self) -> int:
        """How much more speaks for it than against it."""
        return self.helpful - self.harmful


@dataclass(frozen=True, slots=True)
class Tag:
    """What one attempt says of one bullet."""

    id: int
    helpful: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One change that the curator asks for: ``add``, ``update`` or ``remove``."""

    op: str
    id: int = 0
    """Of the bullet; not used by ``add``."""
    section: str = ""
    """One of ``SECTIONS``; used by ``add`` alone."""
    text: str = ""
    """One line; not used by ``remove``."""


class Playbook:
    """Bullets in the order of their ids: at most ``cap``, no two with a cosine of ``similar`` or more."""

    def __init__(self, embedder: Embedder, cap: int, similar: float):
        self._embedder, self._cap, self._similar = embedder, cap, similar
        self._bullets: dict[int, Bullet] = {}
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}
        self._next_id, self._deltas = 1, 0
        self.rejected: Counter[str] = Counter()
        """How many tags and operations were not applied, by reason."""

    @property
    def bullets(self) -> tuple[Bullet, ...]:
        return tuple(self._bullets.values())

    def render(self) -> str:
        """Return the bullets with ids and counts, a line each, below their sections."""
        lines = list[str]()
        for section in SECTIONS:
            found = [one for one in self.bullets if one.section == section]
            lines += [f"{section}:"] if found else []
            lines += [f"#{one.id} {one.text} (helpful {one.helpful}, harmful {one.harmful})" for one in found]
        return "\n".join(lines) or "(empty)"

    def count(self, tags: Iterable[Tag]) -> None:
        """Count what one attempt says of the bullets, of each once."""
        seen = set[int]()
        for tag in tags:
            if fault := self._find_fault(tag.id, seen):
                self.rejected[fault] += 1
                continue
            seen.add(tag.id)
            old = self._bullets[tag.id]
            self._bullets[tag.id] = replace(
                old, helpful=old.helpful + tag.helpful, harmful=old.harmful + (not tag.helpful)
            )

    def apply(self, operations: Iterable[Operation], task: str) -> None:
        """Apply a delta that was drawn from an attempt at a task, merge doubles, and evict what is too much.

        Of more than ``cap`` bullets the one goes that has had the least support for its age, the oldest of equals.
        """
        self._deltas += 1
        touched = set[int]()
        for number, operation in enumerate(operations):
            if fault := self._check(operation, touched, number):
                self.rejected[fault] += 1
            elif operation.op == "remove":
                touched.add(operation.id)
                del self._bullets[operation.id]
            else:
                touched.add(self._write(operation, task))
        self._merge(touched)
        while len(self._bullets) > self._cap:
            del self._bullets[min(self.bullets, key=self._rate).id]

    def _rate(self, one: Bullet) -> float:
        """Return the support of a bullet for each delta since it was added, which speaks for it too."""
        return (one.support + 1) / (self._deltas - one.born + 1)

    def _check(self, operation: Operation, touched: set[int], number: int) -> str:
        """Return why an operation cannot be applied; empty if it can."""
        if number >= _MOST_OPERATIONS:
            return f"more than {_MOST_OPERATIONS} operations"
        if operation.op != "remove" and not operation.text.strip():
            return "empty text"
        return "" if operation.op == "add" else self._find_fault(operation.id, touched)

    def _find_fault(self, number: int, seen: set[int]) -> str:
        if number in seen:
            return "second on one id"
        return "" if number in self._bullets else "unknown id"

    def _write(self, operation: Operation, task: str) -> int:
        """Add or rewrite a bullet; return its id."""
        if operation.op == "add":
            new = Bullet(self._next_id, operation.section, operation.text, sources=(task,), born=self._deltas)
            self._next_id += 1
        else:
            old = self._bullets[operation.id]
            new = replace(old, text=operation.text, sources=tuple(sorted({*old.sources, task})))
        self._bullets[new.id] = new
        return new.id

    def _merge(self, written: Iterable[int]) -> None:
        """Merge each bullet that was written with the first that says the same: the older id, the better text."""
        self._embed()
        waiting = sorted(number for number in written if number in self._bullets)
        while waiting:
            one = self._bullets.get(waiting.pop(0))
            same = next((other for other in self.bullets if one and self._is_double(one, other)), None)
            if one and same:
                first, last = sorted((one, same), key=lambda bullet: bullet.id)
                del self._bullets[last.id]
                self._bullets[first.id] = _join(first, last)
                waiting.append(first.id)

    def _is_double(self, one: Bullet, other: Bullet) -> bool:
        cosine = float(np.dot(self._vectors[one.text], self._vectors[other.text]))
        return one.id != other.id and round(cosine, _DECIMALS) >= self._similar

    def _embed(self) -> None:
        """Embed in one call the texts that have no vector yet."""
        new = list(dict.fromkeys(one.text for one in self.bullets if one.text not in self._vectors))
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))

    def write(self) -> Artifact:
        """Return one file for each bullet."""
        files, sources = dict[str, str](), dict[str, tuple[str, ...]]()
        for one in self.bullets:
            name = name_file(_FOLDER, one.id)
            counts = f"helpful {one.helpful}, harmful {one.harmful}"
            files[name] = f"{one.text}\n(bullet {one.id} of {one.section}, {counts})\n"
            sources[name] = one.sources
        return Artifact(files, sources)


def _join(first: Bullet, last: Bullet) -> Bullet:
    """Return one bullet for two that say the same, with the text that more speaks for, the older one of equals."""
    return replace(
        first,
        text=max(first, last, key=lambda bullet: bullet.support).text,
        helpful=first.helpful + last.helpful,
        harmful=first.harmful + last.harmful,
        sources=tuple(sorted({*first.sources, *last.sources})),
    )


def read_playbook(artifact: Artifact) -> Sequence[Bullet]:
    """Return the bullets of an artifact, in order; a text that ``Playbook.write`` did not write is one of ``others``.

    Files without a text are passed over, and so is everything outside the folder.
    """
    found = (_read(text, number) for number, text in enumerate(list_files(artifact, _FOLDER).values(), start=1))
    return [one for one in found if one.text]


def _read(text: str, number: int) -> Bullet:
    tail = _TAIL.search(text)
    plain = " ".join(_TAIL.sub("", text).split())
    if tail is None or tail["section"] not in SECTIONS:
        return Bullet(number, SECTIONS[-1], plain)
    return Bullet(int(tail["id"]), tail["section"], plain, int(tail["helpful"]), int(tail["harmful"]))
