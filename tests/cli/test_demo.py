"""``bench demo``: each suite has its own table, the figure is drawn, and the commands it suggests work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bench.cli import demo
from bench.registry import load_suite, resolve_strategy
from bench.store.dataframe import read_items
from tests.conftest import RunBench


@pytest.mark.parametrize("part", demo._PARTS, ids=lambda part: part.suite)
def test_demo_part_needs_no_download_and_its_strategies_serve_the_suite(part: demo._Part) -> None:
    suite = load_suite(part.suite)
    assert part.split in suite.offline_splits
    strategies = [resolve_strategy(name).strategy for name in part.strategies]
    assert all(suite.shape in strategy.serves and not strategy.needs for strategy in strategies)
    assert {"full-history", demo._EXAMPLE} <= set(part.strategies)


def test_demo_prints_a_table_for_each_part_and_commands_that_work(
    bench: RunBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = ("full-history", "bm25", "no-memory")
    parts = (demo._Part("toy", "houses", 2, played, steps=4), demo._Part("toy-talk", "talks", 1, played))
    monkeypatch.setattr(demo, "_PARTS", parts)
    done = bench("demo")
    assert done.code == 0
    assert "left out" not in done.err
    for part in parts:
        assert set(read_items([Path("bench-demo") / part.suite])["strategy"]) == set(played)
        assert f"{part.suite} · {part.split}" in done.out
    assert Path("bench-demo/frontier.png").stat().st_size > 10_000
    suggested = re.findall(r"^  bench (.+)$", done.out, flags=re.M)
    assert [bench(*shlex.split(command)).code for command in suggested] == [0, 0, 0]


def test_demo_names_a_part_that_cannot_run_and_shows_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = ("full-history", "bm25")
    parts = (demo._Part("toy", "no-such-split", 1, played), demo._Part("toy-talk", "talks", 1, played))
    monkeypatch.setattr(demo, "_PARTS", parts)
    assert demo.demo_command(tmp_path) == 0
    printed = capsys.readouterr()
    assert "left out toy: suite toy: expected a split, got 'no-such-split'" in printed.err
    assert "toy-talk · talks" in printed.out
