"""What tests of several packages share: the console command, called in this process from an empty folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest
from hypothesis import HealthCheck, settings

from bench.cli.app import main

# How long an example takes depends on the machine, so no test waits for a deadline.
settings.register_profile("no-deadline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no-deadline")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


RunBench = Callable[..., Done]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunBench:
    """Call ``bench ...`` as its console script does, in ``tmp_path``, with a data root that is not there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCH_DATA", str(tmp_path / "no-data"))

    def call(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["bench", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Done(left.value.code, printed.out, printed.err)

    return call


@pytest.fixture
def bench_command(bench: RunBench) -> RunBench:
    """The same under another name, for tests of the package ``bench`` itself."""
    return bench


@pytest.fixture
def data_root() -> Path:
    """The benchmark data, as ``$BENCH_DATA`` names it; without it the test is skipped."""
    root = os.environ.get("BENCH_DATA", "")
    if not root or not Path(root).is_dir():
        pytest.skip("needs benchmark data under $BENCH_DATA")
    return Path(root).resolve()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose marker ``needs`` names a package or program that is not here; in CI that is a failure."""
    names = [str(name) for mark in item.iter_markers("needs") for name in mark.args]
    missing = [name for name in names if find_spec(name) is None and which(name) is None]
    if missing and os.environ.get("CI"):
        pytest.fail(f"needs {', '.join(missing)}, which CI has to install", pytrace=False)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that needs data must not be skipped: green would mean that nobody looked."""
    report = yield
    if os.environ.get("CI") and report.skipped and item.get_closest_marker("data"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: skipped in CI, where the data must be there: {call.excinfo}"
    return report
