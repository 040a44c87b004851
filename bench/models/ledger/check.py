"""What a model hands back, checked before it is booked: a number that cannot be true is not reported, and never 0.

A count must be a whole number from 0 to ``MOST_TOKENS``, a cost a finite number from 0 to a million US dollars. What is
no reply at all is the model's failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real

from bench.types import MOST_TOKENS, Attempt, Reply, Usage, UsageSource

__all__ = ["check_attempts", "check_reply"]

_MOST_USD = 1e6
_MOST_S = 1e9


def check_reply(found: object) -> Reply:
    """Return a model's reply with nothing in it that cannot be true. Raises: TypeError if it is none."""
    if not isinstance(found, Reply):
        raise TypeError(f"expected a Reply, got {type(found).__name__}")
    for name in ("text", "finish", "price_date"):
        if not isinstance(value := getattr(found, name), str):
            raise TypeError(f"expected a Reply whose {name} is a text, got {type(value).__name__}")
    return replace(
        found,
        usage=_check_usage(found.usage),
        cost_usd=_check_number(found.cost_usd, _MOST_USD),
        attempts=check_attempts(found.attempts),
    )


def check_attempts(found: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """Return failed tries with nothing in them that cannot be true."""
    return tuple(
        replace(
            one,
            usage=_check_usage(one.usage),
            cost_usd=_check_number(one.cost_usd, _MOST_USD),
            latency_s=_check_number(one.latency_s, _MOST_S) or 0.0,
        )
        for one in found
    )


def _check_usage(found: object) -> Usage:
    if not isinstance(found, Usage) or not isinstance(found.source, UsageSource):
        return Usage()
    counts = (found.prompt, found.cached_read, found.cache_write, found.completion, found.reasoning)
    prompt, cached_read, cache_write, completion, reasoning = map(_check_count, counts)
    return Usage(prompt, cached_read, cache_write, completion, reasoning, found.source)


def _check_count(value: object) -> int | None:
    if not isinstance(value, Integral) or isinstance(value, bool):
        return None
    return int(value) if 0 <= int(value) <= MOST_TOKENS else None


def _check_number(value: object, most: float) -> float | None:
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if 0 <= number <= most else None  # NaN is in no range
