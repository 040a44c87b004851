"""Ours beside the official engine: the workshop, and a few real games of each wording; and ours alone over some of
what was compared before (all of it: ``--recheck`` of the script)."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from bench.errors import DataError

SAMPLE = {"unseen-move": (100,), "unseen-put": (47,)}


@pytest.fixture(scope="module")
def _official() -> None:
    if importlib.util.find_spec("textworld") is None or importlib.util.find_spec("alfworld") is None:
        pytest.skip("needs the official engine: pip install 'memfrontier[alfworld]'")


@pytest.mark.engine
@pytest.mark.usefixtures("_official")
@pytest.mark.filterwarnings("ignore")  # the official engine's own warnings are not ours
@pytest.mark.parametrize("seed", range(4))
def test_workshop_equals_official_engine(comparison: ModuleType, texts: Mapping[str, str], seed: int) -> None:
    case = comparison.Case("workshop", str(seed), json.dumps(texts).encode(), ())
    row = comparison.play(case, [comparison.Fast(case), comparison.Official(case)])
    assert row.first == ""
    assert row.valid > 20


@pytest.mark.engine
@pytest.mark.data
@pytest.mark.usefixtures("_official")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(SAMPLE))
def test_real_games_equal_official_engine(comparison: ModuleType, data_root: Path, name: str) -> None:
    games = list(comparison.cases(name, data_root))
    for at in SAMPLE[name]:
        row = comparison.play(games[at], [comparison.Fast(games[at]), comparison.Official(games[at])], walk_steps=12)
        assert (row.first, row.won) == ("", 1)


@pytest.mark.data
@pytest.mark.parametrize("name", ["unseen-move", "unseen-put"])
def test_compared_games_equal_recorded_digests(comparison: ModuleType, data_root: Path, name: str) -> None:
    recorded = {row.task: row for row in comparison.written() if row.set == name}
    games = list(comparison.cases(name, data_root))
    assert len(games) == 134
    for case in games[::10]:
        row = comparison.play(case, [comparison.Fast(case)])
        assert row.won == 1, case.task
        if case.task in recorded:
            assert row.digest == recorded[case.task].digest, case.task


def test_committed_comparison_has_no_differences(comparison: ModuleType) -> None:
    rows = comparison.written()
    assert rows
    assert [row.task for row in rows if row.differences or not row.won] == []
    assert (comparison.RESULTS / "alfworld_engine.md").read_text() == comparison.report(rows)


@pytest.mark.data
def test_load_rejects_truncated_real_game(comparison: ModuleType, data_root: Path) -> None:
    case = next(iter(comparison.cases("unseen-move", data_root)))
    with pytest.raises(DataError, match=case.task.split("/")[0]):
        comparison.Fast(comparison.Case(case.set, case.task, case.data[: len(case.data) // 2], ()))
