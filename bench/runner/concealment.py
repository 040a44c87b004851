"""What a strategy may see of a recorded trial: the texts and how it ended, and nothing that only the harness knows."""

from __future__ import annotations

from dataclasses import replace

from bench.types import Observation, Step, Trial, TrialKey

__all__ = ["conceal"]


def conceal(trial: Trial, name: str = "task") -> Trial:
    """Return a trial as ``reflect`` and ``learn`` get it: opening, steps, feedback, status and end.

    Suite, task, scores, progress, evidence, fingerprint and ledger are taken out; the key holds ``name``, seed and
    attempt alone.
    """
    key = TrialKey("", "", name, "", "", trial.key.seed, trial.key.attempt)
    return Trial(key, trial.status, trial.end, (), tuple(map(_conceal_step, trial.steps)), (), trial.error,
                 trial.opening, feedback=trial.feedback)  # fmt: skip


def _conceal_step(step: Step) -> Step:
    got = step.observation
    return replace(step, observation=Observation(got.text, got.done, got.won), prompt_tokens=None, evidence=None)
