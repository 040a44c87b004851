"""``bench demo``: every suite in small, every strategy, offline; a table and a frontier to look at in two minutes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench.cli.frontier import frontier_command
from bench.cli.table import format_table
from bench.config import RunConfig
from bench.errors import UsageError
from bench.registry import load_strategy, load_suite, strategy_names
from bench.runner.batch import run
from bench.runner.progress import progress_for

__all__ = ["demo_command"]

_FOLDER = Path("bench-demo")


@dataclass(frozen=True, slots=True)
class _Part:
    """A suite in small, from a split that needs no download."""

    suite: str
    split: str
    limit: int
    steps: int = 0


_PARTS = (
    _Part("toy", "houses", 20),
    _Part("toy-talk", "talks", 6),
    _Part("locomo", "generated", 2),
    _Part("pddl", "generated", 8),
    _Part("alfworld", "procedural", 6),
)


def _serving(suite: str) -> list[str]:
    """Return the strategies that can serve a suite (some only act, some only answer) and whose package is there."""
    shape = load_suite(suite).shape
    known = {name: load_strategy(name) for name in strategy_names()}
    return [name for name, row in known.items() if shape in row.serves and not (row.needs and not find_spec(row.needs))]


def demo_command(out: Path | None) -> int:
    """Run the parts one after the other, print their table and draw their frontier. Returns 0, or 1 if unscored.

    Raises: StoreError if the folder cannot be written.
    """
    root = out or _FOLDER
    folders, unscored = [], 0
    for part in _PARTS:
        folder = root / part.suite
        config = RunConfig(
            suites=(part.suite,),
            strategies=tuple(_serving(part.suite)),
            split=part.split,
            limit=part.limit,
            steps=part.steps,
        )
        print(f"demo: {part.suite}, split {part.split}", file=sys.stderr)
        try:
            unscored += run(config, folder, progress_for()).unscored
        except UsageError as missing:  # an engine that is not installed: say so, show the rest
            print(f"demo: left out {part.suite}: {missing}", file=sys.stderr)
            continue
        folders.append(folder)
    print(format_table(folders), end="\n")
    frontier_command(folders, "tokens", "success", root / "frontier.png")
    print(f"demo: runs and figure are in {root}; try `bench show {folders[0]}`", file=sys.stderr)
    return 1 if unscored else 0
