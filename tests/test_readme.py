"""The README is what a newcomer types and sees: two set-up commands, and a table and a figure that the demo made."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from bench.cli import demo
from tests.conftest import RunBench

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```$", README, flags=re.M | re.S)


def test_readme_has_two_set_up_commands_of_one_line_each() -> None:
    first, second = COMMANDS
    assert first.endswith("&& .venv/bin/bench demo\n")
    assert "pytest" in second
    assert [command.count("\n") for command in COMMANDS] == [1, 1]


def test_readme_installs_the_games_of_the_pinned_engine() -> None:
    pin = re.search(r'alfworld = \["(alfworld==[\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert pin is not None
    assert f"--no-deps {pin[1]} " in COMMANDS[0]


def test_ci_script_takes_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extract = re.search(r"^command=\$\((awk .+)\)$", script, flags=re.M)
    assert extract is not None
    done = subprocess.run(["bash", "-c", extract[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == COMMANDS[1]


def test_readme_stays_short() -> None:
    assert len(README.splitlines()) <= 100


def test_readme_shows_the_table_that_the_demo_prints(bench: RunBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are compared, not the layout: that follows the terminal."""
    pytest.importorskip("alfworld", reason="needs the games of package alfworld")
    part = next(part for part in demo._PARTS if part.suite == "alfworld")
    monkeypatch.setattr(demo, "_PARTS", (part,))
    assert bench("demo").code == 0
    lines = json.loads(bench("table", "bench-demo/alfworld", "--format", "json").out)
    printed = {
        line["strategy"]: (f"{100 * line['success_rate']:.1f}", f"{line['tokens_total']:,.0f}") for line in lines
    }
    table = re.search(r"^```text\n(.*?)^```$", README, flags=re.M | re.S)
    assert table is not None
    shown = dict(re.findall(r"^ *\d+  (\S+) +\d+/\d+ +(.+)$", table[1], flags=re.M))
    assert list(shown) == [line["strategy"] for line in lines] == list(printed)
    for strategy, (success, tokens) in printed.items():
        assert shown[strategy].startswith(f"{success} ")
        assert f" {tokens} " in shown[strategy]
