"""Scores of how the replies of a task were read: asked again, unreadable, cut, repaired, in a format of their own."""

from __future__ import annotations

from collections.abc import Sequence

from bench.types import EXPERIENCE_HEADING, Score, Step

__all__ = ["average_steps", "measure_readings"]


def measure_readings(steps: Sequence[Step]) -> tuple[Score, ...]:
    """Return how the replies of decisions were read, and how often there was a context, and experience in it."""
    readings = [step.decision.reading for step in steps]
    return (
        average_steps("asked_again", [float(one.asked_again) for one in readings]),
        average_steps("unreadable", [float(one.unreadable) for one in readings]),
        average_steps("cut", [float(one.cut) for one in readings]),
        average_steps("repaired", [float(bool(one.repairs)) for one in readings]),
        Score("dialect_lines", float(sum(len(one.dialect) for one in readings))),
        average_steps("context_shown", [float(bool(step.decision.context.text)) for step in steps]),
        average_steps("experience_shown", [float(_shows_experience(step)) for step in steps]),
    )


def _shows_experience(step: Step) -> bool:
    return EXPERIENCE_HEADING in step.decision.context.text.splitlines()


def average_steps(name: str, values: Sequence[float]) -> Score:
    """Return a mean over steps; of no step it has no value, and says so."""
    return Score(name, sum(values) / len(values)) if values else Score(name, None, "no step")
