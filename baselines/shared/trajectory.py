"""A recorded episode as prompt lines: what strategies that learn from whole trials show the model. Knows no suite."""

from __future__ import annotations

from collections.abc import Iterator

from bench.agents import render
from bench.types import EndReason, Event, EventKind, Trial

__all__ = ["describe_end", "is_won", "render_attempt", "render_case", "render_trajectory"]

_KNEW = "Before it the agent read notes on earlier attempts at this task, so it knew more than these steps show."
_ENDS = {
    EndReason.STEP_CAP: "It was stopped after {n}, the most that were allowed.",
    EndReason.GAVE_UP: "The agent gave up after {n}.",
    EndReason.LOST: "It was lost after {n}.",
}
_OTHER_END = "It was stopped after {n}."


def is_won(trial: Trial) -> bool:
    """True if the world said that the task is done."""
    return trial.end is EndReason.WON


def render_trajectory(trial: Trial) -> str:
    """Return the actions and observations of an episode, or of a part of one, a line each, the opening left out.

    What was seen before the first action has the number of the step before it.
    """
    return render(_list_events(trial))


def render_attempt(trial: Trial) -> str:
    """Return a trajectory with what it cannot show: what the agent knew before, and why it ended without success."""
    knew = _KNEW if any(trial.feedback) else ""
    end = "" if is_won(trial) else describe_end(trial)
    return "\n".join(filter(None, (knew, render_trajectory(trial), end)))


def render_case(trial: Trial) -> str:
    """Return a task with an attempt at it and whether that solved it, below a heading each."""
    outcome = "The attempt solved the task." if is_won(trial) else "The attempt did not solve the task."
    return f"# Task\n{trial.opening}\n\n# Attempt\n{render_attempt(trial)}\n\n# Outcome\n{outcome}"


def describe_end(trial: Trial) -> str:
    """Return a sentence on how an attempt without success ended."""
    n_actions = len(trial.steps)
    end = _ENDS.get(trial.end, _OTHER_END) if trial.end else _OTHER_END
    return end.format(n=f"{n_actions} action{'' if n_actions == 1 else 's'}")


def _list_events(trial: Trial) -> Iterator[Event]:
    if trial.steps and (first := trial.steps[0].stimulus.text):
        before = trial.steps[0].index - 1
        yield Event(f"o{before}", EventKind.OBSERVATION, first, before)
    for step in trial.steps:
        yield Event(f"a{step.index}", EventKind.ACTION, step.decision.text, step.index)
        yield Event(f"o{step.index}", EventKind.OBSERVATION, step.observation.text, step.index)
