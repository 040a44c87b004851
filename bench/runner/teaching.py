"""How much of what a trial's contexts taught its model made something of: a score of models that can tell.

Only the novice can. A row with a low share says more about its reader of lessons than about the strategy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, runtime_checkable

from bench.protocols import ModelSource
from bench.types import Score, Shape, Trial

__all__ = ["CountsTeaching", "add_teaching"]

_NAME = "teaching_understood"


@runtime_checkable
class CountsTeaching(Protocol):
    """A source whose model reads lessons out of a context by rule."""

    def count_teaching(self, context: str, opening: str) -> tuple[int, int]:
        """Return how many lines of a context are for teaching, and how many of these were understood."""


def add_teaching(trial: Trial, source: ModelSource) -> Trial:
    """Return the trial of an episode with the share of teaching lines understood, averaged over steps that had some."""
    steps = [step for step in trial.steps if step.stimulus.shape is Shape.EPISODE]
    if not isinstance(source, CountsTeaching) or not steps or not trial.items:
        return trial
    counts = [source.count_teaching(step.decision.context.text, step.stimulus.goal) for step in steps]
    shares = [understood / lines for lines, understood in counts if lines]
    score = Score(_NAME, sum(shares) / len(shares)) if shares else Score(_NAME, None, "nothing was taught")
    return replace(trial, items=tuple(replace(item, scores=(*item.scores, score)) for item in trial.items))
