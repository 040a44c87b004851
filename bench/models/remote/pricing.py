"""What a call costs, from its token counts and a dated price; computed here, since libraries mis-price cached tokens.

Prices come from the endpoint file, else from the table that the installed litellm ships; the date is then the name of
that version. An unknown price is an unknown cost, never 0. Prices of priority, batch and flex tiers, of images and of
searches are not known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.models.litellm_catalog import Facts, find_entry, litellm_version
from bench.models.remote.endpoint_config import Prices
from bench.types import Usage

__all__ = ["Price", "Tier", "find_shipped_price", "to_price"]

_MILLION = 1_000_000
_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


@dataclass(frozen=True, slots=True)
class Tier:
    """Dollars per million tokens, for prompts of more than ``above`` tokens."""

    input: float
    output: float
    cached_read: float
    cache_write: float
    reasoning: float
    above: int = 0

    def cost_usd(self, prompt: int, completion: int, usage: Usage) -> float:
        """Return US dollars for one call."""
        read, written, thought = usage.cached_read or 0, usage.cache_write or 0, usage.reasoning or 0
        plain, shown = max(0, prompt - read - written), max(0, completion - thought)
        dollars = plain * self.input + read * self.cached_read + written * self.cache_write
        return (dollars + shown * self.output + thought * self.reasoning) / _MILLION


@dataclass(frozen=True, slots=True)
class Price:
    """What a model's tokens cost; the tier is chosen by the length of the prompt."""

    date: str
    tiers: tuple[Tier, ...]
    """By ``above``, from 0 upward."""

    def cost_usd(self, usage: Usage) -> float | None:
        """Return US dollars for one call, None if its token counts were not reported."""
        if usage.prompt is None or usage.completion is None:
            return None
        tier = [t for t in self.tiers if t.above == 0 or usage.prompt > t.above][-1]
        return tier.cost_usd(usage.prompt, usage.completion, usage)


def to_price(given: Prices) -> Price:
    """Return the price that an endpoint file states."""
    read = given.input if given.cached_read is None else given.cached_read
    written = given.input if given.cache_write is None else given.cache_write
    return Price(given.date.isoformat(), (Tier(given.input, given.output, read, written, given.output),))


def find_shipped_price(name: str) -> Price | None:
    """Return the price in the table of the installed litellm, None if it has none for this model."""
    facts = find_entry(name)
    if facts is None or _read_per_million(facts, "input_cost_per_token") is None:
        return None
    bounds = sorted(int(found[1]) for key in facts if (found := _ABOVE.fullmatch(key)))
    tiers = (_read_tier(facts, ""), *(_read_tier(facts, f"_above_{k}k_tokens", 1000 * k) for k in bounds))
    return Price(f"litellm-{litellm_version()}", tiers)


def _read_tier(facts: Facts, suffix: str, above: int = 0) -> Tier:
    """Build one tier. A price that it lacks is the base tier's; cached tokens without a price cost as input."""

    def read(key: str, default: float) -> float:
        found = _read_per_million(facts, key + suffix)
        return found if found is not None else default

    base = Tier(0, 0, 0, 0, 0) if not above else _read_tier(facts, "")
    input_ = read("input_cost_per_token", base.input)
    output = read("output_cost_per_token", base.output)
    cached_read = read("cache_read_input_token_cost", input_ if not above else base.cached_read)
    # Some entries say 0 where they mean that writing costs nothing extra.
    cache_write = read("cache_creation_input_token_cost", input_) or input_
    return Tier(input_, output, cached_read, cache_write, read("output_cost_per_reasoning_token", output), above)


def _read_per_million(facts: Facts, key: str) -> float | None:
    value = facts.get(key)
    # Rounded, because 1e-07 * 1e6 is not 0.1.
    return round(float(value) * _MILLION, 9) if isinstance(value, int | float) else None
