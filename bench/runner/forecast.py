"""What a run will take, told before it is paid for: calls, tokens and dollars for each strategy, from a few trials.

The trials come from the offline model, which plays a sample of the tasks for nothing, or from a pilot run of the real
one. Sums over the sample are scaled to the whole plan; what the sample leaves open is a bootstrap interval, and what
the offline model cannot know (how long a real model's episodes and replies are) is carried to the caps. Knows no price:
it is given a function. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.config import RUN_FILE, RunConfig, difference, read_config
from bench.errors import UsageError, nearest
from bench.protocols import Model
from bench.registry import OFFLINE_READER
from bench.runner.build import RunContext, build_run, sample
from bench.runner.simulate import Job, simulate
from bench.stats.interval import seed_of
from bench.store.read import read_trials
from bench.types import (
    Call,
    CallStatus,
    Message,
    Phase,
    Reply,
    Role,
    Shape,
    Status,
    Trial,
    TrialKey,
    Usage,
    UsageSource,
)

__all__ = ["Forecast", "Line", "PriceOf", "Span", "from_offline", "from_pilot"]

PriceOf = Callable[[Usage], float | None]
"""Dollars of one call, None if its price is unknown."""

_PARTIAL = ("suites", "strategies", "limit", "seeds")
"""Fields in which a pilot is a part of the run."""
_PAID_EMBEDDER = "litellm/"
_DRAWS = 2000
_TAIL = 2.5
"""Percent left out on each side of an interval."""
_FIT_FROM = 4
"""Steps from which a line can be laid through a prompt's growth; below, the longest prompt is taken."""


@dataclass(frozen=True, slots=True)
class Span:
    """A number with what it may come down and up to."""

    low: float
    likely: float
    high: float

    def plus(self, other: Span) -> Span:
        return Span(self.low + other.low, self.likely + other.likely, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Line:
    """One strategy on one suite. None = cannot be told."""

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


@dataclass(frozen=True, slots=True)
class _Sum:
    """What one trial took."""

    calls: float = 0.0
    prompt: float = 0.0
    completion: float = 0.0
    cost: float | None = 0.0

    def plus(self, other: _Sum) -> _Sum:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return _Sum(self.calls + other.calls, self.prompt + other.prompt, self.completion + other.completion, cost)


@dataclass(frozen=True, slots=True)
class _Sample:
    """One trial as it was, and as it would be at its longest."""

    likely: _Sum
    longest: _Sum


class _Longest:
    """The model of an offline trial, with how long each reply may be."""

    def __init__(self, model: Model):
        self._model = model
        self.name = model.name
        self.room: list[int | None] = []
        """The most tokens of each reply, in the order of the calls; None = no limit was sent."""

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = self._model.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        self.room.append(max_tokens)
        return reply


class _Nowhere:
    """Where the calls of a forecast go."""

    def commit_call(self, key: TrialKey, call: Call) -> None:
        pass

    def supersede(self, key: TrialKey) -> None:
        pass


def from_offline(config: RunConfig, root: Path, tasks: int, price: PriceOf | None) -> Forecast:
    """Forecast a run from what the offline model does on ``tasks`` tasks of each suite.

    Raises: UsageError for whatever the run itself would refuse, keys and model names excepted.
    """
    bench = _offline(config, root)
    try:
        plans = [plan.key for plan in bench.plans]
        chosen = {label: {t.id for t in sample(list(b.tasks.values()), tasks)} for label, b in bench.suites.items()}
        played: dict[tuple[str, str], list[_Sample]] = {}
        failed: dict[str, str] = {}
        for key in plans:
            if key.seed != config.seeds[0] or key.task not in chosen[key.suite]:
                continue
            parts = bench.build_parts(key)
            heard = _Longest(parts.model)
            trial = simulate(Job(key, bench.suites[key.suite].tasks[key.task]), replace(parts, model=heard), _Nowhere())
            mine = played.setdefault((key.suite, key.strategy), [])
            if trial.status is Status.DONE:
                cap = parts.limits.step_cap if parts.shape is Shape.EPISODE else 0
                mine.append(_Sample(_sum(trial.calls, price), _stretched(trial, heard.room, cap, price)))
            else:
                failed.setdefault(key.strategy, trial.error)
    finally:
        bench.close()
    basis = f"the offline model's counts on {tasks} tasks of each suite, scaled to the plan"
    notes = (*_OFFLINE_NOTES, *(f"{name}: left out trials that failed offline: {why}" for name, why in failed.items()))
    return Forecast(config.model, basis, _lines(plans, played, stretched=True), notes + _cost_notes(config, price))


def from_pilot(config: RunConfig, root: Path, pilot: Path, price: PriceOf | None) -> Forecast:
    """Forecast a run from a finished or half-finished run of the same model on some of its tasks.

    Raises: UsageError if the pilot lacks a row of the plan; StoreError.
    """
    bench = _offline(config, root)
    try:
        plans = [plan.key for plan in bench.plans]
        shapes = {label: built.shape for label, built in bench.suites.items()}
    finally:
        bench.close()
    played: dict[tuple[str, str], list[_Sample]] = {}
    for shape in sorted(set(shapes.values())):
        for trial in read_trials(pilot, shape):
            key = trial.key
            if shapes.get(key.suite) is shape and key.model == config.model and trial.status is Status.DONE:
                done = _sum(trial.calls, price)
                played.setdefault((key.suite, key.strategy), []).append(_Sample(done, done))
    _refuse_missing(plans, played, config.model, pilot)
    basis = f"the pilot run {pilot} with {config.model}, scaled to the plan"
    notes = _PILOT_NOTES + _unlike(pilot, config) + _cost_notes(config, price)
    return Forecast(config.model, basis, _lines(plans, played, stretched=False), notes)


_OFFLINE_NOTES = (
    "low: 95 % bootstrap bound over the sampled tasks. likely: their mean, scaled. high: every episode runs to its "
    "step cap with prompts growing as they did, and every reply fills its max_tokens; the upper bound of that.",
    "The offline model solves what its context allows in few steps and answers in one short line: expect a real model "
    "between likely and high. Thinking tokens come on top of both.",
    "Tokens are counted by the built-in tokenizer; a model's own count differs by some tenths either way.",
)
_PILOT_NOTES = (
    "likely: the pilot's mean per trial, scaled. low, high: 95 % bootstrap interval over its trials; trials without a "
    "score are left out, retries are in the cost only.",
)


def _unlike(pilot: Path, config: RunConfig) -> tuple[str, ...]:
    """Say where the pilot asked something else than the run will."""
    changed = [line for line in difference(read_config(pilot / RUN_FILE), config) if line.split(":")[0] not in _PARTIAL]
    return (f"The pilot was made otherwise: {'; '.join(changed)}.",) if changed else ()


def _cost_notes(config: RunConfig, price: PriceOf | None) -> tuple[str, ...]:
    paid = config.embedder.startswith(_PAID_EMBEDDER)
    embedding: tuple[str, ...] = (f"Embedding calls of {config.embedder} are not in these numbers.",) if paid else ()
    if config.judge:
        embedding += (f"The calls of the judge {config.judge}, one a question, are not in these numbers.",)
    if price is None:
        return (*embedding, "US$: price unknown; give one with --endpoint FILE ([prices]), or a pilot that knows it.")
    return (*embedding, "US$: at list price; a provider's discount for cached prompts is not counted ahead.")


def _offline(config: RunConfig, root: Path) -> RunContext:
    """Return the objects of the run with the offline model in the place of the real one: no key is needed."""
    changed = {"model": OFFLINE_READER, "base_url": "", "endpoint": "", "cache": "off", "judge": ""}
    if config.embedder.startswith(_PAID_EMBEDDER):
        changed["embedder"] = "hash"
    return build_run(config.model_copy(update=changed), root)


def _refuse_missing(
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


def _sum(calls: Sequence[Call], price: PriceOf | None) -> _Sum:
    """Return what the chat calls of a trial took: tokens of those that gave a reply, money of all."""
    total = _Sum()
    for call in calls:
        if call.role == Role.EMBED or call.phase is Phase.JUDGE:
            continue
        if call.status != CallStatus.OK:
            total = total.plus(_Sum(cost=call.cost_usd or 0.0))
            continue
        total = total.plus(_Sum(1.0, call.usage.prompt or 0.0, call.usage.completion or 0.0, _cost(call, price)))
    return total


def _cost(call: Call, price: PriceOf | None) -> float | None:
    if price is not None:
        return price(call.usage)
    # Without a price, what was paid is the best witness, unless it was a replay, which costs nothing now.
    free = call.usage.source in (UsageSource.REPLAY, UsageSource.OFFLINE)
    return None if free else call.cost_usd


def _stretched(trial: Trial, room: Sequence[int | None], cap: int, price: PriceOf | None) -> _Sum:
    """Return what a trial would take if each reply were as long as it may be and the episode ran to ``cap`` steps."""
    chats = [call for call in trial.calls if call.role != Role.EMBED and call.status == CallStatus.OK]
    longest = [
        replace(call, usage=replace(call.usage, completion=max(call.usage.completion or 0, most or 0)))
        for call, most in zip(chats, room, strict=False)
    ]
    total = _sum(longest, price)
    steps = len(trial.steps)
    acting = [call for call in longest if call.step]
    if not cap or steps >= cap or not acting or not steps:
        return total
    per_step = len(acting) / steps
    completion = sum(call.usage.completion or 0 for call in acting) / len(acting)
    for prompt in _growing([float(call.usage.prompt or 0) for call in acting], per_step, cap - steps):
        usage = Usage(prompt=round(prompt), completion=round(completion))
        cost = price(usage) if price else None
        total = total.plus(
            _Sum(per_step, per_step * prompt, per_step * completion, None if cost is None else per_step * cost)
        )
    return total


def _growing(prompts: Sequence[float], per_step: float, more: int) -> list[float]:
    """Return the prompt lengths of ``more`` further steps: along a line through those seen, never shrinking."""
    longest = max(prompts)
    if len(prompts) < _FIT_FROM:
        return [longest] * more
    at = np.arange(1, len(prompts) + 1) / per_step
    slope, start = np.polyfit(at, np.asarray(prompts), 1)
    last = len(prompts) / per_step
    slope = max(0.0, float(slope))
    return [max(float(np.mean(prompts)), float(start) + slope * (last + i)) for i in range(1, more + 1)]


def _lines(
    plans: Sequence[TrialKey], played: Mapping[tuple[str, str], Sequence[_Sample]], *, stretched: bool
) -> tuple[Line, ...]:
    counts: dict[tuple[str, str], int] = {}
    for key in plans:
        counts[key.suite, key.strategy] = counts.get((key.suite, key.strategy), 0) + 1
    return tuple(
        _line(suite, strategy, trials, played.get((suite, strategy), ()), stretched=stretched)
        for (suite, strategy), trials in counts.items()
    )


def _line(suite: str, strategy: str, trials: int, samples: Sequence[_Sample], *, stretched: bool) -> Line:
    line = Line(suite, strategy, trials, len(samples))
    if not samples:
        return line
    seed = seed_of("forecast", suite, strategy)

    def span(of: Callable[[_Sum], float]) -> Span:
        likely = _scaled([of(s.likely) for s in samples], trials, seed)
        longest = _scaled([of(s.longest) for s in samples], trials, seed) if stretched else likely
        return Span(likely.low, likely.likely, max(longest.high, likely.high))

    priced = all(s.likely.cost is not None and s.longest.cost is not None for s in samples)
    return replace(
        line,
        calls=span(lambda s: s.calls),
        prompt_tokens=span(lambda s: s.prompt),
        completion_tokens=span(lambda s: s.completion),
        cost_usd=span(lambda s: s.cost or 0.0) if priced else None,
    )


def _scaled(values: Sequence[float], trials: int, seed: int) -> Span:
    """Return the total over ``trials`` trials of which these were seen: the rest is as they were on average."""
    seen: npt.NDArray[np.float64] = np.asarray(values[:trials], dtype=np.float64)
    rest = max(0, trials - len(seen))
    total = float(seen.sum())
    rng = np.random.default_rng(seed)
    means = rng.choice(seen, (_DRAWS, len(seen))).mean(axis=1)
    low, high = np.percentile(total + rest * means, [_TAIL, 100 - _TAIL])
    return Span(float(low), total + rest * float(seen.mean()), float(high))
