"""What is recorded of searches: one, the means of an update, the means of an evaluation. Plain numbers, no tensors."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any

from baselines.horma.train.environment import NavQuestion, Outcome
from baselines.horma.train.transcript import Transcript

__all__ = ["Evaluation", "Rollout", "UpdateLog", "describe_update", "summarize", "write_rows"]


@dataclass(frozen=True, slots=True)
class Rollout:
    """One search: who wrote what, and what it was worth."""

    question: NavQuestion
    transcript: Transcript
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class UpdateLog:
    """What one update did: means over its rollouts."""

    update: int
    reward: float
    jaccard: float
    flat_questions: float
    """The share of questions whose searches all have the same reward: nothing is learned from them."""
    replies: float
    refused: float
    cut_off: float
    """The share of searches that became longer than the window."""
    tokens: float
    """Written by the model in a search."""
    loss: float
    grad_norm: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Means over the questions of an evaluation; precision and recall over those that have evidence."""

    when: str
    """Before or after the training."""
    jaccard: float
    precision: float | None
    recall: float | None
    replies: float
    refused: float
    cut_off: float
    tokens: float
    """Of the whole search, shown and written; each once."""


def describe_update(
    number: int, rollouts: Sequence[Rollout], searches: int, loss: float, grad_norm: float
) -> UpdateLog:
    """Return the log of an update; ``rollouts``: ``searches`` of each question, question after question."""
    outcomes = [one.outcome for one in rollouts]
    groups = [outcomes[start : start + searches] for start in range(0, len(outcomes), searches)]
    return UpdateLog(
        update=number + 1,
        reward=fmean(one.reward for one in outcomes),
        jaccard=fmean(one.jaccard for one in outcomes),
        flat_questions=fmean(len({one.reward for one in those}) == 1 for those in groups),
        replies=fmean(one.replies for one in outcomes),
        refused=fmean(one.refused for one in outcomes),
        cut_off=fmean(not one.finished for one in outcomes),
        tokens=fmean(one.transcript.written for one in rollouts),
        loss=loss,
        grad_norm=grad_norm,
    )


def summarize(when: str, rollouts: Sequence[Rollout]) -> Evaluation:
    """Return the means of an evaluation. Raises: ValueError for no rollouts."""
    if not rollouts:
        raise ValueError("train: expected searches to summarize, got none")
    outcomes = [one.outcome for one in rollouts]
    return Evaluation(
        when=when,
        jaccard=fmean(one.jaccard for one in outcomes),
        precision=_mean([one.precision for one in outcomes]),
        recall=_mean([one.recall for one in outcomes]),
        replies=fmean(one.replies for one in outcomes),
        refused=fmean(one.refused for one in outcomes),
        cut_off=fmean(not one.finished for one in outcomes),
        tokens=fmean(len(one.transcript) for one in rollouts),
    )


def write_rows(rows: Sequence[Any], path: Path) -> None:
    """Write records of one kind as CSV, numbers with six digits: the same bytes for the same numbers."""
    names = [field.name for field in fields(rows[0])]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for row in rows:
            writer.writerow(f"{v:.6f}" if isinstance(v, float) else v for v in asdict(row).values())


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
