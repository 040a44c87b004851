"""The README is what a newcomer types and sees: two set-up commands, and a table and a figure that the demo made."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import pytest

from bench import api
from bench.cli import demo
from tests.conftest import RunBench

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ELSEWHERE = r"-m openai/|bench data get|pip install|bench reproduce"
"""What a test cannot type: it takes a key, the network or long."""
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


@pytest.fixture
def type_line(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Return a function that types a line into a shell in which ``bench`` is installed, in an empty folder."""
    script = tmp_path / "bin" / "bench"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -m memfrontier \"$@\"\n")
    script.chmod(0o755)
    (tmp_path / "here").mkdir()
    path = os.pathsep.join([str(script.parent), os.environ["PATH"]])
    environment = {
        **os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "BENCH_DATA": str(tmp_path / "none"), "COLUMNS": "120"
    }  # fmt: skip
    return lambda line: subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=tmp_path / "here", env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def list_lines(page: Path) -> list[str]:
    """Return the lines of a page's console blocks, of each block up to the first that a test cannot type."""
    lines = []
    for block in re.findall(r"^```console\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.M | re.S):
        lines += takewhile(lambda line: not re.search(ELSEWHERE, line), block.splitlines())
    return lines


def test_lines_of_the_readme_work_as_they_stand(
    type_line: Callable[[str], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    # In the place of what the demo, the first command, leaves behind.
    for suite, folder in (("toy", "alfworld"), ("toy-talk", "locomo")):
        api.run(suite, "full-history,bm25", limit=1, out=tmp_path / "here" / "bench-demo" / folder)
    lines = list_lines(ROOT / "README.md")
    assert [line.split()[1] for line in lines] == ["check", "run", "compare", "frontier", "table", "report"]
    for line in lines:
        done = type_line(line)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{line}\n{done.stderr}"
        assert done.stdout or line.split()[1] in ("table", "report")
    assert (tmp_path / "here" / "table.tex").read_text(encoding="utf-8").count("\\toprule") == 1
    assert (tmp_path / "here" / "report.html").stat().st_size > 100_000


@pytest.mark.slow
def test_lines_of_the_commands_page_work_as_they_stand(
    type_line: Callable[[str], subprocess.CompletedProcess[str]],
) -> None:
    lines = list_lines(ROOT / "docs" / "commands.md")
    assert len(lines) > 20
    assert {line: done.stderr for line in lines if (done := type_line(line)).returncode} == {}


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
