"""Experience: training trials as text files, one for each, found by their openings, and a memory that shows some.

Whatever chooses among them gets a pool from which the harness has already taken what comes from the present task or a
twin of it; nothing here knows a task by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from baselines.shared.nearest import NearestTexts, write_vectors
from baselines.shared.trajectory import is_won, render_trajectory
from bench.agents import render, render_experience
from bench.protocols import Embedder, Kit
from bench.types import Artifact, Context, Event, EventKind, Query, Trial

__all__ = [
    "Experience",
    "ExperienceMemory",
    "NearestExperience",
    "Shown",
    "choose_trials",
    "join_artifacts",
    "read_pool",
    "write_pool",
    "write_searched_pool",
]

_FOLDER, _END = "experience/", ".txt"
_PARTS = ("# Task\n", "\n\n# Outcome\n", "\n\n# Steps\n")
_WON, _LOST = "solved", "not solved"


@dataclass(frozen=True, slots=True)
class Experience:
    """One recorded trial as text."""

    name: str
    """Of its file; names are in the order of the pool."""
    opening: str
    outcome: str
    steps: str

    def render(self) -> str:
        """Return it as a prompt shows it; the opening is one line, so that its task stands beside its world."""
        return f"Task ({self.outcome}): {' '.join(self.opening.split())}\n{self.steps}"


def choose_trials(trials: Iterable[Trial], *, failures: bool) -> list[Trial]:
    """Return the shortest won trial of each task, the first of equals; with ``failures`` every trial. In task order."""
    ordered = sorted(trials, key=lambda trial: (trial.key.task, trial.key.seed, trial.key.attempt))
    if failures:
        return ordered
    best: dict[str, Trial] = {}
    for trial in filter(is_won, ordered):
        if trial.key.task not in best or len(trial.steps) < len(best[trial.key.task].steps):
            best[trial.key.task] = trial
    return list(best.values())


def write_pool(trials: Sequence[Trial]) -> Artifact:
    """Return the trials as files, in order."""
    files: dict[str, str] = {}
    sources: dict[str, tuple[str, ...]] = {}
    for number, trial in enumerate(trials, start=1):
        name = f"{_FOLDER}{number:04d}{_END}"
        values = (trial.opening, _WON if is_won(trial) else _LOST, render_trajectory(trial))
        files[name] = "".join(f"{heading}{value}" for heading, value in zip(_PARTS, values, strict=True))
        sources[name] = (trial.key.task,)
    return Artifact(files, sources)


def write_searched_pool(trials: Sequence[Trial], embedder: Embedder) -> Artifact:
    """Return the trials as files, in order, and the vectors of their openings, for ``NearestExperience``."""
    pool = write_pool(trials)
    openings = {f"{one.name}{_END}": one.opening for one in read_pool(pool)}
    sources = {name: (trial.key.task,) for name, trial in zip(openings, trials, strict=True)}
    return join_artifacts([pool, write_vectors(embedder, openings, sources)])


def join_artifacts(parts: Iterable[Artifact]) -> Artifact:
    """Return the files of several artifacts as one; of one name the last."""
    found = list(parts)
    files = {name: text for part in found for name, text in part.files.items()}
    return Artifact(files, {name: tasks for part in found for name, tasks in part.sources.items()})


class NearestExperience:
    """The experiences of an artifact, searched by the opening of an episode."""

    def __init__(self, kit: Kit):
        self._pool = {f"{one.name}{_END}": one for one in read_pool(kit.artifact)}
        self._nearest = NearestTexts(kit, {name: one.opening for name, one in self._pool.items()})

    def find(self, opening: str, k: int) -> list[Experience]:
        """Return the ``k`` nearest, the nearest first; of equals the earlier."""
        return [self._pool[name] for name in self._nearest.find(opening, k)]


def read_pool(artifact: Artifact) -> tuple[Experience, ...]:
    """Return the experiences of an artifact, in order; files of other folders are left alone."""
    return tuple(_read(name, text) for name, text in sorted(artifact.files.items()) if name.startswith(_FOLDER))


def _read(name: str, text: str) -> Experience:
    opening, _, rest = text.removeprefix(_PARTS[0]).partition(_PARTS[1])
    outcome, _, steps = rest.partition(_PARTS[2])
    return Experience(name.removeprefix(_FOLDER).removesuffix(_END), opening, outcome, steps)


class Shown(Protocol):
    """What an ``ExperienceMemory`` shows."""

    def render(self) -> str:
        """Return it as a prompt shows it."""


class ExperienceMemory:
    """The whole trial so far, below experiences that are chosen once, when its goal is known."""

    def __init__(self, kit: Kit, choose: Callable[[str], Sequence[Shown]]):
        """``choose`` returns experiences for the opening text of an episode, the most useful first."""
        self._count, self._choose = kit.budget.count, choose
        self._chosen: Sequence[Shown] = ()
        self._events: list[Event] = []

    def observe(self, event: Event) -> None:
        """Choose at the goal; keep what the prompt does not show anyway."""
        if event.kind is EventKind.GOAL:
            self._chosen = self._choose(event.text)
        elif event.kind is not EventKind.SESSION_END:
            self._events.append(event)

    def recall(self, query: Query) -> Context:
        """Return as many of the chosen as the budget has room for beside the whole history. Read-only."""
        past = [event for event in self._events if event.ref != query.ref]
        shown = len(self._chosen)
        while shown and query.budget_tokens is not None:
            if self._count(self._render(shown, past)) <= query.budget_tokens:
                break
            shown -= 1
        refs = tuple(event.ref for event in past)
        return Context(self._render(shown, past), refs, truncated=shown < len(self._chosen))

    def _render(self, shown: int, past: Sequence[Event]) -> str:
        # The most useful stands last, next to the task at hand.
        return render_experience([one.render() for one in self._chosen[:shown][::-1]], render(past))
