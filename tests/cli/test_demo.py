"""``bench demo``: every part is shown, with every strategy that can serve it, and nothing is left out silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.cli import demo
from bench.registry import load_strategy, load_suite, strategy_names
from bench.store.dataframe import read_items


def test_every_part_is_a_suite_with_a_split_that_needs_no_download() -> None:
    for part in demo._PARTS:
        assert part.split in load_suite(part.suite).offline_splits


def test_each_part_is_played_by_all_that_can_serve_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = [demo._Part(part.suite, part.split, 1, steps=4) for part in demo._PARTS if part.suite.startswith("toy")]
    monkeypatch.setattr(demo, "_PARTS", small)
    assert demo.demo_command(tmp_path) == 0
    told = capsys.readouterr()
    assert "left out" not in told.err
    for part in small:
        shape = load_suite(part.suite).shape
        serving = {name for name in strategy_names() if shape in load_strategy(name).serves}
        assert set(read_items([tmp_path / part.suite])["strategy"]) == serving
        assert f"{part.suite} · {part.split}" in told.out
    assert (tmp_path / "frontier.png").stat().st_size > 10_000


def test_an_engine_that_is_missing_is_said_and_the_rest_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "_PARTS", (demo._Part("toy", "no-such-split", 1), demo._Part("toy-talk", "talks", 1)))
    assert demo.demo_command(tmp_path) == 0
    told = capsys.readouterr()
    assert "left out toy: suite toy: expected a split, got 'no-such-split'" in told.err
    assert "toy-talk · talks" in told.out
