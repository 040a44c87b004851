"""Attempts with and without a compressed memory, for the tests of how guidelines are learned."""

from __future__ import annotations

from bench.types import (
    Context,
    Decision,
    EndReason,
    Observation,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)

__all__ = ["STEPS", "WHOLE", "attempt", "gather"]

STEPS = (("go hall", "The hall has a crate."), ("open crate", "It holds a key."), ("go attic", "A door is shut."))
WHOLE = "\n".join(text for step in STEPS for text in step)


def attempt(task: str, context: str, *, won: bool, number: int = 1, steps: int = 3, now: str = "") -> Trial:
    """Return an attempt of the first ``steps`` steps whose prompts showed a context and an observation."""
    made = tuple(
        Step(i, Stimulus(Shape.EPISODE, now, "", i), Decision(action, context=Context(context)), Observation(answer))
        for i, (action, answer) in enumerate(STEPS[:steps], start=1)
    )
    key = TrialKey("", "", task, "", "", attempt=number)
    end = EndReason.WON if won else EndReason.STEP_CAP
    return Trial(key, Status.DONE, end, steps=made, opening=f"Open the door of {task}.")


def gather(*tasks: str) -> list[Trial]:
    """A success with the whole history and a failure with a compressed one of each task."""
    return [
        trial
        for task in tasks
        for trial in (attempt(task, "Some hall.", won=False, number=2), attempt(task, WHOLE, won=True))
    ]
