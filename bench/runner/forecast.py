"""What a run will take, estimated from a few trials before it is paid for: calls, tokens and dollars of each strategy.

The trials come from the offline model, which plays a sample of the tasks for nothing, or from a pilot run of the real
one; so do gathering and learning. Sums over the sample are scaled to the whole plan; what the sample leaves open is a
bootstrap interval, and what the offline model cannot know (how long a real model's episodes and replies are) is carried
to the caps. Knows no price: it is given functions. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.config import RunConfig
from bench.errors import UsageError, nearest
from bench.registry import OFFLINE_READER
from bench.runner.build import RunContext
from bench.runner.forecast_learning import learn_offline, learn_stream_offline, read_learning
from bench.runner.forecast_lines import Line, Span, fill_line
from bench.runner.forecast_notes import (
    LEARNING_NOTES,
    OFFLINE_NOTES,
    PAID_EMBEDDER,
    PILOT_NOTES,
    STREAM_NOTES,
    describe_differences,
    describe_missing,
    write_cost_notes,
)
from bench.runner.forecast_play import OfflinePlayer, Played, open_offline
from bench.runner.forecast_sample import Prices, Sample, add_up
from bench.runner.resolve import resolve_run
from bench.runner.tasks import sample
from bench.store.read import read_trials
from bench.types import Status, TrialKey

__all__ = ["Forecast", "Line", "Span", "from_offline", "from_pilot"]

Samples = Mapping[tuple[str, str], Sequence[Sample]]
"""What single trials took, by suite and strategy."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """All lines of a plan, what they rest on, and what has to be known to read them."""

    model: str
    basis: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def from_offline(config: RunConfig, root: Path, tasks: int, prices: Prices) -> Forecast:
    """Forecast a run from what the offline model does on ``tasks`` tasks of each suite, and on as many training tasks.

    Raises: UsageError for whatever the run itself would refuse, keys and model names excepted.
    """
    context = _build_offline(config, root)
    try:
        plans = [plan.key for plan in context.plans]
        player = OfflinePlayer(context, config.model, prices)
        learning = learn_offline(player, tasks)
        context.use((*context.run.artifacts, *learning.artifacts))
        played = _play_sample(player, tasks)
        if config.stream:
            trials = {place: [trial for one in ones for trial in one.trials] for place, ones in played.items()}
            learning = learn_stream_offline(player, trials)
    finally:
        context.close()
    failed = {name: one.error for (_, name), ones in played.items() for one in ones if one.error} | learning.failed
    samples = {place: [one.sample for one in ones if one.sample] for place, ones in played.items()}
    basis = f"the offline model's counts on {tasks} tasks of each suite, scaled to the plan"
    notes = (*OFFLINE_NOTES, *(f"{name}: left out trials that failed offline: {why}" for name, why in failed.items()))
    if learning.lines:
        notes += STREAM_NOTES if config.stream else LEARNING_NOTES
    lines = (*learning.lines, *_build_lines(plans, samples))
    notes += write_cost_notes(config, _list_models(context, config) - set(prices))
    return Forecast(config.model, basis, lines, notes)


def _play_sample(player: OfflinePlayer, tasks: int) -> dict[tuple[str, str], list[Played]]:
    """Play first attempts at some tasks of each suite with every strategy."""
    context = player.context
    chosen = {label: {t.id for t in sample(list(b.tasks.values()), tasks)} for label, b in context.suites.items()}
    played: dict[tuple[str, str], list[Played]] = {}
    for plan in context.plans:
        key = plan.key
        if key.seed == context.config.seeds[0] and key.task in chosen[key.suite]:
            played.setdefault((key.suite, key.strategy), []).append(player.play_trial(plan))
    return played


def from_pilot(config: RunConfig, root: Path, pilot: Path, prices: Prices) -> Forecast:
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
                    done = add_up(trial.calls, prices)
                    played.setdefault((key.suite, key.strategy), []).append(Sample(done, done))
        _require_trials(plans, played, config.model, pilot)
        learning = read_learning(context, pilot, config.model, prices)
    finally:
        context.close()
    basis = f"the pilot run {pilot} with {config.model}, scaled to the plan"
    missing = [f"{line.phase} {line.strategy}" for line in learning.lines if line.calls is None]
    notes = PILOT_NOTES + describe_differences(pilot, config) + describe_missing(missing)
    notes += write_cost_notes(config, _list_models(context, config) - set(prices))
    return Forecast(config.model, basis, (*learning.lines, *_build_lines(plans, played)), notes)


def _list_models(context: RunContext, config: RunConfig) -> set[str]:
    """Return the models of the real run."""
    return {config.model, *(name for one in context.strategies.values() for name in one.params.role_models.values())}


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
    if config.embedder.startswith(PAID_EMBEDDER):
        changed["embedder"] = "hash"
    return open_offline(resolve_run(config.model_copy(update=changed), root))


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
