"""The strategy keeps the rules with every setting."""

from __future__ import annotations

import pytest

from baselines.summary.strategy import STRATEGY
from bench.conformance.rules import check_strategy


@pytest.mark.parametrize(
    "given_", [{"tokens": "30"}, {"recent": "1"}, {"trigger": "0"}, {"share": "0"}, {"share": "2"}]
)
def test_check_strategy_passes_with_every_setting(given_: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given_) if not result.passed] == []
