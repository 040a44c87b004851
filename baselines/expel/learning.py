"""What ExpeL makes of gathered trials: the shortest success of each solved task, and a pool of insights.

Calls of role insight: one for each failure of a solved task, one for each chunk of successes. A reply that cannot be
read is asked for once more.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from baselines.shared.artifacts import join_artifacts
from baselines.shared.experience import choose_trials, write_searched_pool
from baselines.shared.insight_calls import revise
from baselines.shared.insights import InsightPool
from baselines.shared.trajectory import is_won, render_attempt
from bench.protocols import Kit
from bench.types import Artifact, Trial

__all__ = ["INSIGHTS", "learn", "split_chunks"]

INSIGHTS = "insights/"
"""The folder of the insights in an artifact."""
_COMPARE, _SUCCESS = (
    Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").strip() for name in ("compare", "success")
)


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return the successes with the vectors of their openings, and the insights with their log."""
    successes = choose_trials(trials, failures=False)
    parts = [write_searched_pool(successes, kit.embedder)] if kit.params.flag("retrieve") else []
    if kit.params.flag("insights"):
        parts.append(_extract(trials, successes, kit).write(INSIGHTS))
    return join_artifacts(parts)


def _extract(trials: Iterable[Trial], successes: Sequence[Trial], kit: Kit) -> InsightPool:
    """Return the insights of compare calls in the order of tasks, then of calls about successes alone."""
    pool = InsightPool(kit.params.integer("cap"))
    for won, lost in _pair(trials, successes):
        shown = f"# Task\n{won.opening}\n\n{_show('Failed attempt', lost)}\n\n{_show('Successful attempt', won)}"
        revise(pool, kit, _COMPARE, shown, [won.key.task])
    for chunk in split_chunks(successes, kit.params.integer("chunk"), kit.rng):
        shown = "\n\n".join(f"# Task\n{won.opening}\n\n{_show('Successful attempt', won)}" for won in chunk)
        revise(pool, kit, _SUCCESS, shown, [won.key.task for won in chunk])
    return pool


def _show(heading: str, trial: Trial) -> str:
    return f"# {heading}\n{render_attempt(trial)}"


def _pair(trials: Iterable[Trial], successes: Iterable[Trial]) -> Iterator[tuple[Trial, Trial]]:
    """Yield each success with every failure of its task; an attempt without a step shows nothing and is left out."""
    failures = sorted(
        (trial for trial in trials if trial.steps and not is_won(trial)),
        key=lambda trial: (trial.key.seed, trial.key.attempt),
    )
    for won in successes:
        yield from ((won, lost) for lost in failures if lost.key.task == won.key.task)


def split_chunks(successes: Sequence[Trial], most: int, rng: random.Random) -> list[list[Trial]]:
    """Return the successes in random order, as few chunks of at most ``most`` as there can be, nearly equal in size."""
    shuffled = list(successes)
    rng.shuffle(shuffled)
    number = -(-len(shuffled) // most)
    return [shuffled[at::number] for at in range(number)]
