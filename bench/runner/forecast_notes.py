"""What has to be known to read a forecast: what its bounds mean, how a pilot differs, which costs it leaves out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bench.config import RUN_FILE, RunConfig, difference, read_config

__all__ = [
    "LEARNING_NOTES",
    "OFFLINE_NOTES",
    "PAID_EMBEDDER",
    "PILOT_NOTES",
    "STREAM_NOTES",
    "describe_differences",
    "describe_missing",
    "write_cost_notes",
]

PAID_EMBEDDER = "litellm/"
"""What the name of an embedder begins with whose calls cost money."""
_PARTIAL = ("suites", "strategies", "limit", "seeds")
"""Fields in which a pilot is a part of the run."""

OFFLINE_NOTES = (
    "low: 95 % bootstrap bound over the sampled tasks. likely: their mean, scaled. high: every episode runs to its "
    "step cap with prompts growing as they did, and every reply fills its max_tokens (--reply-tokens and "
    "--answer-tokens, 512 by default, for actions and answers); the upper bound of that.",
    "The offline model solves what its context allows in few steps and answers in one short line: expect a real model "
    "between likely and high. Thinking tokens come on top of both.",
    "Tokens are counted by the built-in tokenizer; a model's own count may be tens of percent higher or lower.",
)
PILOT_NOTES = (
    "likely: the pilot's mean per trial, scaled. low, high: 95 % bootstrap interval over its trials; trials without a "
    "score are left out, retries are in the cost only.",
)


_LEARN = "learn: in proportion to the trials that are read; high: all of these at their step cap. "
LEARNING_NOTES = (
    "gather: all attempts at the training tasks; high: every one of them to its step cap. One collection serves all "
    f"learners. {_LEARN}They were evaluated with what they learned from the sample: with more, their prompts may be "
    "longer. What a learner plays itself (rehearsals) has a line of its own, as often as on the sample.",
)
STREAM_NOTES = (f"{_LEARN}They were evaluated with empty memories: with full ones, their prompts are longer.",)


def describe_missing(missing: Collection[str]) -> tuple[str, ...]:
    """Say what of gathering and learning is not known from the pilot."""
    return (f"The pilot has nothing of: {', '.join(missing)}.",) if missing else ()


def describe_differences(pilot: Path, config: RunConfig) -> tuple[str, ...]:
    """Say in which settings the pilot differs from the run."""
    changed = [line for line in difference(read_config(pilot / RUN_FILE), config) if line.split(":")[0] not in _PARTIAL]
    return (f"The pilot was made otherwise: {'; '.join(changed)}.",) if changed else ()


def write_cost_notes(config: RunConfig, unpriced: Collection[str]) -> tuple[str, ...]:
    """Say what the dollars leave out. ``unpriced``: the models whose price is unknown."""
    paid = config.embedder.startswith(PAID_EMBEDDER)
    embedding: tuple[str, ...] = (f"Embedding calls of {config.embedder} are not in these numbers.",) if paid else ()
    if config.judge:
        embedding += (f"The calls of the judge {config.judge}, one a question, are not in these numbers.",)
    if config.attempts > 1:
        embedding += (f"First attempts alone; a task that is not won is played up to {config.attempts} times.",)
    if unpriced:
        names = ", ".join(sorted(unpriced))
        give = "give one with --endpoint FILE ([prices]), or a pilot that knows it"
        return (*embedding, f"US$: price unknown of {names}; {give}.")
    return (*embedding, "US$: at list price; a provider's discount for cached prompts is not counted ahead.")
