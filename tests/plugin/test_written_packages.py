"""``bench new``: what it writes passes its own tests once installed, and what it refuses, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from bench.scaffold.package import LAYOUTS, fill
from tests.conftest import RunBench
from tests.plugin.conftest import ROOT, WRITTEN


def test_written_packages_pass_their_tests(written: Path, run_with_plugins: Callable[..., str], tmp_path: Path) -> None:
    tests = [str(written / name / "tests") for name in WRITTEN]
    options = ("-q", "-p", "no:cacheprovider", "-W", "error", "--import-mode=importlib", "--rootdir", str(written))
    done = run_with_plugins("-B", "-m", "pytest", *options, *tests, cwd=tmp_path)
    assert "14 passed" in done.splitlines()[-1]


def test_tests_of_a_package_that_is_not_installed_are_skipped_where_they_need_it(written: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=written / "last-mention", capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert "2 passed, 1 skipped" in done.stdout.splitlines()[-1]


def test_written_packages_are_formatted_as_ruff_does(written: Path) -> None:
    options = ("--isolated", "--line-length", "120", "--no-cache", ".")
    for name, command in product(WRITTEN, (["format", "--check"], ["check", "--select", "E,F,W,I,N,UP,B,RUF"])):
        words = [sys.executable, "-m", "ruff", *command, *options]
        done = subprocess.run(words, cwd=written / name, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("kind", LAYOUTS)
def test_every_field_of_a_template_is_filled_in(kind: str) -> None:
    files = fill(kind, "two-words")
    assert {"README.md", "pyproject.toml", "tests/test_two_words.py"} < set(files)
    assert "$" not in "".join([*files, *files.values()])


def test_two_suites_have_frames_that_the_offline_model_tells_apart() -> None:
    frames = {fill("suite", name)[f"{name}/frame.txt"] for name in ("one", "two", "three")}
    assert len(frames) == 3


def test_new_writes_a_package_and_says_what_comes_next(bench_command: RunBench, tmp_path: Path) -> None:
    done = bench_command("new", "strategy", "rolling-notes", "--calls-model", "-o", "below/mine")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("below/mine: README.md, pyproject.toml, rolling_notes/__init__.py, ")
    assert "\n  bench check rolling-notes\n" in done.out
    found = {path.relative_to(tmp_path / "below/mine").as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == set(fill("model_strategy", "rolling-notes"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["strategy", "Last_Mention"], "got 'Last_Mention'; write e.g. last-mention"),
        (["strategy", "9lives"], "that begins with a letter"),
        (["strategy", "a/../b"], "write e.g. a-b"),
        (["strategy", "x" * 60], "at most 50 characters"),
        (["strategy", "window"], "expected a name that no strategy or suite has, got 'window'"),
        (["suite", "toy"], "expected a name that no strategy or suite has, got 'toy'"),
        (["strategy", "class"], "a word of Python; choose e.g. my-class"),
        (["strategy", "json"], "a word of Python"),
        (["suite", "numpy"], "expected a name that no installed package has, got 'numpy'"),
        (["strtegy", "mine"], "expected a kind, got 'strtegy'; did you mean strategy"),
        (["suite", "mine", "--learns"], "got a suite; leave one out"),
        (["strategy", "mine", "--learns", "--calls-model"], "got --calls-model and --learns; leave one out"),
        (["strategy", "mine", "-o", "there"], "expected a folder that is not there yet, got there"),
        (["strategy", "mine", "-o", "there/file/mine"], "expected a file that can be written, got there/file/mine"),
        (["strategy"], "Missing argument 'name'"),
    ],
)
def test_new_refuses_in_one_line_and_writes_nothing(
    bench_command: RunBench, tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    done = bench_command("new", *words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "there"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_new_in_a_folder_that_cannot_be_written_is_one_line(bench_command: RunBench, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    done = bench_command("new", "suite", "mine", "-o", "locked/mine")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "expected a file that can be written, got locked/mine (Permission denied)" in done.err
