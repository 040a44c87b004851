"""The committed boards are what the code makes: some of their episodes are played again and must match to the digit."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest

from bench.commands.export import exported
from bench.config import RunConfig
from bench.runner.batch import run

BOARDS = Path(__file__).parents[2] / "results" / "boards"
PLAIN = ("no-memory", "full-history", "truncation", "window:k=5", "embedding", "bm25")
ROWS = (*PLAIN, "hiagent", "fold", "resum", "acon-untrained", "summary", "generic-agent")
SCORES = ("success", "progress", "steps", "valid_action_rate", "context_tokens_mean", "tokens_total")


@pytest.mark.data
@pytest.mark.parametrize(("suite", "steps", "limit"), [("alfworld", 50, 12), ("pddl", 40, 8)])
def test_offline_episodes(suite: str, steps: int, limit: int, data_root: Path, tmp_path: Path) -> None:
    config = RunConfig(suites=(suite,), strategies=ROWS, steps=steps, limit=limit)
    run(config, tmp_path / suite, root=data_root)
    made = exported([tmp_path / suite], SCORES)
    text = io.StringIO(made.to_csv(index=False, float_format="%.10g"))
    board = pd.read_csv(BOARDS / "offline-episodes" / f"{suite}-items.csv")
    part = board[board["task"].isin(set(made["task"]))].reset_index(drop=True)
    assert len(made) == limit * len(ROWS)
    pd.testing.assert_frame_equal(pd.read_csv(text), part, check_exact=True)
