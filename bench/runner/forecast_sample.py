"""What one trial of a forecast took, and what it would take at its longest. Knows calls and a price function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.protocols import Model
from bench.runner.parts import Parts, RoleModel
from bench.types import Call, CallStatus, Message, Phase, Reply, Role, Trial, Usage, UsageSource

__all__ = [
    "PriceOf",
    "Prices",
    "Sample",
    "Spent",
    "add_up",
    "extend_prompts",
    "fill_replies",
    "stand_in",
    "stretch",
]

PriceOf = Callable[[Usage], float | None]
"""Dollars of one call, None if its tokens were not counted."""

Prices = Mapping[str, PriceOf]
"""By model; one that is missing has no known price."""

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


class _LimitRecorder:
    """A model of an offline trial, with how long each reply may be."""

    def __init__(self, model: Model, name: str, max_tokens: list[int | None]):
        """``name``: of the model that it stands in for. ``max_tokens`` gets the most tokens of each reply, in the order
        of the calls of all models of a trial; None = no limit was sent."""
        self._model, self.name, self._max_tokens = model, name, max_tokens

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = self._model.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        self._max_tokens.append(max_tokens)
        return reply


def stand_in(parts: Parts, model: str, room: list[int | None]) -> Parts:
    """Return the parts of an offline trial, its models under the names of the real ones. ``room`` gets the limit of
    each reply."""
    names = parts.params.role_models
    others = {role: RoleModel(_LimitRecorder(one.model, names[role], room)) for role, one in parts.role_models.items()}
    return replace(parts, model=_LimitRecorder(parts.model, model, room), role_models=others)


def add_up(calls: Sequence[Call], prices: Prices) -> Spent:
    """Return what the chat calls of a trial took: tokens of those that gave a reply, money of all."""
    total = Spent()
    for call in calls:
        if call.role == Role.EMBED or call.phase is Phase.JUDGE:
            continue
        if call.status != CallStatus.OK:
            total = total.plus(Spent(cost=call.cost_usd or 0.0))
            continue
        total = total.plus(
            Spent(1.0, call.usage.prompt or 0.0, call.usage.completion or 0.0, _price_call(call, prices))
        )
    return total


def _price_call(call: Call, prices: Prices) -> float | None:
    if price := prices.get(call.model):
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


def stretch(trial: Trial, room: Sequence[int | None], cap: int, prices: Prices) -> Spent:
    """Return what a trial would take if each reply were as long as it may be and the episode ran to ``cap`` steps."""
    longest = fill_replies(trial.calls, room)
    total = add_up(longest, prices)
    steps = sum(step.counts for step in trial.steps)
    acting = [call for call in longest if call.step]
    if not cap or steps >= cap or not steps:
        return total
    for model in dict.fromkeys(call.model for call in acting):
        total = total.plus(_extend([call for call in acting if call.model == model], steps, cap - steps, prices))
    return total


def _extend(calls: Sequence[Call], steps: int, more: int, prices: Prices) -> Spent:
    """Return what the calls of one model would take in ``more`` further steps."""
    total, price = Spent(), prices.get(calls[0].model)
    per_step = len(calls) / steps
    completion = sum(call.usage.completion or 0 for call in calls) / len(calls)
    for prompt in extend_prompts([float(call.usage.prompt or 0) for call in calls], per_step, more):
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
