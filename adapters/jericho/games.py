"""The story files on the user's disk: the 20 games of AgentBoard, and three Zork games under the MIT licence.

Split ``zork`` is the three MIT files, checked by SHA-256. Split ``agentboard`` is AgentBoard's 20 games; their files
come from Jericho's game suite, which has no licence and no published digests, so a file is found by its name anywhere
below ``jericho/``, and its digest is part of the fingerprint. Knows no milestones. Source: AgentBoard (arXiv
2401.13178), its configuration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = [
    "AGENTBOARD",
    "DATA",
    "ROOT",
    "SPLITS",
    "ZORK",
    "Fault",
    "check",
    "compute_digest",
    "find_story",
    "list_games",
    "read_story",
]

ROOT = "jericho"
_SUITE_FOLDER = "https://github.com/BYU-PCCL/z-machine-games, folder jericho-game-suite"

ZORK: Mapping[str, str] = {
    "zork1": "37084966477dff679282de42974b2077156b1bd68fad92a65d4ea94d8eb64d79",
    "zork2": "3ae7d5558943e9721f3e4b273c8a7faec1a03a604e1ae4ee1cde472c21cb24ac",
    "zork3": "b637a242865d059890184164ce8dec28554cc80901dcbf26c740b2d1ed0d4eb8",
}
"""Zork I release 119, Zork II release 63, Zork III release 25: SHA-256 of the story file."""

AGENTBOARD: Mapping[str, str] = {
    **dict.fromkeys(("905", "acorncourt", "balances", "detective", "dragon", "huntdark", "jewel", "library"), ".z5"),
    **dict.fromkeys(("loose", "night", "omniquest", "pentari", "reverb", "weapon", "zenon"), ".z5"),
    **dict.fromkeys(("zork1", "zork2", "zork3"), ".z5"),
    **dict.fromkeys(("afflicted", "snacktime"), ".z8"),
}
"""Each game with the suffix of its story file."""

SPLITS = ("zork", "agentboard")


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is ``missing`` or ``altered``."""

    path: str
    problem: str


def list_games(split: str) -> Sequence[str]:
    """Return the ids of a split, sorted."""
    return sorted(ZORK if split == "zork" else AGENTBOARD)


def find_story(data_root: Path, split: str, game: str) -> Path | None:
    """Return the story file of a game relative to the data root; None if there is none.

    For ``agentboard`` a file of Jericho's suite is preferred to an MIT file, which is another release of the game.
    """
    ours = Path(_zork_path(game))
    if split == "agentboard":
        found = sorted((data_root / ROOT).rglob(f"{game}{AGENTBOARD[game]}"))
        if found:
            return found[0].relative_to(data_root)
    return ours if game in ZORK and (data_root / ours).is_file() else None


def read_story(data_root: Path, split: str, game: str) -> Path:
    """Return the absolute path of a story file. Raises: DataError if it is missing, or if an MIT file is altered."""
    found = find_story(data_root, split, game)
    if found is None:
        fetch = (
            f"get {game}{AGENTBOARD[game]} from {_SUITE_FOLDER}" if split == "agentboard" else "bench data get jericho"
        )
        raise DataError(f"jericho {game}: expected its story file below {data_root / ROOT}, got none; {fetch}")
    path = data_root / found
    if found.as_posix() == _zork_path(game) and (got := compute_digest(path)) != ZORK[game]:
        raise DataError(
            f"jericho {game}: expected {path} with SHA-256 {ZORK[game][:12]}, got {got[:12]}; bench data get jericho"
        )
    return path.resolve()


def compute_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    stat = path.stat()
    return _digest(path, stat.st_mtime_ns, stat.st_size)


@cache
def _digest(path: Path, _changed_ns: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _zork_path(game: str) -> str:
    return f"{ROOT}/zork/{game}/{game}.z3"


def check(data_root: Path) -> tuple[Fault, ...]:
    """Return each of the three Zork files that is missing or altered; the other games have no published digest."""
    faults = []
    for game, sha256 in ZORK.items():
        path = data_root / _zork_path(game)
        if not path.is_file():
            faults.append(Fault(_zork_path(game), "missing"))
        elif compute_digest(path) != sha256:
            faults.append(Fault(_zork_path(game), "altered"))
    return tuple(faults)


DATA = DataSpec(
    folder=ROOT,
    sources=tuple(
        DataSource(
            url=f"https://github.com/historicalsource/{game}/raw/master/COMPILED/{game}.z3",
            to=_zork_path(game),
            sha256=sha256,
        )
        for game, sha256 in ZORK.items()
    ),
    check=check,
    licence="MIT (the three Zork games); the others of the split agentboard have none",
)
