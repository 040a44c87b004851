"""What is wrong with the ALFWorld games on disk: files that are missing, altered or no games. Knows no engine.

Two lists are used: the manifest in the data root, where there is one (every file, by its bytes), and our own pinned
list of the 134 valid_unseen games (by what is played), which also fits a user's own download.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adapters.alfworld.games import GAME_FILE, TREES, content_digest, manifest, parse_game, pinned, tree_folder
from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = ["DATA", "Fault", "check"]

_SPLIT = "valid_unseen"


@dataclass(frozen=True, slots=True)
class Fault:
    """One file and what is wrong with it."""

    path: str
    """Relative to the data root."""
    problem: str


def check(data_root: Path) -> tuple[Fault, ...]:
    """Return every problem, sorted by path; empty if all is well. The older wording is only checked if it is there."""
    found = {fault.path: fault for fault in _against_pins(data_root)}
    found.update({fault.path: fault for fault in _against_manifest(data_root)})
    return tuple(found[path] for path in sorted(found))


def _against_manifest(data_root: Path) -> Iterator[Fault]:
    for name, wanted in manifest(data_root).items():
        if not name.startswith("alfworld/"):
            continue
        path = data_root / name
        if not path.is_file():
            yield Fault(name, "missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
            yield Fault(name, "altered (SHA-256 differs from the manifest)")


def _against_pins(data_root: Path) -> Iterator[Fault]:
    for version in TREES:
        folder = tree_folder(data_root, version) / _SPLIT
        if not folder.is_dir():
            if version == "move":
                yield Fault(folder.relative_to(data_root).as_posix(), "missing")
            continue
        for task_id, wanted in pinned()[version].items():
            path = folder / task_id / GAME_FILE
            problem = _problem(path, wanted)
            if problem:
                yield Fault(path.relative_to(data_root).as_posix(), problem)


def _problem(path: Path, wanted: str) -> str:
    if not path.is_file():
        return "missing"
    try:
        game = parse_game(path.read_bytes(), str(path))
    except DataError as error:
        return f"not a game file ({error})"
    return "" if content_digest(game) == wanted else "altered (not the game of the official release)"


DATA = DataSpec(
    folder="alfworld",
    # Only the current wording can still be had officially; the put wording of before December 2024 cannot.
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
