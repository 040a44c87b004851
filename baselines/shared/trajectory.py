"""A recorded episode as prompt lines: what strategies that learn from whole trials show the model. Knows no suite."""

from __future__ import annotations

from collections.abc import Iterator

from bench.agents import render
from bench.types import EndReason, Event, EventKind, Trial

__all__ = ["is_won", "render_trajectory"]


def is_won(trial: Trial) -> bool:
    """True if the world said that the task is done."""
    return trial.end is EndReason.WON


def render_trajectory(trial: Trial) -> str:
    """Return the actions and observations of an episode, or of a part of one, a line each, the opening left out.

    What was seen before the first action has the number of the step before it.
    """
    return render(_list_events(trial))


def _list_events(trial: Trial) -> Iterator[Event]:
    if trial.steps and (first := trial.steps[0].stimulus.text):
        before = trial.steps[0].index - 1
        yield Event(f"o{before}", EventKind.OBSERVATION, first, before)
    for step in trial.steps:
        yield Event(f"a{step.index}", EventKind.ACTION, step.decision.text, step.index)
        yield Event(f"o{step.index}", EventKind.OBSERVATION, step.observation.text, step.index)
