"""Fixtures of the tests of questions about any data: rows in several shapes, and the suite over a file of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.qa.suite import SUITE, QaSuite
from bench.protocols import Params, SuiteOptions

Rows = list[dict[str, Any]]
Build = Callable[..., QaSuite]

ROWS: Rows = [
    {"talk": "one", "question": "Who came?", "answer": "Ann", "context": [["Ann came.", "It rained."], ["Ben left."]]},
    {"talk": "one", "question": "How many came?", "answer": 1, "context": [["Ann came.", "It rained."], ["Ben left."]]},
    {"talk": "two", "question": "Who slept?", "answer": ["Cleo", "the cat"], "context": [["Cleo slept.", None]]},
    {"talk": "two", "question": "Who flew?", "answer": None, "context": [["Cleo slept.", None]]},
]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build the suite with parameters; ``rows`` are written to a JSON file below the data root first."""

    def make(rows: Rows | None = None, split: str = "data", **given: str) -> QaSuite:
        if rows is not None:
            monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
            (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
            given = {"path": "rows.json", **given}
        made = SUITE.build(SuiteOptions(split, Params(SUITE.params, given, who="qa"), tmp_path))
        assert isinstance(made, QaSuite)
        return made

    return make
