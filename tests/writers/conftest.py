"""A run that the tests of writers share."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.runner.batch import run


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six episodes of two strategies."""
    folder = tmp_path_factory.mktemp("writers") / "run"
    run(RunConfig(suites=("toy",), strategies=("window:k=2", "full-history"), limit=6, embedder="hash"), folder)
    return folder
