"""The strategy keeps the rules with every setting."""

from __future__ import annotations

import pytest

from baselines.acon.strategy import STRATEGY
from bench.conformance.rules import check_strategy


@pytest.mark.parametrize("given_", [{"tokens": "30"}, {"observation": "0"}, {"history": "0"}, {"share": "0"}])
def test_every_setting_keeps_the_rules(given_: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given_) if not result.passed] == []


def test_the_row_says_that_nothing_was_learned() -> None:
    assert STRATEGY.name == "acon-untrained-v1"
    assert STRATEGY.learn is None
