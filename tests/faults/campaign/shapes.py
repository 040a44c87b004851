"""The shapes of runs that are killed, and everything that a run recorded, to be compared with an unbroken one."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from tests.faults.test_runs import count_calls, record, rows

__all__ = ["SHAPES", "Shape", "count_all_calls", "find_damage", "read_all"]

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_OF_TRIES = ("retries", "cost_usd", "judge_cost_usd", "estimated_calls")
"""Scores that count failed tries too."""
_HASH = ("--embedder", "hash")


@dataclass(frozen=True, slots=True)
class Shape:
    """A run: what it plays, and whether in processes of its own (offline only: a remote model plays in threads)."""

    name: str
    words: tuple[str, ...]
    processes: bool = False
    judge: bool = False


SHAPES = (
    Shape("episodes", ("toy:houses=10", "-s", "no-memory,full-history,embedding", *_HASH)),
    Shape("conversations", ("toy-talk:talks=4", "-s", "full-history,embedding,mem0", *_HASH)),
    Shape("judged", ("toy-talk:talks=3", "-s", "full-history,window", "--seeds", "0,1"), judge=True),
    Shape("memories", ("toy:houses=6", "-s", "summary,hiagent,a-mem,window:k=2", *_HASH)),
    Shape("attempts", ("toy:houses=8", "-s", "reflexion,full-history", "--attempts", "2", "--steps", "9")),
    Shape("learners", (
        "toy:houses=16", "-s", "full-history,exprag,awm", "--learn-policy", "grouped-by-spec",
        "--learn-attempts", "2", "--steps", "9", *_HASH,
    )),
    Shape("stream", ("toy:houses=6", "-s", "full-history,exprag", "--stream", "1", *_HASH)),
    Shape("processes", (
        "pddl", "--split", "generated", "-s", "full-history,window:k=5", "--limit", "2", "--steps", "20", *_HASH,
    ), processes=True),
)  # fmt: skip


def list_runs(folder: Path) -> list[Path]:
    """Return the run and those below it (what its collectors played), by name."""
    while True:
        try:
            return sorted(path.parent for path in folder.rglob("run.sqlite"))
        except FileNotFoundError:  # a folder was renamed while it was read
            continue


def count_all_calls(folder: Path) -> int:
    """How many calls the ledgers hold; 0 where there is none yet."""
    return sum(count_calls(run) for run in list_runs(folder))


def read_all(folder: Path) -> dict[str, object]:
    """Everything that was recorded but wall times and failed tries: each database, each learned text."""
    found: dict[str, object] = {}
    for run in list_runs(folder):
        found[str(run.relative_to(folder))] = _keep_replies(record(run))
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".txt", ".toml", ".md") and path.name != "run.toml":
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def _keep_replies(found: object) -> object:
    """Leave out failed tries (what counts is what an endpoint replied), and on which port it did."""
    assert isinstance(found, dict)
    # Without the number of the try, and so in another order: attempts at a task share its key.
    calls = sorted((row[:5] + row[6:] for row in found["calls"] if row[-1] == "ok"), key=repr)
    trials = [tuple(_ADDRESS.sub("http://", str(value)) for value in row) for row in found["trials"]]
    items = [(*row[:-1], _keep_scores(str(row[-1]))) for row in found["items"]]
    return {**found, "calls": calls, "trials": trials, "items": items}


def _keep_scores(scores: str) -> str:
    return json.dumps({name: value for name, value in json.loads(scores).items() if name not in _OF_TRIES})


def find_damage(folder: Path, whole: dict[str, object]) -> str:
    """Return how a run differs from an unbroken one; empty if it does not."""
    for run in list_runs(folder):
        try:
            if (said := rows(run, "PRAGMA integrity_check")) != [("ok",)]:
                return f"a damaged database: {said}"
        except sqlite3.Error as cause:
            return f"a database that cannot be read: {cause}"
    found = read_all(folder)
    if found == whole:
        return ""
    name = min(name for name in {*found, *whole} if found.get(name) != whole.get(name))
    return f"another record in {name}: {_describe_difference(found.get(name), whole.get(name))}"


def _describe_difference(found: object, whole: object) -> str:
    if not isinstance(found, dict) or not isinstance(whole, dict):
        return f"{str(found)[:150]} for {str(whole)[:150]}"
    table = next(name for name in whole if found[name] != whole[name])
    pairs = [(one, other) for one, other in zip(found[table], whole[table], strict=False) if one != other]
    sizes = f"{table}: {len(found[table])} rows for {len(whole[table])}"
    if not pairs:
        return sizes
    one, other = next((one, other) for one, other in zip(*pairs[0], strict=True) if one != other)
    at = next((n for n, (a, b) in enumerate(zip(str(one), str(other), strict=False)) if a != b), 0)
    shown = [str(text)[max(0, at - 30) : at + 60] for text in (one, other)]
    return f"{sizes}; {str(pairs[0][0][:4])[:100]}: {shown[0]!r} for {shown[1]!r}"
