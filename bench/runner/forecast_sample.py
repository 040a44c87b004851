"""What one trial of a forecast took, and what it would take at its longest. Knows calls and a price function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.protocols import Model
from bench.types import Call, CallStatus, Message, Phase, Reply, Role, Trial, Usage, UsageSource

__all__ = ["LimitRecorder", "PriceOf", "Sample", "Spent", "add_up", "extend_prompts", "fill_replies", "stretch"]

PriceOf = Callable[[Usage], float | None]
"""Dollars of one call, None if its price is unknown."""

_FIT_FROM = 4
"""Steps from which a line can be laid through a prompt's growth; below, the longest prompt is taken."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one trial took."""

    calls: float = 0.0
    prompt: float = 0.0
    completion: float = 0.0
    cost: float | None = 0.0

    def plus(self, other: Spent) -> Spent:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Spent(self.calls + other.calls, self.prompt + other.prompt, self.completion + other.completion, cost)

    def times(self, factor: float) -> Spent:
        cost = None if self.cost is None else self.cost * factor
        return Spent(self.calls * factor, self.prompt * factor, self.completion * factor, cost)


@dataclass(frozen=True, slots=True)
class Sample:
    """One trial as it was, and as it would be at its longest."""

    likely: Spent
    longest: Spent


class LimitRecorder:
    """The model of an offline trial, with how long each reply may be."""

    def __init__(self, model: Model):
        self._model = model
        self.name = model.name
        self.max_tokens: list[int | None] = []
        """The most tokens of each reply, in the order of the calls; None = no limit was sent."""

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = self._model.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        self.max_tokens.append(max_tokens)
        return reply


def add_up(calls: Sequence[Call], price: PriceOf | None) -> Spent:
    """Return what the chat calls of a trial took: tokens of those that gave a reply, money of all."""
    total = Spent()
    for call in calls:
        if call.role == Role.EMBED or call.phase is Phase.JUDGE:
            continue
        if call.status != CallStatus.OK:
            total = total.plus(Spent(cost=call.cost_usd or 0.0))
            continue
        total = total.plus(Spent(1.0, call.usage.prompt or 0.0, call.usage.completion or 0.0, _price_call(call, price)))
    return total


def _price_call(call: Call, price: PriceOf | None) -> float | None:
    if price is not None:
        return price(call.usage)
    # Without a price, what was paid is the best estimate, unless it was a replay, which costs nothing now.
    free = call.usage.source in (UsageSource.REPLAY, UsageSource.OFFLINE)
    return None if free else call.cost_usd


def fill_replies(calls: Sequence[Call], room: Sequence[int | None]) -> list[Call]:
    """Return the chat calls with replies as long as they may be."""
    chats = [call for call in calls if call.role != Role.EMBED and call.status == CallStatus.OK]
    return [
        replace(call, usage=replace(call.usage, completion=max(call.usage.completion or 0, most or 0)))
        for call, most in zip(chats, room, strict=False)
    ]


def stretch(trial: Trial, room: Sequence[int | None], cap: int, price: PriceOf | None) -> Spent:
    """Return what a trial would take if each reply were as long as it may be and the episode ran to ``cap`` steps."""
    longest = fill_replies(trial.calls, room)
    total = add_up(longest, price)
    steps = sum(step.counts for step in trial.steps)
    acting = [call for call in longest if call.step]
    if not cap or steps >= cap or not acting or not steps:
        return total
    per_step = len(acting) / steps
    completion = sum(call.usage.completion or 0 for call in acting) / len(acting)
    for prompt in extend_prompts([float(call.usage.prompt or 0) for call in acting], per_step, cap - steps):
        usage = Usage(prompt=round(prompt), completion=round(completion))
        cost = price(usage) if price else None
        total = total.plus(
            Spent(per_step, per_step * prompt, per_step * completion, None if cost is None else per_step * cost)
        )
    return total


def extend_prompts(prompts: Sequence[float], per_step: float, more: int) -> list[float]:
    """Return the prompt lengths of ``more`` further steps: along a line through those seen, never shrinking."""
    longest = max(prompts)
    if len(prompts) < _FIT_FROM:
        return [longest] * more
    at = np.arange(1, len(prompts) + 1) / per_step
    slope, start = np.polyfit(at, np.asarray(prompts), 1)
    last = len(prompts) / per_step
    slope = max(0.0, float(slope))
    return [max(float(np.mean(prompts)), float(start) + slope * (last + i)) for i in range(1, more + 1)]
