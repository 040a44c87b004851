"""What a run will take, estimated from a few trials before it is paid for: calls, tokens and dollars of each strategy.

The trials come from the offline model, which plays a sample of the tasks for nothing, or from a pilot run of the real
one; so do gathering and learning. Sums over the sample are scaled to the whole plan; what the sample leaves open is a
bootstrap interval, and what the offline model cannot know (how long a real model's episodes and replies are) is carried
to the caps. Knows no price: it is given a function. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.config import RUN_FILE, RunConfig, difference, read_config
from bench.errors import UsageError, nearest
from bench.registry import OFFLINE_READER
from bench.runner.build import RunContext, build_run, sample
from bench.runner.forecast_learning import Learning, learn_offline, learn_stream_offline, read_learning
from bench.runner.forecast_lines import Line, Span, fill_line
from bench.runner.forecast_play import Played, play_trial
from bench.runner.forecast_sample import PriceOf, Sample, add_up
from bench.store.read import read_trials
from bench.types import Status, TrialKey

__all__ = ["Forecast", "Line", "PriceOf", "Span", "from_offline", "from_pilot"]

_PARTIAL = ("suites", "strategies", "limit", "seeds")
"""Fields in which a pilot is a part of the run."""
_PAID_EMBEDDER = "litellm/"

Samples = Mapping[tuple[str, str], Sequence[Sample]]
"""What single trials took, by suite and strategy."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """All lines of a plan, what they rest on, and what has to be known to read them."""

    model: str
    basis: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def from_offline(config: RunConfig, root: Path, tasks: int, price: PriceOf | None) -> Forecast:
    """Forecast a run from what the offline model does on ``tasks`` tasks of each suite, and on as many training tasks.

    Raises: UsageError for whatever the run itself would refuse, keys and model names excepted.
    """
    context = _build_offline(config, root)
    try:
        plans = [plan.key for plan in context.plans]
        learning = learn_offline(context, tasks, price)
        context.use((*context.run.artifacts, *learning.artifacts))
        played = _play_sample(context, tasks, price)
        if config.stream:
            trials = {place: [trial for one in ones for trial in one.trials] for place, ones in played.items()}
            learning = learn_stream_offline(context, trials, price)
    finally:
        context.close()
    failed = {name: one.error for (_, name), ones in played.items() for one in ones if one.error} | learning.failed
    samples = {place: [one.sample for one in ones if one.sample] for place, ones in played.items()}
    basis = f"the offline model's counts on {tasks} tasks of each suite, scaled to the plan"
    notes = (*_OFFLINE_NOTES, *(f"{name}: left out trials that failed offline: {why}" for name, why in failed.items()))
    if learning.lines:
        notes += _STREAM_NOTES if config.stream else _LEARNING_NOTES
    lines = (*learning.lines, *_build_lines(plans, samples))
    return Forecast(config.model, basis, lines, notes + _write_cost_notes(config, price))


def _play_sample(context: RunContext, tasks: int, price: PriceOf | None) -> dict[tuple[str, str], list[Played]]:
    """Play first attempts at some tasks of each suite with every strategy."""
    chosen = {label: {t.id for t in sample(list(b.tasks.values()), tasks)} for label, b in context.suites.items()}
    played: dict[tuple[str, str], list[Played]] = {}
    for plan in context.plans:
        key = plan.key
        if key.seed == context.config.seeds[0] and key.task in chosen[key.suite]:
            played.setdefault((key.suite, key.strategy), []).append(play_trial(context, plan, price))
    return played


def from_pilot(config: RunConfig, root: Path, pilot: Path, price: PriceOf | None) -> Forecast:
    """Forecast a run from a finished or half-finished run of the same model on some of its tasks.

    Raises: UsageError if the pilot lacks a strategy of the plan; StoreError.
    """
    played: dict[tuple[str, str], list[Sample]] = {}
    context = _build_offline(config, root)
    try:
        plans = [plan.key for plan in context.plans]
        shapes = {label: built.shape for label, built in context.suites.items()}
        for shape in sorted(set(shapes.values())):
            for trial in read_trials(pilot, shape, "attempt = 1"):
                key = trial.key
                if shapes.get(key.suite) is shape and key.model == config.model and trial.status is Status.DONE:
                    done = add_up(trial.calls, price)
                    played.setdefault((key.suite, key.strategy), []).append(Sample(done, done))
        _require_trials(plans, played, config.model, pilot)
        learning = read_learning(context, pilot, config.model, price)
    finally:
        context.close()
    basis = f"the pilot run {pilot} with {config.model}, scaled to the plan"
    notes = _PILOT_NOTES + _describe_differences(pilot, config) + _describe_missing(learning)
    lines = (*learning.lines, *_build_lines(plans, played))
    return Forecast(config.model, basis, lines, notes + _write_cost_notes(config, price))


_OFFLINE_NOTES = (
    "low: 95 % bootstrap bound over the sampled tasks. likely: their mean, scaled. high: every episode runs to its "
    "step cap with prompts growing as they did, and every reply fills its max_tokens (--reply-tokens and "
    "--answer-tokens, 512 by default, for actions and answers); the upper bound of that.",
    "The offline model solves what its context allows in few steps and answers in one short line: expect a real model "
    "between likely and high. Thinking tokens come on top of both.",
    "Tokens are counted by the built-in tokenizer; a model's own count may be tens of percent higher or lower.",
)
_LEARN_NOTE = "learn: in proportion to the trials that are read; high: all of these at their step cap. "
_LEARNING_NOTES = (
    "gather: all attempts at the training tasks; high: every one of them to its step cap. One collection serves all "
    f"learners. {_LEARN_NOTE}They were evaluated with what they learned from the sample: with more, their prompts may "
    "be longer.",
)
_STREAM_NOTES = (f"{_LEARN_NOTE}They were evaluated with empty memories: with full ones, their prompts are longer.",)
_PILOT_NOTES = (
    "likely: the pilot's mean per trial, scaled. low, high: 95 % bootstrap interval over its trials; trials without a "
    "score are left out, retries are in the cost only.",
)


def _describe_differences(pilot: Path, config: RunConfig) -> tuple[str, ...]:
    """Say in which settings the pilot differs from the run."""
    changed = [line for line in difference(read_config(pilot / RUN_FILE), config) if line.split(":")[0] not in _PARTIAL]
    return (f"The pilot was made otherwise: {'; '.join(changed)}.",) if changed else ()


def _describe_missing(learning: Learning) -> tuple[str, ...]:
    """Say what of gathering and learning is not known from the pilot."""
    missing = [f"{line.phase} {line.strategy}" for line in learning.lines if line.calls is None]
    return (f"The pilot has nothing of: {', '.join(missing)}.",) if missing else ()


def _write_cost_notes(config: RunConfig, price: PriceOf | None) -> tuple[str, ...]:
    paid = config.embedder.startswith(_PAID_EMBEDDER)
    embedding: tuple[str, ...] = (f"Embedding calls of {config.embedder} are not in these numbers.",) if paid else ()
    if config.judge:
        embedding += (f"The calls of the judge {config.judge}, one a question, are not in these numbers.",)
    if config.attempts > 1:
        embedding += (f"First attempts alone; a task that is not won is played up to {config.attempts} times.",)
    if price is None:
        return (*embedding, "US$: price unknown; give one with --endpoint FILE ([prices]), or a pilot that knows it.")
    return (*embedding, "US$: at list price; a provider's discount for cached prompts is not counted ahead.")


def _build_offline(config: RunConfig, root: Path) -> RunContext:
    """Return the objects of the run with the offline model in the place of the real one: no key is needed."""
    changed = {
        "model": OFFLINE_READER,
        "base_url": "",
        "endpoint": "",
        "cache": "off",
        "judge": "",
        "judge_endpoint": "",
    }
    if config.embedder.startswith(_PAID_EMBEDDER):
        changed["embedder"] = "hash"
    return build_run(config.model_copy(update=changed), root)


def _require_trials(
    plans: Iterable[TrialKey], played: Mapping[tuple[str, str], object], model: str, pilot: Path
) -> None:
    for key in plans:
        if (key.suite, key.strategy) not in played:
            known = sorted({strategy for suite, strategy in played if suite == key.suite})
            close = nearest(key.strategy, known) or known
            raise UsageError(
                f"forecast: expected finished trials of {key.strategy} on {key.suite} with {model} in {pilot}, got "
                f"none; it has {', '.join(close) or 'none at all of these'}"
            )


def _build_lines(plans: Sequence[TrialKey], samples: Samples) -> tuple[Line, ...]:
    counts: dict[tuple[str, str], int] = {}
    for key in plans:
        counts[key.suite, key.strategy] = counts.get((key.suite, key.strategy), 0) + 1
    return tuple(
        fill_line(Line(*place, trials, len(samples.get(place, ()))), samples.get(place, ()))
        for place, trials in counts.items()
    )
