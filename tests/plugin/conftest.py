"""Plug-ins as ``bench new`` writes them and an example of a model, installed once as pip installs them; and the command
in a process that has them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.scaffold.package import write_package

ROOT = Path(__file__).parents[2]
WRITTEN = {
    "last-mention": "strategy",
    "rolling-notes": "model_strategy",
    "solved-plans": "learner",
    "combination-lock": "suite",
}
"""The packages of the guides, and the kind of each."""


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the packages of the guides."""
    folder = tmp_path_factory.mktemp("written")
    for name, kind in WRITTEN.items():
        write_package(kind, name, folder / name)
    return folder


@pytest.fixture(scope="session")
def run_with_plugins(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Return a function that runs Python, with the plug-ins installed, in a folder and gives back its output."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    packages = [*(written / name for name in WRITTEN), Path(__file__).parent / "parrot"]
    for package in packages:  # a build writes into its source folder
        shutil.copytree(package, source / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    folders = [str(source / package.name) for package in packages]
    subprocess.run([*pip, "--target", str(target), *folders], check=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), str(ROOT)])}

    def run(*arguments: str, cwd: Path) -> str:
        return subprocess.run(
            [sys.executable, *arguments],
            env=environment, cwd=cwd, stdout=subprocess.PIPE, text=True, check=True, timeout=120,
        ).stdout  # fmt: skip

    return run


@pytest.fixture
def bench_with_plugins(run_with_plugins: Callable[..., str], tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs ``bench`` with the plug-ins installed, and gives back its output."""
    return lambda *words: run_with_plugins("-c", "from bench.cli.app import main; main()", *words, cwd=tmp_path)
