"""Checks the ALFWorld games on disk: missing, altered and invalid files. Knows no engine.

Two lists are used: the manifest in the data root, if there is one (the bytes of every file), and our list
``pinned.csv`` of the 134 valid_unseen games (their content), which also fits a user's own download.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adapters.alfworld.games import (
    GAME_FILE,
    TREES,
    compute_content_digest,
    find_tree,
    load_pins,
    parse_game,
    read_manifest,
)
from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = ["DATA", "Fault", "check"]

_SPLIT = "valid_unseen"


@dataclass(frozen=True, slots=True)
class Fault:
    """One file and its problem."""

    path: str
    """Relative to the data root."""
    problem: str


def check(data_root: Path) -> tuple[Fault, ...]:
    """Return every problem, sorted by path; empty if there is none. The older wording is checked only if it exists."""
    found = {fault.path: fault for fault in _check_pins(data_root)}
    found.update({fault.path: fault for fault in _check_manifest(data_root)})
    return tuple(found[path] for path in sorted(found))


def _check_manifest(data_root: Path) -> Iterator[Fault]:
    for name, expected in read_manifest(data_root).items():
        if not name.startswith("alfworld/"):
            continue
        path = data_root / name
        if not path.is_file():
            yield Fault(name, "missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            yield Fault(name, "altered (SHA-256 differs from the manifest)")


def _check_pins(data_root: Path) -> Iterator[Fault]:
    for version in TREES:
        folder = find_tree(data_root, version) / _SPLIT
        if not folder.is_dir():
            if version == "move":
                yield Fault(folder.relative_to(data_root).as_posix(), "missing")
            continue
        for task_id, expected in load_pins()[version].items():
            path = folder / task_id / GAME_FILE
            problem = _find_problem(path, expected)
            if problem:
                yield Fault(path.relative_to(data_root).as_posix(), problem)


def _find_problem(path: Path, expected: str) -> str:
    if not path.is_file():
        return "missing"
    try:
        game = parse_game(path.read_bytes(), str(path))
    except DataError as error:
        return f"not a game file ({error})"
    return "" if compute_content_digest(game) == expected else "altered (not the game of the official release)"


DATA = DataSpec(
    folder="alfworld",
    # Only the current wording has an official download; the put wording of before December 2024 has none.
    sources=(
        DataSource(
            url="https://github.com/alfworld/alfworld/releases/download/0.4.2/json_2.1.3_tw-pddl.zip",
            to=f"alfworld/{TREES['move']}",
            inside="json_2.1.1",
        ),
    ),
    check=check,
    licence="MIT",
)
