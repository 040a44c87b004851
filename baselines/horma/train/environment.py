"""Navigation as an environment with a reward: a question in, texts back and forth, the evidence found at the end.

No library for learning is imported here. The grammar, the budgets and the safety of paths are those of the session
that is played, so a navigator is trained on exactly what it does in a run.

Source: HORMA (arXiv 2606.11680): reward = Jaccard overlap of the selected units with the evidence. The unit, a raw
turn, and both penalties, which are 0 unless set, are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from baselines.horma.navigation import NavigationResult
from baselines.horma.navigators import MOST_UNREADABLE
from baselines.horma.refusals import RefusalKind

__all__ = ["NavEnv", "NavQuestion", "Navigable", "Outcome", "Penalties", "jaccard"]


class Navigable(Protocol):
    """One search through a workspace: what ``baselines.horma.navigation.NavigationSession`` offers."""

    def opening(self) -> str: ...

    def step(self, reply: str) -> NavigationResult: ...

    @property
    def selected(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class NavQuestion:
    """One question to navigate for."""

    id: str
    begin: Callable[[], Navigable]
    """Opens a new session, which knows the text of the question and nothing of its evidence."""
    evidence: tuple[str, ...]
    """The refs of the turns that the right answer is based on; empty = nothing should be selected."""
    group: str = ""
    instructions: str = ""
    """What a model is told before the opening; a tiny model is not."""


@dataclass(frozen=True, slots=True)
class Penalties:
    """What is taken off the overlap."""

    invalid: float = 0.0
    """For each reply in which something is refused."""
    length: float = 0.0
    """For each reply."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one search ended. ``precision`` and ``recall`` are None without evidence."""

    reward: float
    jaccard: float
    precision: float | None
    recall: float | None
    selected: tuple[str, ...]
    replies: int
    refused: int
    """Replies in which something was refused."""
    finished: bool
    """The search ended by itself; False = cut off."""


class NavEnv:
    """Plays one search at a time; ``reset`` clears everything."""

    def __init__(self, penalties: Penalties = Penalties()):
        self._penalties = penalties
        self._question: NavQuestion | None = None
        self._session: Navigable | None = None
        self._replies = self._refused = self._unreadable = 0
        self._done = False

    def reset(self, question: NavQuestion) -> str:
        """Begin a search; return the text that it opens with."""
        self._question, self._session = question, question.begin()
        self._replies = self._refused = self._unreadable = 0
        self._done = False
        return self._session.opening()

    def step(self, reply: str) -> tuple[str, bool]:
        """Carry out one reply; return the observation and whether the search is over.

        As in a run, a search is given up after a few replies in a row that cannot be read. Raises: RuntimeError before
        ``reset`` and after the end: a mistake of the caller, never of the model.
        """
        if self._session is None or self._done:
            raise RuntimeError("navigation: expected a search in progress, got none; call reset first")
        result = self._session.step(reply)
        self._replies += 1
        self._refused += bool(result.refused)
        self._unreadable = self._unreadable + 1 if result.refused == RefusalKind.GRAMMAR else 0
        self._done = result.done or self._unreadable >= MOST_UNREADABLE
        return result.observation, self._done

    def outcome(self) -> Outcome:
        """Return how the search ended; one that was cut off is worth what it has selected so far."""
        if self._session is None or self._question is None:
            raise RuntimeError("navigation: expected a search, got none; call reset first")
        selected, needed = set(self._session.selected), set(self._question.evidence)
        overlap = jaccard(self._session.selected, self._question.evidence)
        hits = len(selected & needed)
        return Outcome(
            reward=overlap - self._penalties.invalid * self._refused - self._penalties.length * self._replies,
            jaccard=overlap,
            precision=(hits / len(selected) if selected else 0.0) if needed else None,
            recall=hits / len(needed) if needed else None,
            selected=self._session.selected,
            replies=self._replies,
            refused=self._refused,
            finished=self._done,
        )


def jaccard(selected: Sequence[str], evidence: Sequence[str]) -> float:
    """Return what is common to both over what is in either: 1 if both are empty, 0 if only the evidence is."""
    either = set(selected) | set(evidence)
    return len(set(selected) & set(evidence)) / len(either) if either else 1.0
