"""Limits on money and tokens: a run stops cleanly, at most the calls in flight go over, and a higher limit goes on."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.errors import BudgetStop
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedSource
from bench.registry import offline_rules
from bench.report.table import build_table, render_table
from bench.runner import build
from bench.runner.batch import Outcome, run
from bench.store.database import Store
from bench.store.dataframe import read_items
from bench.types import Message

WORKERS = 8
PRICE = 0.01


class Together:
    """A model that waits until the calls of all eight workers are under way, while so many are left."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(WORKERS)

    def __call__(self, messages: Sequence[Message], role: str, _number: int) -> str:
        try:
            self._barrier.wait(0.2)
        except threading.BrokenBarrierError:
            self._barrier = threading.Barrier(WORKERS)  # fewer are left: go on alone
        return OfflineReader(offline_rules()).chat(messages, role=role).text


Play = Callable[..., Outcome]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    def call(source: ScriptedSource, name: str = "run", **fields: object) -> Outcome:
        monkeypatch.setattr(build, "load_source", lambda _name, _options: source)
        given = {
            "suites": ["toy"],
            "strategies": ["window", "full-history"],
            "model": "remote/fake",
            "workers": WORKERS,
        }
        return run(RunConfig.model_validate({**given, **fields}), tmp_path / name, root=tmp_path)

    return call


def read_cost(folder: Path) -> float:
    with Store(folder) as store:
        cost = store.sum_spending().cost_usd
    assert cost is not None
    return cost


def render_run(folder: Path) -> str:
    return render_table(build_table(read_items([folder]), reference="full-history"), "md")


def test_usd_limit_stops_after_the_calls_in_flight_and_a_higher_limit_resumes(play: Play, tmp_path: Path) -> None:
    whole = ScriptedSource(lambda messages, role, _: OfflineReader(offline_rules()).chat(messages, role=role).text)
    play(whole, "whole", limit=6)
    folder, source, limits = tmp_path / "run", ScriptedSource(Together(), PRICE), (0.25, 0.5)
    for limit in limits:
        with pytest.raises(BudgetStop, match=rf"max_usd {limit} reached \(\$0\.\d\d\); raise it to go on"):
            play(source, limit=6, max_usd=limit)
        assert limit <= round(read_cost(folder), 6) <= limit + (WORKERS - 1) * PRICE
        assert round(source.calls * PRICE, 6) == round(read_cost(folder), 6)  # every call is in the ledger
    with pytest.raises(BudgetStop):
        play(source, limit=6, max_usd=limits[-1])
    assert round(source.calls * PRICE, 6) == round(read_cost(folder), 6) < limits[-1] + WORKERS * PRICE
    assert play(source, limit=6, max_usd=100.0) == Outcome(folder, 12, 0, 12)
    assert source.calls == whole.calls  # nothing was paid twice
    assert render_run(folder) == render_run(tmp_path / "whole")


def test_token_limit_stops_one_worker_at_the_exact_call(play: Play, tmp_path: Path) -> None:
    source = ScriptedSource(lambda messages, role, _: OfflineReader(offline_rules()).chat(messages, role=role).text)
    with pytest.raises(BudgetStop, match=r"max_tokens 2,000 reached \(2,\d\d\d\); raise it to go on"):
        play(source, workers=1, max_tokens=2000)
    db = sqlite3.connect(tmp_path / "run" / "run.sqlite")
    counts = [row[0] for row in db.execute("SELECT prompt + completion FROM calls ORDER BY trial, call")]
    db.close()
    assert sum(counts[:-1]) < 2000 <= sum(counts)
    assert source.calls == len(counts)


def test_limit_reached_by_the_last_call_does_not_stop_the_run(play: Play, tmp_path: Path) -> None:
    source = ScriptedSource(lambda messages, role, _: OfflineReader(offline_rules()).chat(messages, role=role).text)
    play(source, "whole", limit=1)
    total = round(source.calls * PRICE, 6)
    assert play(source, limit=1, workers=1, max_usd=total) == Outcome(tmp_path / "run", 2, 0, 2)


def test_replayed_calls_do_not_count_towards_the_usd_limit(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    source = ScriptedSource(lambda messages, role, _: OfflineReader(offline_rules()).chat(messages, role=role).text)
    play(source, "first", cache="read-write")
    calls = source.calls
    assert play(source, cache="read-write", max_usd=0.001) == Outcome(tmp_path / "run", 40, 0, 40)
    assert source.calls == calls
    assert read_cost(tmp_path / "run") == 0.0


def test_usd_limit_with_an_unknown_price_stops_at_the_first_call(play: Play) -> None:
    source = ScriptedSource(lambda *_: "Action: look", None)
    with pytest.raises(BudgetStop, match="max_usd is set but a price is unknown"):
        play(source, workers=1, max_usd=5.0)
    assert source.calls == 1
