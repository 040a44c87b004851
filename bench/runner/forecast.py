"""What a run will take, estimated from a few trials before it is paid for: calls, tokens and dollars of each strategy.

The trials come from the offline model, which plays a sample of the tasks for nothing, or from a pilot run of the real
one. Sums over the sample are scaled to the whole plan; what the sample leaves open is a bootstrap interval, and what
the offline model cannot know (how long a real model's episodes and replies are) is carried to the caps. Knows no price:
it is given functions. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.config import RunConfig
from bench.errors import UsageError, nearest
from bench.models.options import ModelOptions
from bench.registry import OFFLINE_READER
from bench.runner.build import RunContext, sample
from bench.runner.forecast_notes import (
    OFFLINE_NOTES,
    PAID_EMBEDDER,
    PILOT_NOTES,
    describe_differences,
    write_cost_notes,
)
from bench.runner.forecast_sample import Prices, Sample, Spent, add_up, stand_in, stretch
from bench.runner.parts import Job
from bench.runner.resolve import ModelChoice, resolve_run
from bench.runner.simulate import simulate
from bench.stats.interval import seed_of
from bench.store.read import read_trials
from bench.types import Call, Shape, Status, TrialKey

__all__ = ["Forecast", "Line", "Span", "from_offline", "from_pilot"]

_DRAWS = 2000
_TAIL = 2.5
"""Percent left out on each side of an interval."""


@dataclass(frozen=True, slots=True)
class Span:
    """An estimate with its lower and upper bound."""

    low: float
    likely: float
    high: float

    def plus(self, other: Span) -> Span:
        return Span(self.low + other.low, self.likely + other.likely, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Line:
    """One strategy on one suite. None = unknown."""

    suite: str
    strategy: str
    trials: int
    """Planned: tasks times seeds."""
    sampled: int
    """Trials that the numbers rest on."""
    calls: Span | None = None
    prompt_tokens: Span | None = None
    completion_tokens: Span | None = None
    cost_usd: Span | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """All lines of a plan, what they rest on, and what has to be known to read them."""

    model: str
    basis: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


class _NoRecorder:
    """The recorder of a forecast: calls are not stored."""

    def commit_call(self, key: TrialKey, call: Call) -> None:
        pass

    def supersede(self, key: TrialKey) -> None:
        pass


def from_offline(config: RunConfig, root: Path, tasks: int, prices: Prices) -> Forecast:
    """Forecast a run from what the offline model does on ``tasks`` tasks of each suite.

    Raises: UsageError for whatever the run itself would refuse, keys and model names excepted.
    """
    context = _build_offline(config, root)
    try:
        plans = [plan.key for plan in context.plans]
        chosen = {label: {t.id for t in sample(list(b.tasks.values()), tasks)} for label, b in context.suites.items()}
        played: dict[tuple[str, str], list[Sample]] = {}
        failed: dict[str, str] = {}
        for key in plans:
            if key.seed != config.seeds[0] or key.task not in chosen[key.suite]:
                continue
            parts = context.build_parts(key)
            room: list[int | None] = []
            job = Job(key, context.suites[key.suite].tasks[key.task])
            trial = simulate(job, stand_in(parts, config.model, room), _NoRecorder())
            samples = played.setdefault((key.suite, key.strategy), [])
            if trial.status is Status.DONE:
                cap = parts.limits.step_cap if parts.shape is Shape.EPISODE else 0
                samples.append(Sample(add_up(trial.calls, prices), stretch(trial, room, cap, prices)))
            else:
                failed.setdefault(key.strategy, trial.error)
    finally:
        context.close()
    basis = f"the offline model's counts on {tasks} tasks of each suite, scaled to the plan"
    notes = (*OFFLINE_NOTES, *(f"{name}: left out trials that failed offline: {why}" for name, why in failed.items()))
    return Forecast(
        config.model,
        basis,
        _build_lines(plans, played, stretched=True),
        notes + write_cost_notes(config, _list_models(context, config) - set(prices)),
    )


def _list_models(context: RunContext, config: RunConfig) -> set[str]:
    """Return the models of the real run."""
    return {config.model, *(name for one in context.strategies.values() for name in one.params.role_models.values())}


def from_pilot(config: RunConfig, root: Path, pilot: Path, prices: Prices) -> Forecast:
    """Forecast a run from a finished or half-finished run of the same model on some of its tasks.

    Raises: UsageError if the pilot lacks a strategy of the plan; StoreError.
    """
    context = _build_offline(config, root)
    try:
        plans = [plan.key for plan in context.plans]
        shapes = {label: built.shape for label, built in context.suites.items()}
    finally:
        context.close()
    played: dict[tuple[str, str], list[Sample]] = {}
    for shape in sorted(set(shapes.values())):
        for trial in read_trials(pilot, shape):
            key = trial.key
            if shapes.get(key.suite) is shape and key.model == config.model and trial.status is Status.DONE:
                done = add_up(trial.calls, prices)
                played.setdefault((key.suite, key.strategy), []).append(Sample(done, done))
    _require_trials(plans, played, config.model, pilot)
    basis = f"the pilot run {pilot} with {config.model}, scaled to the plan"
    notes = (
        PILOT_NOTES
        + describe_differences(pilot, config)
        + write_cost_notes(config, _list_models(context, config) - set(prices))
    )
    return Forecast(config.model, basis, _build_lines(plans, played, stretched=False), notes)


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
    run = resolve_run(config.model_copy(update=changed), root)
    return RunContext(
        replace(run, role_models={name: ModelChoice(OFFLINE_READER, ModelOptions()) for name in run.role_models})
    )


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


def _build_lines(
    plans: Sequence[TrialKey], played: Mapping[tuple[str, str], Sequence[Sample]], *, stretched: bool
) -> tuple[Line, ...]:
    counts: dict[tuple[str, str], int] = {}
    for key in plans:
        counts[key.suite, key.strategy] = counts.get((key.suite, key.strategy), 0) + 1
    return tuple(
        _build_line(suite, strategy, trials, played.get((suite, strategy), ()), stretched=stretched)
        for (suite, strategy), trials in counts.items()
    )


def _build_line(suite: str, strategy: str, trials: int, samples: Sequence[Sample], *, stretched: bool) -> Line:
    line = Line(suite, strategy, trials, len(samples))
    if not samples:
        return line
    seed = seed_of("forecast", suite, strategy)

    def span(of: Callable[[Spent], float]) -> Span:
        likely = _scale([of(s.likely) for s in samples], trials, seed)
        longest = _scale([of(s.longest) for s in samples], trials, seed) if stretched else likely
        return Span(likely.low, likely.likely, max(longest.high, likely.high))

    priced = all(s.likely.cost is not None and s.longest.cost is not None for s in samples)
    return replace(
        line,
        calls=span(lambda s: s.calls),
        prompt_tokens=span(lambda s: s.prompt),
        completion_tokens=span(lambda s: s.completion),
        cost_usd=span(lambda s: s.cost or 0.0) if priced else None,
    )


def _scale(values: Sequence[float], trials: int, seed: int) -> Span:
    """Return the total over ``trials`` trials of which these were seen: the rest is as they were on average."""
    seen: npt.NDArray[np.float64] = np.asarray(values[:trials], dtype=np.float64)
    rest = max(0, trials - len(seen))
    total = float(seen.sum())
    rng = np.random.default_rng(seed)
    means = rng.choice(seen, (_DRAWS, len(seen))).mean(axis=1)
    low, high = np.percentile(total + rest * means, [_TAIL, 100 - _TAIL])
    return Span(float(low), total + rest * float(seen.mean()), float(high))
