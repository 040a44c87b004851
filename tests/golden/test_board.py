"""A board that may not change by accident: the toy suites with the six plain strategies, as committed beside this file.

To make it again after a change that is meant: ``MAKE_GOLDEN=1 pytest tests/golden`` and read the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.cli.table import TableOptions, format_table
from bench.config import RunConfig
from bench.runner.batch import Outcome, run
from bench.store.database import Store
from bench.store.read import read_trials

HERE = Path(__file__).parent
STRATEGIES = ("no-memory", "full-history", "truncation", "window:k=5", "embedding", "bm25")
QUESTION = RunConfig(suites=("toy", "toy-talk"), strategies=STRATEGIES, model="offline/reader", embedder="hash")
TRIALS = (20 + 6) * len(STRATEGIES)


def answered(folder: Path, workers: int) -> Outcome:
    return run(QUESTION.model_copy(update={"workers": workers}), folder, root=folder)


def markdown(folder: Path) -> str:
    return format_table([folder], TableOptions("md", by="group"))


def values(folder: Path) -> str:
    """The board as JSON without wall times, which no two runs share."""
    rows = json.loads(format_table([folder], TableOptions("json")))
    kept = [{name: value for name, value in row.items() if not name.startswith("wall_")} for row in rows]
    return json.dumps(kept, indent=1) + "\n"


def calls(folder: Path) -> int:
    with Store(folder) as store:
        return store.sum_spending().calls


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    assert answered(folder, workers=1) == Outcome(folder, TRIALS, 0, TRIALS)
    return folder


@pytest.mark.parametrize(("name", "made"), [("board.md", markdown), ("board.json", values)])
def test_the_board_is_the_one_that_is_committed(alone: Path, name: str, made: Callable[[Path], str]) -> None:
    text = made(alone)
    if os.environ.get("MAKE_GOLDEN"):
        (HERE / name).write_text(text)
    assert text == (HERE / name).read_text()


def test_three_workers_make_the_same_board_and_the_same_record(alone: Path, tmp_path: Path) -> None:
    answered(tmp_path / "three", workers=3)
    assert values(tmp_path / "three") == (HERE / "board.json").read_text()
    told = [
        [(t.key, t.items, t.fingerprint, [(c.request_hash, c.reply) for c in t.calls]) for t in read_trials(folder)]
        for folder in (alone, tmp_path / "three")
    ]
    assert told[0] == told[1]


def test_the_same_command_again_costs_nothing(alone: Path) -> None:
    paid = calls(alone)
    assert answered(alone, workers=2) == Outcome(alone, TRIALS, 0, TRIALS)
    assert calls(alone) == paid
    assert values(alone) == (HERE / "board.json").read_text()


def test_board_separates_the_strategies() -> None:
    rows = [row for row in json.loads((HERE / "board.json").read_text()) if row["group"] == "all"]
    toy = {row["strategy"]: row["success_rate"] for row in rows if row["suite"] == "toy"}
    conversation = {row["strategy"]: row["success_rate"] for row in rows if row["suite"] == "toy-talk"}
    for rates in (toy, conversation):
        assert set(rates) == set(STRATEGIES)
        assert rates["full-history"] == 1.0 > rates["window:k=5"] > rates["no-memory"]
        assert len(set(rates.values())) >= 5
    assert all(row["offline"] and row["n"] == row["n_total"] for row in rows)
