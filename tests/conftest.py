"""What tests of several packages share: the console command, called in this process from an empty folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


Bench = Callable[..., Done]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Call ``bench ...`` as its console script does, in ``tmp_path``, with a data root that is not there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCH_DATA", str(tmp_path / "no-data"))

    def call(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["bench", *words])
        with pytest.raises(SystemExit) as left:
            main()
        told = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Done(left.value.code, told.out, told.err)

    return call
