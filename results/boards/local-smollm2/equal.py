"""Compares the ledgers of runs two by two, call for call: ``python equal.py HERE THERE [HERE THERE ...]``.

Prints a table in Markdown; ends with 1 if a reply, a prompt count or a completion count differs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.store.read import read_trials
from bench.types import Call

HEAD = (
    "runs",
    "calls",
    "equal replies",
    "equal prompt tokens",
    "equal completion tokens",
    "prompt tokens",
    "from the prefix cache",
)


@dataclass(frozen=True)
class Place:
    """Where a call stands in a run, whatever the model is called there."""

    suite: str
    task: str
    strategy: str
    index: int
    attempt: int


def calls(folder: Path) -> Mapping[Place, Call]:
    return {
        Place(trial.key.suite, trial.key.task, trial.key.strategy, call.index, call.attempt): call
        for trial in read_trials(folder)
        for call in trial.calls
    }


def compared(here: Path, there: Path) -> tuple[list[str], bool]:
    one, other = calls(here), calls(there)
    pairs = [(one[place], other[place]) for place in one if place in other]
    replies = sum(a.reply == b.reply for a, b in pairs)
    prompts = sum(a.usage.prompt == b.usage.prompt for a, b in pairs)
    completions = sum(a.usage.completion == b.usage.completion for a, b in pairs)
    prompt = sum(a.usage.prompt or 0 for a, _ in pairs)
    cached = [sum(pair[side].usage.cached_read or 0 for pair in pairs) for side in (0, 1)]
    shares = ", ".join(f"{share / prompt:.1%}" for share in cached)
    total = len(one.keys() | other.keys())
    counts = (f"{equal} of {total}" for equal in (replies, prompts, completions))
    row = [f"{here.name}, {there.name}", str(total), *counts, f"{prompt:,}", shares]
    return row, replies == prompts == completions == total


def main() -> int:
    folders = [Path(word) for word in sys.argv[1:]]
    print("| " + " | ".join(HEAD) + " |")
    print("| --- | " + " | ".join(["---:"] * (len(HEAD) - 1)) + " |")
    same = True
    for here, there in zip(folders[::2], folders[1::2], strict=True):
        row, equal = compared(here, there)
        print("| " + " | ".join(row) + " |")
        same = same and equal
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
