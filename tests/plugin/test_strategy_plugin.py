"""The strategies of the guide: as ``bench new`` writes them, short, and usable as installed packages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "new_strategy.md"
SOURCES = {
    "last-mention": "last_mention.py",
    "rolling-notes": "rolling_notes/strategy.py",
    "solved-plans": "solved_plans.py",
}


def _fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), flags=re.MULTILINE | re.DOTALL)


def test_guide_shows_the_strategies_and_the_package_as_written(written: Path) -> None:
    offline = (written / "rolling-notes" / "rolling_notes" / "offline.py").read_text()
    first, model, learner = ((written / name / source).read_text() for name, source in SOURCES.items())
    assert _fenced("python") == [first, model, offline, learner]
    assert _fenced("toml") == [(written / "last-mention" / "pyproject.toml").read_text()]


@pytest.mark.parametrize("name", ["last-mention", "solved-plans"])
def test_example_strategy_has_at_most_forty_lines(name: str, written: Path) -> None:
    assert len((written / name / SOURCES[name]).read_text().splitlines()) <= 40


def test_entry_point_registers_the_strategy(run_with_plugins: Callable[..., str], tmp_path: Path) -> None:
    code = (
        "from bench.registry import strategy_names, resolve_strategy; "
        "found = resolve_strategy('last-mention'); "
        "print('last-mention' in strategy_names(), found.strategy.name, found.label)"
    )
    assert run_with_plugins("-c", code, cwd=tmp_path).split() == ["True", "last-mention-v1", "last-mention"]


def test_installed_strategies_beat_no_memory(bench_with_plugins: Callable[..., str]) -> None:
    words = ("--limit", "4", "--learn-policy", "grouped-by-spec")
    bench_with_plugins("run", "toy", "-s", ",".join([*SOURCES, "no-memory"]), *words, "-o", "run")
    lines = json.loads(bench_with_plugins("table", "run", "--format", "json"))
    rates = {line["strategy"]: line["success_rate"] for line in lines}
    assert all(rates[name] > rates["no-memory"] for name in SOURCES)
    assert next(line for line in lines if line["strategy"] == "rolling-notes")["tokens_write"] > 0


@pytest.mark.parametrize("name", SOURCES)
def test_check_finds_every_rule_obeyed(bench_with_plugins: Callable[..., str], name: str) -> None:
    assert "15 of 15 rules obeyed" in bench_with_plugins("check", name)
