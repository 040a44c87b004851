"""The plug-in that breaks on demand, installed for this process and for those it starts."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.plugins import find_plugins
from bench.runner.batch import Outcome, run

ENTRY_POINTS = """
[memfrontier.suites]
faulty = faulty:THREADS
faulty-process = faulty:PROCESSES
[memfrontier.offline_rules]
faulty = faulty:RULES
[memfrontier.strategies]
notes = faulty:NOTES
raiser = faulty:RAISER
hoarder = faulty:HOARDER
chatterbox = faulty:CHATTERBOX
unbuilt = faulty:UNBUILT
"""


@dataclass(frozen=True)
class Site:
    """Where the plug-in lies, and the data root that its suites look into."""

    path: Path
    root: Path

    def fix(self) -> None:
        (self.root / "fixed").touch()

    @property
    def env(self) -> dict[str, str]:
        return {"PYTHONPATH": str(self.path), "BENCH_DATA": str(self.root)}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    path = tmp_path / "site"
    info = path / "faulty-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    shutil.copy(Path(__file__).parent / "faulty.py", path)
    root = tmp_path / "data"
    root.mkdir()
    monkeypatch.syspath_prepend(path)  # worker processes are started with this path too
    find_plugins.cache_clear()
    yield Site(path, root)
    find_plugins.cache_clear()
    sys.modules.pop("faulty", None)


Play = Callable[..., Outcome]


@pytest.fixture
def play(site: Site, tmp_path: Path) -> Play:
    """Run suites with strategies in ``tmp_path / "run"``, in this process."""

    def call(suites: str, strategies: str = "notes", **fields: object) -> Outcome:
        given = {"suites": suites.split(";"), "strategies": strategies.split(";"), "workers": 2, **fields}
        return run(RunConfig.model_validate(given), tmp_path / "run", root=site.root)

    return call
