"""The suite of the guide: as ``bench new`` writes it, about 60 lines, and usable as an installed package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "suites.md"


def test_guide_shows_the_suite_and_its_package_as_written(written: Path) -> None:
    text, package = GUIDE.read_text(), written / "combination-lock"
    kinds = ("python", "toml", "text")
    fenced = [re.findall(rf"^```{kind}\n(.*?)^```$", text, flags=re.M | re.S) for kind in kinds]
    sources = [(package / "combination_lock" / name).read_text() for name in ("suite.py", "offline.py", "frame.txt")]
    assert fenced == [sources[:2], [(package / "pyproject.toml").read_text()], sources[2:]]


def test_example_suite_has_about_sixty_lines_of_code(written: Path) -> None:
    files = (written / "combination-lock" / "combination_lock" / name for name in ("suite.py", "offline.py"))
    assert sum(bool(line.strip()) for path in files for line in path.read_text().splitlines()) <= 64


def test_installed_suite_runs_and_separates_window_from_full_history(bench_with_plugins: Callable[..., str]) -> None:
    assert re.search(r"^combination-lock +episode", bench_with_plugins("list", "suites"), flags=re.M)
    assert "13 of 13 rules obeyed" in bench_with_plugins("check", "--suite", "combination-lock")
    bench_with_plugins("run", "combination-lock", "-s", "window,full-history", "-m", "offline/reader", "-o", "run")
    lines = json.loads(bench_with_plugins("table", "run", "--by", "group", "--format", "json"))
    rates = {(line["strategy"], line["group"] or "all"): line["success_rate"] for line in lines}
    assert rates["full-history", "all"] == 1.0
    assert [rates["window", f"{length} notes"] for length in (4, 6, 8)] == [1.0, 0.0, 0.0]
