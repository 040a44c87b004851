"""The lines of a forecast: what a few trials took, scaled to the plan, with bounds. Knows numbers; plays nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bench.runner.forecast_sample import Sample, Spent
from bench.stats.interval import seed_of

__all__ = ["EVALUATE", "GATHER", "LEARN", "Line", "Span", "fill_line", "scale_line"]

EVALUATE, GATHER, LEARN = "evaluate", "gather", "learn"
"""The phases of a run: what is gathered and learned comes before the evaluation."""
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
    """One strategy on one suite, in one phase. None = unknown."""

    suite: str
    strategy: str
    trials: int
    """Planned: tasks times seeds; gathered tasks times rounds; trials that are learned from."""
    sampled: int
    """Trials that the numbers rest on."""
    calls: Span | None = None
    prompt_tokens: Span | None = None
    completion_tokens: Span | None = None
    cost_usd: Span | None = None
    phase: str = EVALUATE


def fill_line(line: Line, samples: Sequence[Sample]) -> Line:
    """Return a line with what its trials take; ``samples`` are of single trials. Unchanged without any.

    Low and high are a bootstrap interval over the samples, high that of the samples at their longest.
    """
    seed = seed_of("forecast", line.suite, line.strategy, *([] if line.phase == EVALUATE else [line.phase]))

    def span(of: Callable[[Spent], float]) -> Span:
        likely = _scale([of(s.likely) for s in samples], line.trials, seed)
        longest = _scale([of(s.longest) for s in samples], line.trials, seed)
        return Span(likely.low, likely.likely, max(longest.high, likely.high))

    return _fill(line, samples, span) if samples else line


def scale_line(line: Line, sample: Sample) -> Line:
    """Return a line with what one call of a learner takes, in proportion to the trials that it was made about.

    Low is likely: a single observation has no interval.
    """
    factor = line.trials / line.sampled

    def span(of: Callable[[Spent], float]) -> Span:
        likely, longest = of(sample.likely) * factor, of(sample.longest) * factor
        return Span(likely, likely, max(likely, longest))

    return _fill(line, [sample], span)


def _fill(line: Line, samples: Sequence[Sample], span: Callable[[Callable[[Spent], float]], Span]) -> Line:
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
