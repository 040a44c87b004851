"""What a run has spent: its own ledger and that of every run below it, each counted once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.runner.budget import leave_rest, sum_others, sum_run
from bench.store.database import Plan, Spending, Store
from bench.types import Call, Phase, Task, TrialKey, Usage

KEY = TrialKey("toy", "houses", "t", "window", "m")
BELOW = {"": 1, "collect/one": 10, "collect/two": 100, "curve/tasks-2": 1000, "curve/tasks-2/collect/one": 10_000}
"""Folders of runs below one, with the tokens that each spent by itself."""


def book(store: Store, tokens: int, usd: float | None = 0.5) -> None:
    store.plan([Plan(KEY, Task("t", "toy", "houses", "", ""))])
    store.commit_call(KEY, Call(0, Phase.ACT, "act", "m", "h", "", Usage(tokens, completion=0), cost_usd=usd))


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Store]:
    for name, tokens in BELOW.items():
        with Store(tmp_path / name) as store:
            book(store, tokens)
    (tmp_path / "curve" / "learned-2" / "toy").mkdir(parents=True)  # artifacts, and no run
    with Store(tmp_path) as store:  # it is open while what is below is asked for
        yield store


def test_sum_run_counts_everything_below_once(root: Store) -> None:
    assert sum_run(root) == Spending(5, 11_111, 2.5)


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("collect/one", 11_101), ("curve/tasks-2", 111), ("curve/tasks-5", 11_111), ("curve/tasks-2/collect/one", 1111)],
)
def test_sum_others_leaves_out_one_run_and_what_is_below(root: Store, name: str, tokens: int) -> None:
    assert sum_others(root.folder, root.folder / name).tokens == tokens


def test_rest_of_a_limit_is_never_none_and_nothing_after_an_unknown_price() -> None:
    config = RunConfig(suites=("toy",), strategies=("window",), max_tokens=100, max_usd=2.0)
    assert leave_rest(config, Spending(1, 60, 0.5)) == replace_limits(config, 40, 1.5)
    assert leave_rest(config, Spending(1, 200, 5.0)) == replace_limits(config, 1, 1e-9)
    assert leave_rest(config, Spending(1, 0, None)) == replace_limits(config, 100, 1e-9)
    free = replace_limits(config, 0, 0.0)
    assert leave_rest(free, Spending(1, 200, None)) == free


def replace_limits(config: RunConfig, tokens: int, usd: float) -> RunConfig:
    return config.model_copy(update={"max_tokens": tokens, "max_usd": usd})
