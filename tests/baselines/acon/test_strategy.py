"""The strategy keeps the rules with every setting."""

from __future__ import annotations

import pytest

from baselines.acon.strategy import STRATEGY
from bench.conformance.rules import check_strategy


@pytest.mark.parametrize("given_", [{"tokens": "30"}, {"observation": "0"}, {"history": "0"}, {"share": "0"}])
def test_check_strategy_passes_with_every_setting(given_: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given_) if not result.passed] == []


def test_strategy_is_named_untrained() -> None:
    assert STRATEGY.name == "acon-untrained-v3"
    assert STRATEGY.learn is None
