from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models.litellm_catalog import find_entry, litellm_folder, litellm_version
from bench.models.remote.endpoint_config import Prices
from bench.models.remote.pricing import Price, Tier, find_shipped_price, to_price
from bench.types import Usage

needs_litellm = pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")

PRICE = to_price(Prices(date=date(2026, 1, 2), input=2, cached_read=0.5, cache_write=2.5, output=10))


def test_cached_tokens_cost_their_own_price_once() -> None:
    usage = Usage(prompt=1_000_000, cached_read=400_000, cache_write=100_000, completion=0)
    assert PRICE.cost_usd(usage) == pytest.approx(0.5 * 2 + 0.4 * 0.5 + 0.1 * 2.5)


def test_reasoning_tokens_are_part_of_the_completion() -> None:
    assert PRICE.cost_usd(Usage(prompt=0, completion=100, reasoning=60)) == pytest.approx(100 * 10 / 1e6)


@pytest.mark.parametrize("usage", [Usage(), Usage(prompt=3), Usage(completion=3)])
def test_cost_without_counts_is_none(usage: Usage) -> None:
    assert PRICE.cost_usd(usage) is None


def test_to_price_keeps_the_date_and_prices_cached_tokens_as_input() -> None:
    price = to_price(Prices(date=date(2026, 1, 2), input=2, output=10))
    assert price.date == "2026-01-02"
    assert price.cost_usd(Usage(prompt=10, cached_read=10, completion=0)) == pytest.approx(20e-6)


def test_prompt_length_selects_the_tier() -> None:
    price = Price("d", (Tier(1, 1, 1, 1, 1), Tier(2, 2, 2, 2, 2, above=200_000)))
    assert price.cost_usd(Usage(prompt=200_000, completion=0)) == pytest.approx(0.2)
    assert price.cost_usd(Usage(prompt=200_001, completion=0)) == pytest.approx(0.400002)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**5), st.integers(0, 10**6))
def test_cost_lies_between_zero_and_the_cost_without_a_cache(plain: int, read: int, new: int, out: int) -> None:
    cost = PRICE.cost_usd(Usage(plain + read + new, read, new, out))
    assert cost is not None
    assert 0 <= cost <= ((plain + read + new) * 2.5 + out * 10) / 1e6 + 1e-12


@needs_litellm
@pytest.mark.parametrize("name", ["openai/gpt-4o", "gpt-4o"])
def test_find_shipped_price_prices_a_known_model(name: str) -> None:
    facts, price = find_entry("gpt-4o"), find_shipped_price(name)
    assert facts is not None
    assert price is not None
    assert price.date == f"litellm-{litellm_version()}"
    by_hand = 600 * facts["input_cost_per_token"] + 400 * facts["cache_read_input_token_cost"]
    by_hand += 50 * facts["output_cost_per_token"]
    assert price.cost_usd(Usage(prompt=1000, cached_read=400, completion=50)) == pytest.approx(by_hand)


@needs_litellm
def test_find_shipped_price_reads_tiers() -> None:
    facts, price = find_entry("gemini/gemini-2.5-pro"), find_shipped_price("gemini/gemini-2.5-pro")
    assert facts is not None
    assert price is not None
    long = price.cost_usd(Usage(prompt=300_000, completion=0))
    assert long == pytest.approx(300_000 * facts["input_cost_per_token_above_200k_tokens"])


@needs_litellm
def test_find_shipped_price_is_none_for_an_unknown_model() -> None:
    assert find_shipped_price("openai/no-such-model") is None
    assert find_shipped_price("ollama/whatever") is None
