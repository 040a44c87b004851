"""Plug-ins that cannot be used, and other people's packages under our names: each costs itself and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from bench import plugins
from bench.errors import UsageError
from bench.plugins import OWN_PACKAGES, describe_foreign, find_plugins
from bench.registry import load_source, offline_rules, resolve_strategy, strategy_names, suite_names
from bench.scoring import metric_names
from tests.conftest import RunBench

ROOT = Path(__file__).parents[1]
GOOD = """
from adapters.toy.suite import SUITE
from baselines.window import STRATEGY
from bench.embedders.hash import HashEmbedder as EMBEDDER
RULES = ()
def MODEL(name, options): raise RuntimeError("no model")
"""
ENTRY_POINTS = """
[memfrontier.strategies]
odd = odd_plugin:STRATEGY
[memfrontier.suites]
odd-world = odd_plugin:SUITE
[memfrontier.models]
odd-model = odd_plugin:MODEL
[memfrontier.embedders]
odd-embedder = odd_plugin:EMBEDDER
[memfrontier.offline_rules]
odd = odd_plugin:RULES
[memfrontier.metrics]
odd-metric = odd_plugin:METRIC
"""
CLASH = """
class Rule:
    role = "act"
    header = next(rule.header for rule in __import__("adapters.toy.offline.rules", fromlist=["RULES"]).RULES
                  if rule.role == "act")
    def reply(self, messages): return "look"
RULES = (Rule(),)
"""
BROKEN = {
    "raises": ("raise RuntimeError('boom')", "RuntimeError: boom"),
    "exits": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "is no Python": ("def (", "SyntaxError"),
    "lacks a package": ("import nothing_of_that_name", "No module named 'nothing_of_that_name'"),
    "is of another kind": ("STRATEGY = SUITE = MODEL = EMBEDDER = RULES = METRIC = 5", "expected a strategy, got int"),
    "hangs": ("import time; time.sleep(1000)", "its import takes more than 0.2 s"),
}

_number = count()
Plug = Callable[..., Path]


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """Install a distribution whose one module has the code given."""

    def install(code: str, points: str = ENTRY_POINTS) -> Path:
        # A name of its own: the import that hangs keeps the lock of its module.
        module = f"odd_plugin_{next(_number)}"
        points = points.replace("odd_plugin", module)
        site = tmp_path / "site"
        info = site / "odd-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(code, encoding="utf-8")
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(points, encoding="utf-8")
        monkeypatch.syspath_prepend(site)
        return site

    def forget() -> None:
        for cached in (find_plugins, metric_names.read_plugins, metric_names.find_metric):
            cached.cache_clear()

    forget()
    monkeypatch.setattr(plugins, "_given_up", {})
    yield install
    forget()


@pytest.mark.parametrize(("code", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_plugin_costs_only_itself(
    plug: Plug, bench_command: RunBench, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    plug(code)
    monkeypatch.setattr(plugins, "_IMPORT_S", 0.2 if "sleep" in code else 60.0)
    assert "odd" not in strategy_names()
    assert "odd-world" not in suite_names()
    assert bench_command("run", "toy", "-s", "no-memory", "--limit", "1", "-o", "good").code == 0
    asked = bench_command("run", "toy", "-s", "odd", "--limit", "1", "-o", "bad")
    assert (asked.code, asked.err.count("\n")) == (2, 1)
    assert reason in asked.err
    listed = bench_command("list", "strategies")
    assert listed.code == 0
    assert "window-v" in listed.out
    lines = [line for line in listed.out.splitlines() if "(odd 1.0)" in line]
    assert [line.split()[0].removeprefix("memfrontier.") for line in lines] == [
        "suites", "strategies", "models", "embedders", "offline_rules", "metrics",
    ]  # fmt: skip
    assert any(reason in line for line in lines)


def test_doctor_names_a_plugin_that_ends_the_process(plug: Plug, bench_command: RunBench) -> None:
    plug("import os; os._exit(7)")
    done = bench_command("doctor")
    assert done.code == 0
    line = next(line for line in done.out.splitlines() if "plug-in strategies odd" in line)
    assert "its import ends the process, exit code 7" in line


def test_doctor_says_that_a_plugin_is_ready(plug: Plug, bench_command: RunBench) -> None:
    plug(GOOD)
    line = next(line for line in bench_command("doctor").out.splitlines() if "plug-in strategies odd" in line)
    assert line.split() == ["ok", "plug-in", "strategies", "odd", "odd", "1.0"]


def test_rules_that_clash_stop_their_own_strategy_and_no_other(plug: Plug, bench_command: RunBench) -> None:
    before = offline_rules()
    plug(GOOD + CLASH)
    find_plugins.cache_clear()
    assert offline_rules() == before
    assert bench_command("run", "toy", "-s", "no-memory", "--limit", "1", "-o", "good").code == 0
    with pytest.raises(UsageError, match="offline rules: expected one rule for role 'act'"):
        resolve_strategy("odd")


def test_model_function_that_raises_is_one_line(plug: Plug) -> None:
    plug(GOOD)
    with pytest.raises(UsageError, match=":MODEL: expected a model from it, got RuntimeError: no model"):
        load_source("odd-model")


@pytest.mark.parametrize("name", ["two words", "a:b", "a,b"])
def test_name_that_nobody_can_write_is_listed_as_broken(plug: Plug, bench_command: RunBench, name: str) -> None:
    plug(GOOD, f"[memfrontier.strategies]\n{name} = odd_plugin:STRATEGY\n")
    assert name not in strategy_names()
    assert f"expected a name without blanks and any of : , =, got {name!r}" in bench_command("list", "strategies").out


def test_metadata_that_cannot_be_read_costs_only_its_distribution(plug: Plug) -> None:
    plug(GOOD, "[memfrontier.strategies]\nno equals sign\n")
    assert "window" in strategy_names()
    assert "odd" not in strategy_names()


def test_own_packages_are_recognised_as_own() -> None:
    assert [describe_foreign(name) for name in OWN_PACKAGES] == ["", "", ""]


def python(code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, "-P", "-B", "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("name", ["adapters", "baselines"])
def test_foreign_package_of_our_name_is_said_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('wants torch')", encoding="utf-8")
    main = "import sys; from memfrontier import main; sys.argv = ['bench', *{}]; main()"
    wanted = {"adapters": ["run", "toy", "-s", "no-memory"], "baselines": ["check", "window"]}[name]
    asked = python(main.format(wanted), tmp_path, ROOT)
    line = (
        f"bench: {name}: expected memfrontier's own package in {ROOT}, got another one of that name ({tmp_path / name})"
    )
    assert asked.returncode == 2
    assert asked.stderr.startswith(line)
    assert asked.stderr.count("\n") == 1


def test_doctor_names_a_foreign_package_although_no_suite_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "adapters").mkdir()
    (tmp_path / "adapters" / "__init__.py").touch()
    done = python("import sys; from memfrontier import main; sys.argv = ['bench', 'doctor']; main()", tmp_path, ROOT)
    assert done.returncode == 1
    assert "adapters: expected memfrontier's own package" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("content", ["", "run = 1\n"])
def test_foreign_bench_is_said_in_one_line(tmp_path: Path, content: str) -> None:
    site = tmp_path / "site"
    (site / "bench").mkdir(parents=True)
    (site / "bench" / "__init__.py").write_text(content, encoding="utf-8")
    own = tmp_path / "own"
    own.mkdir()
    shutil.copy(ROOT / "memfrontier.py", own)
    done = python("from memfrontier import main; main()", site, own)
    assert done.returncode == 2
    assert done.stderr.startswith(f"bench: expected memfrontier's own package in {own}, got another one of that name (")
    assert done.stderr.count("\n") == 1


def test_module_runs_as_the_command() -> None:
    done = python(
        "import runpy, sys; sys.argv = ['bench', '--version']; runpy.run_module('memfrontier', run_name='__main__')",
        ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("memfrontier ")
