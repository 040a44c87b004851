"""The acting rules on real games of both wordings: solved with full history, not without memory."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from adapters.alfworld.offline.rules import RULES
from adapters.alfworld.suite import SUITE
from baselines.full_history import STRATEGY as FULL_HISTORY
from baselines.no_memory import STRATEGY as NO_MEMORY
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit, Params, Strategy, SuiteOptions
from bench.types import EndReason, Step

ROOT = Path(os.environ.get("BENCH_DATA", "")).resolve()
STEPS = 20


def result(strategy: Strategy, version: str, group: str) -> tuple[EndReason, list[Step]]:
    options = SuiteOptions("valid_unseen", Params(SUITE.params, {"version": version}), ROOT, step_cap=STEPS)
    suite = SUITE.build(options)
    try:
        task = next(task for task in suite.tasks() if task.group == group)
        env = suite.open(task)
        opening = env.reset()
        kit = Kit(OfflineReader(RULES), HashEmbedder(), opening.frame, params=Params(strategy.params))
        record: list[Step] = []
        end = run_episode(strategy.build(kit), env, opening, suite.limits(), record)
        env.close()
        return end, record
    finally:
        suite.close()


@pytest.mark.data
@pytest.mark.engine
@pytest.mark.skipif(find_spec("textworld") is None, reason="the official engine (extra [alfworld]) is not installed")
@pytest.mark.skipif(not (ROOT / "alfworld").is_dir(), reason="no ALFWorld games under $BENCH_DATA/alfworld")
@pytest.mark.parametrize(
    ("version", "group"), [("move", "pick_heat_then_place_in_recep"), ("put", "pick_two_obj_and_place")]
)
def test_offline_model_solves_real_games_with_history_only(version: str, group: str) -> None:
    end, record = result(FULL_HISTORY, version, group)
    assert end is EndReason.WON
    assert all(step.observation.valid for step in record)
    end, record = result(NO_MEMORY, version, group)
    assert end is EndReason.STEP_CAP
    assert len({step.decision.text for step in record[-10:]}) <= 4
