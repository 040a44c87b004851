"""Runs that the export tests share: episodes and a conversation, played once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.runner.batch import run


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six episodes of two strategies: 12 items."""
    folder = tmp_path_factory.mktemp("export") / "run"
    run(RunConfig(suites=("toy",), strategies=("window:k=2", "full-history"), limit=6, embedder="hash"), folder)
    return folder


@pytest.fixture(scope="session")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One conversation of two strategies, with a judge and a memory that calls the model: 12 items."""
    folder = tmp_path_factory.mktemp("export") / "talk"
    config = RunConfig(
        suites=("toy-talk",), strategies=("mem0", "always-refuse"), limit=1, embedder="hash", judge="offline/reader"
    )
    run(config, folder)
    return folder
