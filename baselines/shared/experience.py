"""Experience: training trials as text files, one for each, found by their openings, and a memory that shows some.

Whatever chooses among them gets a pool from which the harness has already taken what comes from the present task or a
twin of it; nothing here knows a task by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from baselines.shared.artifacts import join_artifacts, list_files, name_file, read_sections, write_sections
from baselines.shared.history import FullHistory
from baselines.shared.nearest import NearestTexts, write_vectors
from baselines.shared.trajectory import is_won, render_trajectory
from bench.agents import render_experience
from bench.protocols import Embedder, Kit
from bench.types import Artifact, Context, Event, EventKind, Query, Trial

__all__ = [
    "Experience",
    "ExperienceMemory",
    "NearestExperience",
    "Shown",
    "choose_trials",
    "read_pool",
    "write_pool",
    "write_searched_pool",
]

_FOLDER = "experience/"
_SECTIONS = ("Task", "Outcome", "Steps")
_WON, _LOST = "solved", "not solved"


@dataclass(frozen=True, slots=True)
class Experience:
    """One recorded trial as text."""

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
        name, outcome = name_file(_FOLDER, number), _WON if is_won(trial) else _LOST
        files[name] = write_sections(_SECTIONS, (trial.opening, outcome, render_trajectory(trial)))
        sources[name] = (trial.key.task,)
    return Artifact(files, sources)


def write_searched_pool(trials: Sequence[Trial], embedder: Embedder) -> Artifact:
    """Return the trials as files, in order, and the vectors of their openings, for ``NearestExperience``."""
    pool = write_pool(trials)
    openings = {name: one.opening for name, one in read_pool(pool).items()}
    sources = {name: pool.sources[f"{_FOLDER}{name}"] for name in openings}
    return join_artifacts([pool, write_vectors(embedder, openings, sources)])


class NearestExperience:
    """The experiences of an artifact, searched by the opening of an episode."""

    def __init__(self, kit: Kit):
        self._pool = read_pool(kit.artifact)
        self._nearest = NearestTexts(kit, {name: one.opening for name, one in self._pool.items()})

    def find(self, opening: str, k: int) -> list[Experience]:
        """Return the ``k`` nearest, the nearest first; of equals the earlier."""
        return [self._pool[name] for name in self._nearest.find(opening, k)]


def read_pool(artifact: Artifact) -> dict[str, Experience]:
    """Return the experiences of an artifact by the names of their files in its folder, in order."""
    files = list_files(artifact, _FOLDER)
    return {name.removeprefix(_FOLDER): Experience(*read_sections(_SECTIONS, text)) for name, text in files.items()}


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
        self._history = FullHistory(kit)

    def observe(self, event: Event) -> None:
        """Choose at the goal; keep what the prompt does not show anyway."""
        if event.kind is EventKind.GOAL:
            self._chosen = self._choose(event.text)
        self._history.observe(event)

    def recall(self, query: Query) -> Context:
        """Return as many of the chosen as the budget has room for beside the whole history. Read-only."""
        past = self._history.recall(query)
        shown = len(self._chosen)
        while shown and query.budget_tokens is not None:
            if self._count(self._render(shown, past.text)) <= query.budget_tokens:
                break
            shown -= 1
        return Context(self._render(shown, past.text), past.refs, truncated=shown < len(self._chosen))

    def _render(self, shown: int, past: str) -> str:
        # The most useful stands last, next to the task at hand.
        return render_experience([one.render() for one in self._chosen[:shown][::-1]], past)
