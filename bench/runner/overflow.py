"""What to say where a prompt of learning does not fit the model's window: how long it is, what it shows, what helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.errors import ContextOverflow
from bench.registry import ResolvedStrategy
from bench.types import Trial

__all__ = ["describe_overflow"]

_MOST = 5
"""Attempts that are named."""


def describe_overflow(
    one: ResolvedStrategy, full: ContextOverflow, trials: Sequence[Trial], count: Callable[[str], int]
) -> str:
    """Return an error message; ``trials`` are those that were learned from, ``count`` counts the tokens of a text."""
    text = "\n".join(message.content for message in full.prompt)
    shown = [trial for trial in trials if _is_shown(trial, text)]
    names = [f"{trial.key.task} (attempt {trial.key.attempt}, {len(trial.steps)} steps)" for trial in shown]
    rest = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    what = f"showing {', '.join(names[:_MOST])}{rest}" if names else "showing no attempt as a whole"
    params = ", ".join(param.name for param in one.strategy.params)
    show_less = f"let {one.label} show less in a call (its parameters: {params}), " if params else ""
    shorten = "shorten the attempts (--steps), " if len(shown) <= 1 else ""
    return (
        f"expected a prompt that fits the model's window, got one of about {count(text):,} tokens, {what} ({full}); "
        f"{show_less}{shorten}take a model with a larger window, or leave {one.label} out"
    )


def _is_shown(trial: Trial, text: str) -> bool:
    """True if a text holds everything that a trial saw."""
    seen = [step.observation.text for step in trial.steps if step.observation.text.strip()]
    return bool(seen) and all(one in text for one in seen)
