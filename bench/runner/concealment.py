"""What a strategy may see of a recorded trial: the texts and how it ended, and nothing that only the harness knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bench.types import Item, Observation, Shape, Step, Trial, TrialKey

__all__ = ["conceal", "list_answers"]

_PASS_MARK = 0.5
"""The main score from which on an answer counts as right."""


def conceal(trial: Trial, name: str = "task") -> Trial:
    """Return a trial as ``reflect`` and ``learn`` get it: opening, steps, feedback, status and end.

    Suite, task, scores, progress, evidence, fingerprint and ledger are taken out; the key holds ``name``, seed and
    attempt alone. Of a question, ``observation.won`` says whether its answer was right: a main score of at least one
    half.
    """
    key = TrialKey("", "", name, "", "", trial.key.seed, trial.key.attempt)
    items = dict(enumerate(trial.items, start=1))
    steps = tuple(_conceal_step(step, items) for step in trial.steps)
    return Trial(key, trial.status, trial.end, (), steps, (), trial.error, trial.opening, feedback=trial.feedback)


def list_answers(trial: Trial) -> list[bool]:
    """Return of each question of a conversation whether its answer was right; none for an episode."""
    asked = (step for step in conceal(trial).steps if step.stimulus.shape is Shape.CONVERSATION)
    return [step.observation.won for step in asked]


def _conceal_step(step: Step, items: Mapping[int, Item]) -> Step:
    got = step.observation
    won = _is_right(items.get(step.index)) if step.stimulus.shape is Shape.CONVERSATION else got.won
    return replace(step, observation=Observation(got.text, got.done, won), prompt_tokens=None, evidence=None)


def _is_right(item: Item | None) -> bool:
    """True if the main score says so; an answer without one is not known to be right."""
    main = item.scores[0].value if item and item.scores else None
    return main is not None and main >= _PASS_MARK
