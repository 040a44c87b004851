"""``bench demo``: a small part of four suites, offline, in about a minute: their tables, and a figure of the frontiers.

Each suite is played by strategies that spread out on it. Those that can be made smaller have little room (100 to 300
tokens), so that what they forget shows; the full history has no limit and is what the others are tested against.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.cli.table import format_table
from bench.config import RunConfig
from bench.errors import UsageError
from bench.report.figures.frontier import draw
from bench.report.frontier import find_frontiers
from bench.runner.batch import run
from bench.runner.progress import choose_progress
from bench.store.dataframe import read_items
from bench.store.printing import say

__all__ = ["demo_command"]

_FOLDER = Path("bench-demo")
_FIGURE = "frontier.png"
_EXAMPLE = "bm25"
"""The strategy that the commands to try next look at; every part plays it."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A small part of a suite, from a split that needs no download. ``steps`` 0 = the suite's own step cap."""

    suite: str
    split: str
    limit: int
    strategies: tuple[str, ...]
    steps: int = 0


_PARTS = (
    _Part(
        "alfworld", "procedural", 20,
        ("full-history", "mem0", "fold:tokens=100", "hiagent:summary=last", "summary:tokens=100", "resum:tokens=100",
         "truncation:tokens=100", "window:k=3", "bm25", "no-memory"),
        steps=20,
    ),
    _Part(
        "pddl", "generated", 12,
        ("full-history", "hiagent", "summary:tokens=300", "acon-untrained:tokens=300", "truncation:tokens=300",
         "window:k=10", "bm25", "no-memory"),
        steps=30,
    ),
    _Part(
        "locomo", "generated", 4,
        ("oracle-evidence", "full-history", "bm25", "hybrid", "files-grep", "generic-agent-dialogue", "mem0",
         "summary", "window:k=40", "no-memory"),
    ),
    _Part(
        "toy", "houses", 20,
        ("full-history", "fold:tokens=100", "hiagent:summary=last", "generic-agent:budget_tokens=100",
         "truncation:tokens=100", "window:k=3", "bm25", "no-memory"),
        steps=20,
    ),
)  # fmt: skip


def demo_command(out: Path | None) -> int:
    """Run the parts one after the other, print a table for each and draw their frontiers.

    Returns 0, or 1 if something stayed unscored. Raises: StoreError if the folder cannot be written.
    """
    root = out or _FOLDER
    folders, unscored = [], 0
    for part in _PARTS:
        folder = root / part.suite
        config = RunConfig(
            suites=(part.suite,), strategies=part.strategies, split=part.split, limit=part.limit, steps=part.steps
        )
        say(f"demo: {part.suite}, split {part.split}")
        try:
            unscored += run(config, folder, choose_progress()).unscored
        except UsageError as missing:  # an engine that is not installed: say so, show the rest
            say(f"demo: left out {part.suite}: {missing}")
            continue
        print(format_table([folder]))
        folders.append(folder)
    draw(find_frontiers(read_items(folders), x="tokens", y="success"), root / _FIGURE)
    print(_next_steps(root / _FIGURE, folders[0]))
    return 1 if unscored else 0


def _next_steps(figure: Path, folder: Path) -> str:
    """Return where the figure is, and three commands that work on a folder just made."""
    items = read_items([folder])
    worst = items[items["strategy"] == _EXAMPLE].sort_values(["success", "task"])["task"].iloc[0]
    return (
        f"The frontier of each suite, tokens against success: {figure}\n\n"
        "What to try next: read a trial, compare two strategies task by task, see a frontier in numbers.\n\n"
        f"  bench show {folder} {_EXAMPLE}@{worst} --context\n"
        f"  bench compare {folder} {_EXAMPLE} full-history\n"
        f"  bench frontier {folder} -x context_tokens_mean"
    )
