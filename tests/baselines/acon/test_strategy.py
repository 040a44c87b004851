"""Both strategies keep the rules with every setting; one learns its guidelines and compresses under them."""

from __future__ import annotations

from pathlib import Path

import pytest

from baselines.acon.strategy import STRATEGY, UNTRAINED
from bench.conformance.rules import check_strategy
from bench.protocols import Strategy
from bench.store.read import read_trials
from tests.conftest import RunBench


@pytest.mark.parametrize("strategy", [STRATEGY, UNTRAINED])
@pytest.mark.parametrize("given_", [{"tokens": "30"}, {"observation": "0"}, {"history": "0"}, {"share": "0"}])
def test_check_strategy_passes_with_every_setting(strategy: Strategy, given_: dict[str, str]) -> None:
    # Where a compression may take no room at all, no guideline is ever read.
    unread = {"learns-repeatably-and-uses-it"} if strategy is STRATEGY and "share" in given_ else set()
    assert {one.name for one in check_strategy(strategy, given_) if not one.passed} == unread


def test_strategy_that_learns_nothing_is_named_untrained() -> None:
    assert (UNTRAINED.name, UNTRAINED.learn) == ("acon-untrained-v4", None)
    assert STRATEGY.learn is not None


def test_learned_guideline_reaches_the_compressor_of_a_run(bench: RunBench, tmp_path: Path) -> None:
    gather = ("--learn-policy", "half-random", "--learn-collectors", "full-history,acon-untrained:tokens=60")
    done = bench("run", "toy", "-s", "acon:tokens=60", *gather, "--steps", "20", "--workers", "1", "-o", "run")
    assert done.code == 0, done.err
    folder = tmp_path / "run" / "artifacts" / "toy" / "acon_tokens=60"
    guideline = (folder / "history_guideline.txt").read_text()
    assert "Keep facts with these words: " in guideline
    trials = read_trials(tmp_path / "run", where="attempt = 0")
    assert {str(call.role) for trial in trials for call in trial.calls} == {"guideline"}
    assert "acon:tokens=60 learned from" in done.out
